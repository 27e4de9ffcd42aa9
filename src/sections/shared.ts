/** Choices and facts that several sections use. */
import { isDefaultName, type TypeNames } from '../domain/catalogue/payment-type.ts'
import { currencies } from '../domain/money.ts'
import type { DecidedTransfer, TransferAct } from '../domain/transfers/decide-transfer.ts'
import type { LockedTransfer } from '../domain/transfers/store.ts'
import { type Acted, both, type Choice, type Two } from './section.ts'

export const modeChoices: readonly Choice[] = [
  { value: 'live', words: ['Live', 'Боевой'] },
  { value: 'test', words: ['Test', 'Тестовый'] },
]

export const currencyChoices: readonly Choice[] = currencies.map((value) => ({ value, words: both(value) }))

const builtInMethods: Readonly<Record<string, Two>> = {
  any_bank: ['Card, any bank', 'Карта любого банка'],
  sbp: ['Transfer by phone number (SBP)', 'СБП по номеру телефона'],
  bankx: ['Card, Bank X', 'Карта Bank X'],
  account_number: ['Bank account', 'Банковский счёт'],
  uzs_select: ['Customer’s choice', 'Выбор покупателя'],
}

/** A payment type as staff reads it: the built-in ones in both languages, until an operator renames them. */
export function methodWords(names: TypeNames, code: string): Two {
  const name = names.get(code) ?? code
  return (isDefaultName(code, name) && builtInMethods[code]) || both(name)
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
