/** Choices and facts that several sections use. */
import { listAudit } from '../domain/audit/store.ts'
import { type TypeNames, typeWords } from '../domain/catalogue/payment-type.ts'
import type { Mode } from '../domain/merchants/merchant.ts'
import { listMerchants } from '../domain/merchants/store.ts'
import { Message, type MessageCode } from '../domain/messages/message.ts'
import { type Currency, currencies } from '../domain/money.ts'
import { listAccountNames } from '../domain/requisites/listed-store.ts'
import { maskedNumber } from '../domain/requisites/requisite.ts'
import type { DecidedTransfer, TransferAct } from '../domain/transfers/decide-transfer.ts'
import type { LockedTransfer } from '../domain/transfers/store.ts'
import type { Queryable } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { foreign, person, time } from './cells.ts'
import { act, choices } from './declare.ts'
import { table } from './parts.ts'
import { work } from './roles.ts'
import { type Acted, type By, both, type Choice, type Context, type Part, type Two } from './section.ts'

export const modeChoices = choices<Mode>({ live: ['Live', 'Боевой'], test: ['Test', 'Тестовый'] })

export const currencyChoices = currencies.map((value): Choice<Currency> => ({ value, words: both(value) }))

/** Receiving accounts, by their labels; test accounts say that they are. */
export async function accountChoices(db: Queryable, mode: Mode | null = null): Promise<Choice[]> {
  const accounts = await listAccountNames(db, { mode })
  return accounts.map(({ id, label, currency, number, mode }) => {
    const name = [label, currency, number && maskedNumber(number)].filter(Boolean).join(' · ')
    return { value: id, words: mode === 'test' ? [`${name} (test)`, `${name} (тест)`] : both(name) }
  })
}

const merchantsOffered = 500

async function merchantChoices({ db }: Context): Promise<Choice[]> {
  const merchants = await listMerchants(db, { after: null, limit: merchantsOffered })
  return merchants.map(({ id, name }) => ({ value: id, words: both(name) }))
}

export const modeFilter = { is: 'choice', of: modeChoices } as const
export const currencyFilter = { is: 'choice', of: currencyChoices } as const
export const merchantFilter = { is: 'choice', of: merchantChoices, isId: true } as const
export const accountFilter = {
  is: 'choice',
  of: ({ db }: Context) => accountChoices(db),
  isId: true,
} as const
export const search = (...hint: Two) => ({ is: 'search', hint }) as const

export const nameField = { head: ['Name', 'Название'], is: 'text', most: 100 } as const
/** What holds for one merchant only. */
export const merchantField = {
  head: ['Only for merchant (ID)', 'Только для мерчанта (ID)'],
  hint: ['Empty means all merchants.', 'Пусто — для всех мерчантов.'],
  is: 'id',
  isOptional: true,
  isFolded: true,
} as const

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

/** Runs a verb that writes no audit entry of its own, and answers what it would have written about. */
export async function noted<Done>(
  verb: (hooks: { audit: (done: Done) => null }) => Promise<unknown>,
): Promise<Done> {
  let noted: Done | undefined
  const audit = (done: Done) => {
    noted = done
    return null
  }
  await verb({ audit })
  return noted!
}

/** Runs a decision about a transfer, and says for the audit log what it was before and is after. */
export async function decided(
  decide: (hooks: NonNullable<TransferAct['hooks']>) => Promise<unknown>,
): Promise<Acted> {
  const { before, transfer } = await noted<DecidedTransfer>(decide)
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
  return [
    table(['Notes', 'Заметки'], notes, [
      [['When', 'Когда'], ({ at }) => time(at)],
      [['Who', 'Кто'], ({ actor }) => person(actor)],
      [['Note', 'Заметка'], ({ after }) => foreign((JSON.parse(after) as { note: string }).note)],
    ]),
  ]
}
