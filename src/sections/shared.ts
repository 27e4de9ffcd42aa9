/** Choices and facts that several sections use. */
import type { Mode } from '../domain/merchants/merchant.ts'
import { Message, type MessageCode } from '../domain/messages/message.ts'
import { currencies } from '../domain/money.ts'
import { listAccountNames } from '../domain/requisites/listed-store.ts'
import { maskedNumber } from '../domain/requisites/requisite.ts'
import type { DecidedTransfer, TransferAct } from '../domain/transfers/decide-transfer.ts'
import type { LockedTransfer } from '../domain/transfers/store.ts'
import type { Queryable } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { type Acted, both, type Choice } from './section.ts'

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
