/** `inlet account voice`: which source of an account counts, and which tells early. */

import { appendAudit } from '../../domain/audit/store.ts'
import { message } from '../../domain/messages/message.ts'
import { findAccount } from '../../domain/requisites/account-store.ts'
import { namedSource } from '../../domain/statements/named-source.ts'
import { isDay } from '../../domain/transfers/bank-text/days.ts'
import { changeVoiceWithin } from '../../domain/transfers/change-voice.ts'
import { idKinds } from '../../domain/transfers/channel.ts'
import { sourceWords } from '../../domain/transfers/source.ts'
import { roles, type Voice } from '../../domain/transfers/voice.ts'
import { findOpenDay, readVoices } from '../../domain/transfers/voice-store.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Command, Output, Values } from './command.ts'
import { oneOf, optional, required, shown, table, UsageProblem, uuid } from './options.ts'

const jsonOf = ({ role, fromDay, source, ids }: Voice) => ({
  ...{ role, from: fromDay, source: source.id, source_name: sourceWords(source), ids },
})

export const voiceCommands: Record<string, Command> = {
  'account voice': {
    usage: `inlet account voice ID [--role ${roles.join('|')} --source SOURCE --from DAY --reason TEXT [--ids ${idKinds.join('|')}] [--by NAME]]`,
    summary:
      'which source an account is counted from and which reports early, and since when; or change one from a day on',
    example: "$ACCOUNT --role booked --source 1c --from 2026-11-15 --reason 'The bank sends 1C files now'",
    words: 1,
    async run({ db }, values, [id]) {
      const accountId = uuid(id, 'The account')
      const isChange = ['role', 'source', 'from', 'reason', 'ids'].some((name) => values[name] !== undefined)
      if (isChange) await change(db, accountId, values)
      return show(db, accountId)
    },
  },
}

function dayFrom(text: string): string {
  if (!isDay(text)) throw new UsageProblem('--from must be a day, such as 2026-11-15.')
  return text
}

/** SOURCE is an id, a name of `inlet source list`, or a kind of file: `1c`, `camt`, `mt940`, `csv:NAME` of a saved format. */
async function change(db: Db, accountId: string, values: Values): Promise<void> {
  const role = oneOf(values, 'role', roles)
  const text = required(values, 'source')
  const fromDay = dayFrom(required(values, 'from'))
  const reason = required(values, 'reason')
  const ids = values.ids === undefined ? undefined : oneOf(values, 'ids', idKinds)
  const actor = optional(values, 'by') ?? 'command line'
  await db.transaction(async (tx) => {
    const account = await findAccount(tx, accountId)
    if (!account) throw new Refusal('not_found', { detail: message('no_receiving_account_with_id') })
    const source = await namedSource(tx, { mode: account.mode, text })
    const asked = { accountId, role, sourceId: source.id, fromDay, ids }
    const { before, after } = await changeVoiceWithin(tx, { ...asked, actor: `operator:${actor}` })
    await appendAudit(tx, {
      ...{ personId: null, actor, act: 'account_voice', subject: `account:${accountId}`, reason },
      ...{ before: before && jsonOf(before), after: jsonOf(after), requestId: null },
    })
  })
}

async function show(db: Db, accountId: string): Promise<Output> {
  const account = await findAccount(db, accountId)
  if (!account) throw new Refusal('not_found', { detail: message('no_receiving_account_with_id') })
  const voices = await readVoices(db, [accountId])
  const open = await findOpenDay(db, accountId)
  return {
    json: {
      account: accountId,
      voices: voices.map((voice) => ({
        ...jsonOf(voice),
        changed_at: voice.changedAt,
        changed_by: voice.changedBy,
      })),
      first_open_day: open?.firstOpenDay ?? null,
    },
    text: [
      table(
        ['place', 'from', 'source', 'ids', 'set', 'by'],
        voices.map((voice) => [
          voice.role,
          voice.fromDay,
          shown(sourceWords(voice.source)),
          voice.ids,
          voice.changedAt.toISOString(),
          shown(voice.changedBy),
        ]),
      ),
      ...roles
        .filter((role) => !voices.some((voice) => voice.role === role))
        .map((role) => `${role}: nobody yet; the first source takes this place.`),
      ...(open ? [`No file has closed the days from ${open.firstOpenDay} on.`] : []),
    ].join('\n'),
  }
}
