/**
 * The footer of a bank's table: totals, numbers of operations, balances, signatures. These are neither payments
 * nor bad rows; the totals are compared with the rows. A row with a date is always a payment.
 */

import type { Cents } from '../../money.ts'
import type { Summary } from '../entry.ts'
import type { Tally } from '../tally.ts'
import { amountOf } from './amount.ts'
import type { TableColumns } from './csv-mapping.ts'

export class Footer {
  readonly #ofMoney: number[]
  /** The columns of the amounts. A footer may have its own columns for credits and debits. */
  #places: { credit?: number; debit?: number; amount?: number }
  #total: Figures = { credit: null, debit: null, amount: null }
  #counts: { credits?: number | null; debits?: number | null; entries?: number | null } = {}
  #opening: Cents | null = null
  #closing: Cents | null = null
  #isOpen = false

  constructor(columns: TableColumns) {
    this.#places =
      'amount' in columns ? { amount: columns.amount } : { credit: columns.credit, debit: columns.debit }
    this.#ofMoney = Object.values(this.#places)
  }

  /** True if the row belongs to the footer. The caller has checked that it has no date. */
  take(fields: readonly string[]): boolean {
    const texts = fields.map(plain)
    const [label = '', ...others] = texts.filter((text) => text !== '')
    const kind = kinds.find(({ begins }) => begins.test(label))?.kind
    const [credit, debit] = [texts.indexOf('кредит'), texts.indexOf('дебет')]
    const areNames = credit !== -1 && debit !== -1
    if (kind) this.#note(kind, label, fields)
    else if (areNames && (this.#isOpen || others.length === 1)) this.#places = { credit, debit }
    // Signatures and page numbers follow the totals; a row with an amount is neither.
    else return this.#isOpen && this.#ofMoney.every((place) => (texts[place] ?? '') === '')
    this.#isOpen = true
    return true
  }

  /**
   * The figures that the footer states; null where it states none. The total of a single column of amounts may be gross or
   * net. Only a gross one proves that nobody added a forged row together with its opposite.
   */
  figures(
    rows: Tally,
  ): Pick<Summary, 'creditCents' | 'debitCents' | 'openingCents' | 'closingCents' | 'counts'> {
    const { credit, debit, amount } = this.#total
    const isGross = amount === rows.credit.cents + rows.debit.cents
    const isNet = amount !== null && !isGross
    return {
      creditCents: isGross ? rows.credit.cents : credit,
      debitCents: isGross ? rows.debit.cents : debit,
      openingCents: isNet ? 0n : this.#opening,
      closingCents: isNet ? amount : this.#closing,
      counts: rows.counts(this.#counts),
    }
  }

  #note(kind: Kind, label: string, fields: readonly string[]): void {
    const at = (place: number | undefined) => (place === undefined ? null : figureIn(fields[place]))
    const { credit, debit, amount } = this.#places
    const stated = { credit: at(credit), debit: at(debit), amount: at(amount) }
    const isEmpty = Object.values(stated).every((cents) => cents === null)
    const entries = countIn(label)
    if (entries !== null) this.#counts = { entries }
    if (kind === 'count' && !isEmpty)
      this.#counts = { credits: wholeIn(stated.credit), debits: wholeIn(stated.debit), entries }
    // The last total is that of the whole table: earlier ones are for a page or a day.
    if (kind === 'total' && !isEmpty) this.#total = stated
    if (kind !== 'opening' && kind !== 'closing') return
    const balance =
      stated.credit === null && stated.debit === null
        ? (stated.amount ?? fields.map(figureIn).find((cents) => cents !== null) ?? null)
        : (stated.credit ?? 0n) - (stated.debit ?? 0n)
    if (kind === 'opening') this.#opening = balance
    else this.#closing = balance
  }
}

type Figures = { credit: Cents | null; debit: Cents | null; amount: Cents | null }
type Kind = 'total' | 'count' | 'opening' | 'closing'

const kinds: readonly { kind: Kind; begins: RegExp }[] = [
  { kind: 'count', begins: /^(?:количество|кол-во|число) (?:операций|документов|записей)/ },
  { kind: 'opening', begins: /^(?:входящий остаток|остаток на начало|кіріс қалдық|opening balance)/ },
  { kind: 'closing', begins: /^(?:исходящий остаток|остаток на конец|шығыс қалдық|closing balance)/ },
  { kind: 'total', begins: /^(?:итог|всего|обороты|total|jami|жами|барлығы)(?![\p{L}]{6})/u },
]

/** Words, labels and figures are shorter. Each of a million rows of a workbook may share one text of 64 KB. */
const mostCharacters = 500

/** Normalizes a text for comparisons. A text that is too long is no known word, but may begin with a label. */
export function plain(text = ''): string {
  const start = text.trimStart()
  const compared = start.length > mostCharacters ? `${start.slice(0, mostCharacters)}…` : start
  return compared.toLowerCase().replaceAll('ё', 'е').replace(/\s+/g, ' ').replace(/^"|"$/g, '').trim()
}

/** Without a currency sign after it. The length of the sign is limited, because the pattern would otherwise be quadratic. */
const figureIn = (text = ''): Cents | null =>
  text.length > mostCharacters ? null : (amountOf(text.replace(/\s?[^\d\s.,+-]{1,20}\.?$/u, '')) ?? null)

const wholeIn = (cents: Cents | null): number | null =>
  cents !== null && cents >= 0n && cents % 100n === 0n ? Number(cents / 100n) : null

/** `Итого 12 операций`, `Количество операций: 12`. */
function countIn(label: string): number | null {
  const found =
    /(\d{1,9})\s*(?:операц|запис|строк|документ|плат[её]ж|entries|rows|payments|transactions)/.exec(label) ??
    /(?:операций|документов|записей|entries|rows)\s*[:=]\s*(\d{1,9})$/.exec(label)
  return found ? Number(found[1]) : null
}
