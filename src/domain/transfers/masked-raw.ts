/**
 * The bank's own text of an entry, with the accounts of others masked. A payer's account is stored masked, so it must
 * not stand in full in the text beside it. Our own accounts stay. Pure.
 */
import { maskedAccount } from '../requisites/masked-account.ts'
import { bankTextBounds } from './bank-text/bounds.ts'

type RawRule = {
  payer: string
  isOurs?: (account: string) => boolean
}

export function maskedRaw(text: string, { payer, isOurs = () => false }: RawRule): string {
  const withoutPayer = isOurs(payer) ? text : maskPayer(text, payer)
  const masked = withoutPayer
    .replace(twentyDigits, (account) => (isOurs(account) ? account : maskedAccount(account)))
    .replace(maybeIban, (account) =>
      isOurs(account.toUpperCase()) || !isIban(account.toUpperCase()) ? account : maskedAccount(account),
    )
  // A text of full length was cut, perhaps inside an account number. A run of letters is looked at from its beginning only.
  return text.length < bankTextBounds.rawCharacters
    ? masked
    : masked.replace(/(?<![\dA-Z])[\dA-Z]{9,}$/i, (rest) => (isOurs(rest) ? rest : `${rest.slice(0, 4)}…`))
}

/** However its signs are grouped. */
function maskPayer(text: string, payer: string): string {
  const masked = maskedAccount(payer)
  if (masked === payer) return text
  const written = Array.from(payer, (sign) => RegExp.escape(sign)).join('[\\s\\p{Pd}]?')
  return text.replace(new RegExp(written, 'giu'), masked)
}

/** Russia, Uzbekistan, Tajikistan: twenty digits, of which the sixth to eighth are the currency. */
const twentyDigits =
  /(?<![\dA-Z])\d{5}(?:000|051|156|356|392|398|417|643|756|784|810|826|840|860|933|944|949|972|978)\d{12}(?![\dA-Z])/gi

const maybeIban = /(?<![\dA-Z])[A-Z]{2}\d{2}[\dA-Z]{11,30}(?![\dA-Z])/gi

/** ISO 13616: with the first four characters moved to the end and letters as numbers, it is 1 modulo 97. */
function isIban(account: string): boolean {
  let rest = 0
  for (const letter of account.slice(4) + account.slice(0, 4)) {
    for (const digit of String(Number.parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97
  }
  return rest === 1
}
