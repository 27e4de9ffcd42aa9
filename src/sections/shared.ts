/** Choices and facts that several sections use. */
import { listAudit } from '../domain/audit/store.ts'
import { type TypeNames, typeWords } from '../domain/catalogue/payment-type.ts'
import type { Mode } from '../domain/merchants/merchant.ts'
import { listMerchants } from '../domain/merchants/store.ts'
import { Message, type MessageCode, message } from '../domain/messages/message.ts'
import { type Cents, type Currency, currencies, typedCents } from '../domain/money.ts'
import { changedLimits, isLooser, type LimitValues } from '../domain/requisites/limits.ts'
import { listAccountNames } from '../domain/requisites/listed-store.ts'
import { maskedNumber } from '../domain/requisites/requisite.ts'
import type { DecidedTransfer } from '../domain/transfers/decide-transfer.ts'
import type { Transfer } from '../domain/transfers/transfer.ts'
import type { Db, Queryable } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { foreign, person, time } from './cells.ts'
import { act, choices } from './declare.ts'
import { table } from './parts.ts'
import { dangerous, work } from './roles.ts'
import {
  type Act,
  type Acted,
  type By,
  both,
  type Choice,
  type Context,
  type Fields,
  type Given,
  type Part,
  type Two,
} from './section.ts'

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

/** Says of a decision about a transfer for the audit log what it was before and is after. */
export async function decided(decision: Promise<DecidedTransfer>): Promise<Acted> {
  const { before, transfer } = await decision
  return { subject: `transfer:${transfer.id}`, before: partsOf(before), after: partsOf(transfer) }
}

const partsOf = ({ state, shares, depositCents, refundCents, openCents }: Transfer) => ({
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

/** A stop takes effect at once, and wins over anybody who turns on at the same moment. */
export const stopAct = <Row>(one: Pick<Act<Row>, 'name' | 'effect' | 'from' | 'isOffered' | 'run'>) =>
  act<Row>()({
    ...one,
    done: ['Stopped.', 'Остановлено.'],
    policy: work,
    audit: 'emergency_stop',
    kind: 'danger',
    isPlain: true,
  })

/** Turns on what receives money. */
export const turnOnAct = <Row>(isOn: (row: Row) => boolean, turnOn: (db: Db, row: Row) => Promise<unknown>) =>
  act<Row>()({
    name: ['Turn on', 'Включить'],
    effect: ['A second person approves turning it on.', 'Включение согласует второй сотрудник.'],
    policy: dangerous,
    audit: 'requisite_on',
    from: (row) => !isOn(row),
    second: () => true,
    run: async (_tx, { row, context }) => {
      await turnOn(context.db, row)
      return { before: { enabled: false }, after: { enabled: true } }
    },
  })

/** What stands empty is no limit. Of a new thing there is no value yet. */
export const centsLimit = <Row>(head: Two, of?: (row: Row) => Cents | null) =>
  ({
    head,
    is: 'cents',
    least: 1n,
    isOptional: true,
    ...(of && { value: (row: Row) => typedOr(of(row), typedCents) }),
  }) as const
export const countLimit = <Row>(head: Two, most: number, of?: (row: Row) => number | null) =>
  ({
    head,
    is: 'count',
    least: 1,
    most,
    isOptional: true,
    ...(of && { value: (row: Row) => typedOr(of(row), String) }),
  }) as const
const typedOr = <Value>(value: Value | null, typed: (value: Value) => string): string =>
  value === null ? '' : typed(value)

/** Limits of what receives money: a change that lets more through waits for a second person, as a whole. */
export const limitsAct = <
  Row extends { currency: Currency },
  const F extends Fields<Row>,
  Limits extends LimitValues,
>({
  now,
  wanted,
  check,
  save,
  ...one
}: Pick<Act<Row>, 'effect' | 'done' | 'audit'> & {
  fields: F
  now: (row: Row) => Limits
  wanted: (given: Given<F>) => Limits
  check?: (wanted: Limits) => Promise<void>
  save: (db: Db, row: Row, wanted: Limits) => Promise<unknown>
}) =>
  act<Row>()({
    ...one,
    name: ['Change limits', 'Изменить лимиты'],
    policy: dangerous,
    second: async (_tx, { row, given }) => {
      await check?.(wanted(given))
      return isLooser(now(row), wanted(given))
    },
    seen: ({ currency }) => ({ currency }),
    run: async (_tx, { row, given, context }) => {
      const changed = changedLimits(now(row), wanted(given))
      if (changed.isUnchanged) throw new Refusal('state_conflict', { detail: message('limits_unchanged') })
      await save(context.db, row, wanted(given))
      return changed
    },
  })
