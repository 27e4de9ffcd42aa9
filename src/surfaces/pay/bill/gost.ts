/**
 * The QR payload of Russian bills, GOST R 56042-2014: it fills in the transfer form of a bank's app. It binds
 * nobody, reports nothing and can be paid twice or after the deadline, so it is shown only while money is awaited.
 *
 * What cannot be written exactly is not written at all: a code that pays somebody else, or less, is worse than
 * none. Nothing is cut and nothing is escaped, because readers of these codes know no escaping.
 */
import type { Deposit } from '../../../domain/deposits/deposit.ts'
import type { Cents } from '../../../domain/money.ts'
import { isBankOfRussiaUnit } from '../../../domain/requisites/russian-account.ts'

/** For a deposit on a Russian account; undefined where there is none, or where it does not fit the standard. */
export function gostPayload(
  { shown, currency }: Pick<Deposit, 'shown' | 'currency'>,
  dueCents: Cents,
): Uint8Array | undefined {
  if (shown?.kind !== 'account_ru' || currency !== 'RUB' || dueCents <= 0n) return undefined
  const { bic = '', corr_account, tax_id, kpp, payment_reason } = shown
  // Units of the Bank of Russia have no correspondent account and write 0; any other bank's must be known.
  const corrAccount = corr_account ?? (isBankOfRussiaUnit(bic) ? '0' : undefined)
  if (!corrAccount || !payment_reason) return undefined
  return gostBytes([
    ['Name', shown.name],
    ['PersonalAcc', shown.number],
    ['BankName', shown.bank_name],
    ['BIC', bic],
    ['CorrespAcc', corrAccount],
    ...(tax_id ? ([['PayeeINN', tax_id]] as const) : []),
    ...(kpp ? ([['KPP', kpp]] as const) : []),
    ['Sum', dueCents.toString()],
    ['Purpose', payment_reason],
  ])
}

/** `ST0001`, 2 for UTF-8, the separator, then the pairs. Lengths are counted in characters. */
export function gostBytes(pairs: readonly (readonly [key: string, value: string])[]): Uint8Array | undefined {
  const tidy = pairs.map(([key, value]) => [key, value.trim()] as const)
  const fits = tidy.every(([key, value]) => (shapes[key] ?? anyValue).test(value) && !/\p{C}/u.test(value))
  const separator = [...separators].find((separator) => tidy.every(([, value]) => !value.includes(separator)))
  if (!fits || !separator) return undefined
  const text = ['ST00012', ...tidy.map(([key, value]) => `${key}=${value}`)].join(separator)
  return new TextEncoder().encode(text)
}

/** In this order, by the standard; the first that stands in no value. */
const separators = '|~_#$^&*/`@%'

const anyValue = /^.{1,500}$/u

const shapes: Record<string, RegExp> = {
  Name: /^.{1,160}$/u,
  PersonalAcc: /^\d{20}$/,
  BankName: /^.{1,45}$/u,
  BIC: /^\d{9}$/,
  CorrespAcc: /^\d{1,20}$/,
  PayeeINN: /^\d{1,12}$/,
  KPP: /^[\dA-Z]{1,9}$/,
  Sum: /^\d{1,18}$/,
  Purpose: /^.{1,210}$/u,
}
