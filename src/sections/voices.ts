/**
 * Which source of an account counts, and which tells early. To choose it is to choose what counts as paid. In live mode
 * a change waits for a second person.
 */

import type { ListedAccount } from '../domain/requisites/listed-store.ts'
import { listSourceChoices, namedSource } from '../domain/statements/named-source.ts'
import { changeVoiceWithin, checkVoice } from '../domain/transfers/change-voice.ts'
import type { Ids } from '../domain/transfers/channel.ts'
import type { Source } from '../domain/transfers/source.ts'
import { type Role, roles, type Voice } from '../domain/transfers/voice.ts'
import { findOpenDay, readVoices, voicesOf } from '../domain/transfers/voice-store.ts'
import type { Tx } from '../platform/db.ts'
import { day, person, time, words } from './cells.ts'
import { act, choices } from './declare.ts'
import { note, table } from './parts.ts'
import { admin } from './roles.ts'
import { both, type Choice, type Context, type Part, type Two } from './section.ts'
import { besideFields } from './shared.ts'
import { channelWords } from './states.ts'

const roleWords = {
  booked: ['Counted from', 'Считается по'],
  early: ['Reports early', 'Сообщает заранее'],
} as const satisfies Record<Role, Two>
const idWords = {
  lasting: ['One ID per payment, for good', 'У платежа один номер навсегда'],
  daily: ['IDs begin anew each day', 'Номера каждый день начинаются заново'],
  none: ['No IDs, or none to rely on', 'Номеров нет или на них нельзя полагаться'],
} as const satisfies Record<Ids, Two>

/** A push by the name that the operator gave it; files by their format, tables also by the name of theirs. */
export function sourceWords({ kind, name, channel }: Pick<Source, 'kind' | 'name' | 'channel'>): Two {
  if (kind === 'push') return both(name)
  const [en, ru] = channelWords[channel]
  return kind !== 'file' || name === channel ? [en, ru] : [`${en} (${name})`, `${ru} (${name})`]
}

export async function voiceParts({ db }: Pick<Context, 'db'>, { id }: ListedAccount): Promise<Part[]> {
  const voices = await readVoices(db, [id])
  const open = await findOpenDay(db, id)
  const missing = roles.filter((role) => !voices.some((voice) => voice.role === role))
  const [en, ru] = open ? sourceWords(open) : ['', '']
  const free = words(['Free: the first source takes it', 'Свободно: его займёт первый источник'])
  const rows = [...voices, ...missing.map((role) => ({ role, source: null }))]
  return [
    ...(open
      ? [
          note('warn', [
            `No file of ${en} has closed the days from ${open.firstOpenDay} on. Import one that does; until then a booked payment may wait as parked or held.`,
            `Ни один файл (${ru}) не закрыл дни с ${open.firstOpenDay}. Загрузите такой; до тех пор проведённые платежи могут ждать.`,
          ]),
        ]
      : []),
    table(['What is counted', 'По чему считается счёт'], rows, [
      [['Place', 'Место'], ({ role }) => words(roleWords[role])],
      [['Source', 'Источник'], ({ source }) => (source ? words(sourceWords(source)) : free)],
      [['From day', 'С какого дня'], (row) => (row.source ? day(row.fromDay) : null)],
      [['Row IDs', 'Номера строк'], (row) => (row.source ? words(idWords[row.ids]) : null)],
      [['Set by', 'Кто задал'], (row) => (row.source ? [person(row.changedBy), time(row.changedAt)] : null)],
    ]),
    note(
      'info',
      [
        'The held rows of a day can be paired with what was told early, all at once.',
        'Удержанные строки дня можно соединить с тем, о чём сообщили заранее, — все сразу.',
      ],
      { to: `/requisites/${id}`, id: 'day', text: ['Look at a day', 'Посмотреть день'] },
    ),
  ]
}

type Given = { role: Role; source: string; from: string; ids: Ids | null }

/** A kind of file that nobody has imported yet becomes a source by being named. */
async function asked(tx: Tx, { id, mode }: ListedAccount, { source, role, from, ids }: Given) {
  const { id: sourceId } = await namedSource(tx, { mode, text: source })
  return { accountId: id, role, sourceId, fromDay: from, ids: ids ?? undefined }
}

const fields = { only_files_are_booked: 'source', voice_begins_later: 'from' }

const textsOf = ({ source: { kind, name, channel }, fromDay, ids }: Voice) => ({
  source: { kind, name, channel },
  fromDay,
  ids,
})

export const voiceAct = act<ListedAccount>()({
  name: ['Change the source', 'Сменить источник'],
  effect: [
    'On each day one source is counted, and one may report earlier. Let the first file of the new one overlap the old one by some days: for 14 days around the change both are accepted, and what the other has not told waits for you. In live mode a second person approves it.',
    'В каждый день считается один источник, и ещё один может сообщать заранее. Пусть первый файл нового на несколько дней перекрывает прежний: две недели вокруг смены принимаются оба, а то, о чём другой не сообщил, ждёт вашего решения. В боевом режиме нужно согласование.',
  ],
  policy: admin,
  audit: 'account_voice',
  fields: {
    role: { head: ['Place', 'Место'], is: 'choice', of: choices<Role>(roleWords) },
    source: {
      head: ['Source', 'Источник'],
      is: 'choice',
      of: async ({ db }, { mode }) => {
        const choices = await listSourceChoices(db, mode)
        return choices.map(({ text, source, isUsed }): Choice => {
          const [en, ru] = sourceWords(source)
          return {
            value: text,
            words: isUsed ? [en, ru] : [`${en} (not used yet)`, `${ru} (ещё не использовался)`],
          }
        })
      },
    },
    from: { head: ['From day', 'С какого дня'], is: 'day' },
    ids: {
      head: ['Row IDs', 'Номера строк'],
      hint: ['Empty means as usual for the source.', 'Пусто — как обычно у источника.'],
      is: 'choice',
      of: choices<Ids>(idWords),
      isOptional: true,
    },
  },
  second: async (tx, { row, given }) => {
    await besideFields(fields, async () => checkVoice(tx, await asked(tx, row, given)))
    return row.mode === 'live'
  },
  // The voice of now, which the second person sees beside the new one.
  seen: async ({ id }, { role }, tx) => {
    const now = voicesOf(await readVoices(tx, [id]), id, role).at(-1)
    return { source: now ? `${sourceWords(now.source)[0]}, ${now.fromDay}, ${now.ids}` : '' }
  },
  run: async (tx, { row, given, by }) => {
    const wanted = await asked(tx, row, given)
    const { before, after } = await besideFields(fields, () =>
      changeVoiceWithin(tx, { ...wanted, actor: by.actor }),
    )
    const role = wanted.role
    return { before: before && { role, ...textsOf(before) }, after: { role, ...textsOf(after) } }
  },
})
