/**
 * How banks of each country write who pays: tax ids, and the accounts and names of banks and payment agents. A payer may
 * be of another country than the account that receives, so a payer is compared with all of them. Pure.
 */
import { type Currency, currencies } from '../money.ts'
import type { Payment } from './transfer.ts'

type PayerShapes = {
  /** The words before a tax id in a text, and how many digits it has. */
  taxId: { words: readonly string[]; digits: readonly number[] }
  /** How accounts begin through which money of anybody passes; null where the numbers do not show it. */
  bankAccount: RegExp | null
  /**
   * Names of those whose name has no word for a bank, where the name is nobody else's. Short names may have the kind of a
   * bank alone, such as АКБ or ATB. КБ can also be a design bureau and АБ a law firm: a person then decides.
   */
  bankNames: readonly string[]
}

const payerShapes: Record<Currency, PayerShapes> = {
  RUB: {
    taxId: { words: ['INN', 'ИНН'], digits: [10, 12] },
    // Correspondent and transit accounts, those of transfers without an account of the payer, and those of payment agents
    // (40821, which a mask does not tell from 40820).
    bankAccount: /^(?:(?:30[1-3]|409|474)[0-9]|4082)/,
    bankNames: [
      ...['р?нко', 'втб', 'vtb', 'убрир', 'юнистрим', 'юмани', 'yoomoney', 'qiwi', 'киви', 'почта россии'],
      // Two letters alone may be the initials of a person.
      ...['[ка]б(?=\\s*["«“„])', '(?:[поз]?ао|ооо)\\s*["«“„]?[ка]б'],
    ],
  },
  KZT: {
    taxId: { words: ['BIN', 'БИН', 'IIN', 'ИИН'], digits: [12] },
    // Each bank numbers its IBANs as it likes.
    bankAccount: null,
    bankNames: ['kaspi', 'каспи', 'казпочта', 'қазпошта', 'жссбк?', 'wooppay'],
  },
  UZS: {
    taxId: { words: ['INN', 'ИНН', 'STIR'], digits: [9, 14] },
    bankAccount: null,
    bankNames: ['[чо]?акб', 'акиб', 'атб', 'x?atb', '(?:ch)?akb', 'payme', 'click', 'paynet', 'uzum'],
  },
  TJS: {
    taxId: { words: ['INN', 'ИНН', 'РМА'], digits: [9] },
    bankAccount: null,
    // They take deposits.
    bankNames: ['мдо', 'тақх'],
  },
}

const all = currencies.map((currency) => payerShapes[currency])

/** Zeros are how banks fill in a tax id that they do not know. */
export const taxIdOf = ({ payerTaxId }: Pick<Payment, 'payerTaxId'>): string =>
  /^0*$/.test(payerTaxId) ? '' : payerTaxId

/** Banks and payment agents send the money of all their customers, under an account and a tax id of their own. */
export const isBank = ({ payerAccount, payerName }: Pick<Payment, 'payerAccount' | 'payerName'>): boolean =>
  all.some(({ bankAccount }) => bankAccount?.test(payerAccount)) ||
  bankName.test(payerName.normalize('NFC').toLowerCase())

const bankName = new RegExp(
  `б[ао]нк|b[ao]nk|(?<!\\p{L})(?:${all.flatMap(({ bankNames }) => bankNames).join('|')})(?!\\p{L})`,
  'u',
)

/** A whole text that may be a tax id. */
export const isTaxId = (text: string): boolean =>
  /^\d+$/.test(text) && all.some(({ taxId }) => taxId.digits.includes(text.length))

const listOf = (choices: readonly (string | number)[]): string => [...new Set(choices)].join('|')
const words = listOf(all.flatMap(({ taxId }) => taxId.words))
const lengths = listOf(all.flatMap(({ taxId }) => taxId.digits)).replace(/\d+/g, '\\d{$&}')
const namedTaxId = new RegExp(
  `(?<![\\p{L}\\p{N}])'?(?:${words})'?[\\s:.№]*(${lengths})(?!\\d)(?:[\\s,.;:\\\\/]*(?:KPP|КПП)[\\s:.]*\\d{9}(?!\\d))?[\\s,.;:\\\\/]*`,
  'iu',
)

/** Separates the tax id from the name: `INN 7700000009 OOO ROMAQKA`, as Russian and Kazakh banks write a party. */
export function splitTaxId(text: string): { name: string; taxId: string } {
  const found = namedTaxId.exec(text)
  if (!found) return { name: text, taxId: '' }
  const name = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  return { name: name.replace(/\s+/g, ' ').trim(), taxId: found[1]! }
}
