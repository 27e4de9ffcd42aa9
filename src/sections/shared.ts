/** Choices and facts that several sections use. */
import { listAudit } from '../domain/audit/store.ts'
import { type TypeNames, typeWords } from '../domain/catalogue/payment-type.ts'
import type { Mode } from '../domain/merchants/merchant.ts'
import { Message, type MessageCode } from '../domain/messages/message.ts'
import { currencies } from '../domain/money.ts'
import { listAccountNames } from '../domain/requisites/listed-store.ts'
import { maskedNumber } from '../domain/requisites/requisite.ts'
import type { DecidedTransfer, TransferAct } from '../domain/transfers/decide-transfer.ts'
import type { LockedTransfer } from '../domain/transfers/store.ts'
import type { Queryable } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { foreign, person, time } from './cells.ts'
import { work } from './roles.ts'
import { type Acted, act, type By, both, type Choice, type Part, type Two } from './section.ts'

export const modeChoices: readonly Choice[] = [
  { value: 'live', words: ['Live', 'Боевой'] },
  { value: 'test', words: ['Test', 'Тестовый'] },
]

export const currencyChoices: readonly Choice[] = currencies.map((value) => ({ value, words: both(value) }))

/** Receiving accounts, by their labels; test accounts say that they are. */
export async function accountChoices(db: Queryable, mode: Mode | null = null): Promise<Choice[]> {
  const accounts = await listAccountNames(db, { mode })
  return accounts.map(({ id, label, currency, number, mode }) => {
    const name = [label, currency, number && maskedNumber(number)].filter(Boolean).join(' · ')
    return { value: id, words: mode === 'test' ? [`${name} (test)`, `${name} (тест)`] : both(name) }
  })
}

/** Puts a refusal of the domain beside the field that it is about, by the code of its message. */
export async function besideFields<T>(
  fields: Partial<Record<MessageCode, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const detail = error instanceof Refusal ? error.details.detail : undefined
    const field = detail instanceof Message && fields[detail.code]
    if (!(error instanceof Refusal) || !field) throw error
    throw new Refusal(error.code, { errors: [{ pointer: `#/${field}`, code: detail.code, detail }] })
  }
}

/** A payment type as staff reads it: the built-in ones in both languages, until an operator renames them. */
export const methodWords = (names: TypeNames, code: string): Two => typeWords(code, names.get(code) ?? code)

/** Runs a decision about a transfer, and says for the audit log what it was before and is after. */
export async function decided(
  decide: (hooks: NonNullable<TransferAct['hooks']>) => Promise<unknown>,
): Promise<Acted> {
  let done: DecidedTransfer | undefined
  const note = (decided: DecidedTransfer) => {
    done = decided
    return null
  }
  await decide({ audit: note })
  const { before, transfer } = done!
  return { subject: `transfer:${transfer.id}`, before: partsOf(before), after: partsOf(transfer) }
}

const partsOf = ({ state, shares, depositCents, refundCents, openCents }: LockedTransfer) => ({
  state,
  deposits: shares.map(({ depositId, cents }) => ({ depositId, cents: cents.toString() })),
  depositCents,
  refundCents,
  openCents,
})

/** Who asked for what a second person approved, as histories keep it. */
export const evidenceOf = ({ approved }: Pick<By, 'approved'>) =>
  approved && {
    ...{ proposal: approved.proposal, proposed_by: approved.proposedBy },
    ...(approved.isSingleOperator && { single_operator: true }),
  }

/** A note on a case: an entry of the audit log, shown on the page of the row. */
export const addNote = <Row>(audit: string) =>
  act<Row>()({
    name: ['Add a note', 'Добавить заметку'],
    done: ['Note added.', 'Заметка добавлена.'],
    policy: work,
    audit,
    isPlain: true,
    fields: { note: { head: ['Note', 'Заметка'], is: 'lines', most: 500 } },
    run: async (_tx, { given }) => ({ after: { note: given.note } }),
  })

const notesShown = 100

export async function notesOf(db: Queryable, subject: string, audit: string): Promise<readonly Part[]> {
  const filter = { merchantId: null, personId: null, subject, before: null, limit: notesShown }
  const notes = (await listAudit(db, filter)).filter((entry) => entry.act === audit)
  if (notes.length === 0) return []
  const rows = notes.map((entry) => [
    time(entry.at),
    person(entry.actor),
    foreign((JSON.parse(entry.after) as { note: string }).note),
  ])
  return [
    {
      is: 'table',
      head: ['Notes', 'Заметки'],
      columns: [
        ['When', 'Когда'],
        ['Who', 'Кто'],
        ['Note', 'Заметка'],
      ],
      rows,
    },
  ]
}
