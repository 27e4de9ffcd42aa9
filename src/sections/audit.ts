/** The audit log, newest first, and whether its chain of digests is intact. It is only read. */
import { approvalRuleActs } from '../domain/approvals/guard.ts'
import type { AuditEntry, Verdict } from '../domain/audit/audit.ts'
import { findAuditEntry, listAudit } from '../domain/audit/store.ts'
import { verifyAudit } from '../domain/audit/verify-audit.ts'
import { message } from '../domain/messages/message.ts'
import { listPeople } from '../domain/people/store.ts'
import { batched } from '../platform/batched.ts'
import { bounds } from '../platform/bounds.ts'
import type { Vault } from '../platform/vault.ts'
import { actName } from './act-names.ts'
import { code, foreign, number, person, said, state, time, words } from './cells.ts'
import { section } from './declare.ts'
import { note } from './parts.ts'
import { read } from './roles.ts'
import { both, type Cell, type Choice, type Context, type Reads, type Two } from './section.ts'
import { search } from './shared.ts'
import { readSubjects } from './subjects.ts'

type Entry = AuditEntry & { name: Two; about: Cell }

async function named(context: Reads, entries: readonly AuditEntry[]): Promise<Entry[]> {
  const about = await readSubjects(context, entries)
  return entries.map((entry) => ({
    ...entry,
    name: actName(context.sections, entry.act),
    about: about(entry.subject),
  }))
}

/** The log has the way of signing in as the reason. */
export const signInWays: Readonly<Record<string, Two>> = {
  code: ['with a code', 'по коду'],
  passkey: ['with a passkey', 'ключом доступа'],
  password: ['with a password', 'по паролю'],
  'password again': ['with a password, repeated', 'повторно по паролю'],
  'demo link': ['with a demo link', 'по демо-ссылке'],
  invitation: ['with an invitation', 'по приглашению'],
}

const reasonOf = ({ act, reason }: AuditEntry): Cell => {
  const way = act === 'sign_in' ? signInWays[reason] : undefined
  return way ? words(way) : said(reason === `${askedAtMerchant}` ? askedAtMerchant : reason)
}

/** The only reason that Inlet itself writes to the log. */
const askedAtMerchant = message('asked_for_in_merchant_console')

/** A check reads the whole log, so those who ask meanwhile share the next check. */
const checks = new WeakMap<Vault, (all: string) => Promise<Verdict | undefined>>()

async function checkOf({ db, vault }: Context): Promise<Verdict> {
  const known = checks.get(vault)
  const verify =
    known ?? batched(async ([all]) => new Map([[all!, await verifyAudit(db, vault)]]), { most: 1, atOnce: 1 })
  if (!known) checks.set(vault, verify)
  return (await verify(''))!
}

export const audit = section<Entry>()({
  one: 'audit',
  path: '/audit',
  name: ['Audit log', 'Журнал'],
  about: [
    'Each entry contains the hash of the previous one, so any change, deletion or reordering is visible.',
    'Каждая запись содержит хеш предыдущей, поэтому видно любое изменение, удаление или перестановку.',
  ],
  empty: [
    ['No entries', 'Записей нет'],
    [
      'Actions of people are recorded here: who, what, why, before and after.',
      'Здесь записаны действия сотрудников: кто, что, почему, было и стало.',
    ],
  ],
  read,
  isExported: true,
  columns: {
    act: { head: ['Action', 'Действие'], rank: 1, cell: (r) => state(r.act, r.name) },
    at: { head: ['When', 'Когда'], rank: 1, cell: (r) => time(r.at) },
    actor: { head: ['Who', 'Кто'], rank: 2, cell: (r) => person(r.actor) },
    object: { head: ['Object', 'Объект'], rank: 2, cell: (r) => r.about },
    reason: { head: ['Reason', 'Причина'], rank: 2, cell: reasonOf },
    place: { head: ['No.', '№'], rank: 3, cell: (r) => number(Number(r.place)) },
    subject: { head: ['Object code', 'Код объекта'], rank: 'file', cell: (r) => code(r.subject) },
    before: { head: ['Before', 'Было'], rank: 'file', cell: (r) => changed(r.before) },
    after: { head: ['After', 'Стало'], rank: 'file', cell: (r) => changed(r.after) },
    request: { head: ['Request', 'Запрос'], rank: 'file', cell: (r) => code(r.requestId) },
    digest: { head: ['Hash', 'Хеш'], rank: 'file', cell: (r) => code(r.digest.toString('hex')) },
  },
  filters: {
    subject: {
      head: ['Object', 'Объект'],
      ...search('For example deposit:…, person:…', 'Например, deposit:…, person:…'),
    },
    person: { head: ['Person', 'Сотрудник'], is: 'choice', of: personChoices, isId: true },
    merchant: { head: ['Merchant (ID)', 'Мерчант (ID)'], is: 'id' },
    guard: { head: ['Who decides', 'Кто решает'], is: 'tick' },
    check: { head: ['Check integrity', 'Проверить целостность'], is: 'tick' },
  },
  ids: /^\d{1,18}$/,
  idOf: ({ place }) => place.toString(),
  title: ({ name }) => name,
  list: async (
    context,
    { chosen: { subject, person: personId, merchant: merchantId, guard }, after, limit },
  ) =>
    named(
      context,
      await listAudit(context.db, {
        ...{ subject, personId, merchantId, acts: guard ? approvalRuleActs : null },
        ...{ before: after === null ? null : BigInt(after), limit },
      }),
    ),
  notes: async (context, { check }) => {
    if (!check) return []
    const { entries, head, problem, gaps } = await checkOf(context)
    if (problem) return [note('bad', ['The log has been altered.', 'Журнал нарушен.']), note('bad', problem)]
    return [
      note('ok', [
        `The log is intact: ${entries} entries. Latest hash: ${head}. Keep a copy elsewhere to compare later.`,
        `Журнал цел, записей: ${entries}. Последний хеш: ${head}. Сохраните копию в другом месте, чтобы сравнить потом.`,
      ]),
      ...gaps.map((gap) => note('warn', gap)),
    ]
  },
  find: async (context, id) => {
    const entry = await findAuditEntry(context.db, BigInt(id))
    return entry && (await named(context, [entry]))[0]
  },
})

const changed = (json: string): Cell => (json === 'null' ? null : foreign(json))

async function personChoices({ db }: Context): Promise<Choice[]> {
  const people = await listPeople(db, null, { after: null, limit: bounds.listRows })
  return people.map(({ id, name }) => ({ value: id, words: both(name) }))
}
