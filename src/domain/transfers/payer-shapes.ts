/**
 * How banks of each country write who pays: tax ids, and the accounts and names of banks and payment agents. A payer may
 * be of another country than the account that receives, so a payer is compared with all of them. Pure.
 */
import type { Payment } from './transfer.ts'

/** The words before a tax id in a text, and how many digits it has. */
const taxIdWords = 'INN|ИНН|BIN|БИН|IIN|ИИН|STIR|РМА'
const taxIdDigits = '\\d{9}|\\d{10}|\\d{12}|\\d{14}'

/**
 * Russian accounts through which money of anybody passes: correspondent and transit accounts, those of transfers without an
 * account of the payer, and those of payment agents (40821, which a mask does not tell from 40820). The numbers of other
 * countries do not show it: there each bank numbers as it likes.
 */
const bankAccount = /^(?:(?:30[1-3]|409|474)[0-9]|4082)/

/**
 * Names of those whose name has no word for a bank, where the name is nobody else's. Short names may have the kind of a
 * bank alone, such as АКБ or ATB. КБ can also be a design bureau and АБ a law firm: a person then decides.
 */
const bankNames = [
  ...['р?нко', 'втб', 'vtb', 'убрир', 'юнистрим', 'юмани', 'yoomoney', 'qiwi', 'киви', 'почта россии'],
  // Two letters alone may be the initials of a person.
  ...['[ка]б(?=\\s*["«“„])', '(?:[поз]?ао|ооо)\\s*["«“„]?[ка]б'],
  ...['kaspi', 'каспи', 'казпочта', 'қазпошта', 'жссбк?', 'wooppay'],
  ...['[чо]?акб', 'акиб', 'атб', 'x?atb', '(?:ch)?akb', 'payme', 'click', 'paynet', 'uzum'],
  // In Tajikistan they take deposits.
  ...['мдо', 'тақх'],
]

/** Zeros are how banks fill in a tax id that they do not know. */
export const taxIdOf = ({ payerTaxId }: Pick<Payment, 'payerTaxId'>): string =>
  /^0*$/.test(payerTaxId) ? '' : payerTaxId

/** Banks and payment agents send the money of all their customers, under an account and a tax id of their own. */
export const isBank = ({ payerAccount, payerName }: Pick<Payment, 'payerAccount' | 'payerName'>): boolean =>
  bankAccount.test(payerAccount) || bankName.test(payerName.normalize('NFC').toLowerCase())

const bankName = new RegExp(`б[ао]нк|b[ao]nk|(?<!\\p{L})(?:${bankNames.join('|')})(?!\\p{L})`, 'u')

const namedTaxId = new RegExp(
  `(?<![\\p{L}\\p{N}])'?(?:${taxIdWords})'?[\\s:.№]*(${taxIdDigits})(?!\\d)(?:[\\s,.;:\\\\/]*(?:KPP|КПП)[\\s:.]*\\d{9}(?!\\d))?[\\s,.;:\\\\/]*`,
  'iu',
)

/** Separates the tax id from the name: `INN 7700000009 OOO ROMAQKA`, as Russian and Kazakh banks write a party. */
export function splitTaxId(text: string): { name: string; taxId: string } {
  const found = namedTaxId.exec(text)
  if (!found) return { name: text, taxId: '' }
  const name = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  return { name: name.replace(/\s+/g, ' ').trim(), taxId: found[1]! }
}
