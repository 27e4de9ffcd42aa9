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
  #total: { credit: Cents | null; debit: Cents | null; amount: Cents | null } | undefined
  #counts: { credits: number | null; debits: number | null; entries: number | null } | undefined
  #opening: Cents | null = null
  #closing: Cents | null = null
  #isOpen = false

  constructor(columns: TableColumns) {
    this.#places =
      'amount' in columns ? { amount: columns.amount } : { credit: columns.credit, debit: columns.debit }
    this.#ofMoney = Object.values(this.#places)
  }

  /** Whether the footer has begun. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** True if the row belongs to the footer. The caller has checked that it has no date. */
  take(fields: readonly string[]): boolean {
    const cells = fields.map((field, place) => ({ text: plain(field), place })).filter(({ text }) => text)
    const label = cells[0]?.text ?? ''
    const kind = kinds.find(({ begins }) => begins.test(label))?.kind
    if (kind) {
      this.#isOpen = true
      this.#note(kind, label, fields)
      return true
    }
    if (!this.#isOpen && !cells.every(({ text }) => text === 'дебет' || text === 'кредит')) return false
    const credit = cells.find(({ text }) => text === 'кредит')?.place
    const debit = cells.find(({ text }) => text === 'дебет')?.place
    if (credit !== undefined && debit !== undefined) {
      this.#isOpen = true
      this.#places = { credit, debit }
      return true
    }
    // Signatures and page numbers follow the totals; a row with an amount is neither.
    return this.#isOpen && this.#ofMoney.every((place) => (fields[place] ?? '').trim() === '')
  }

  /** The figures that the footer states; null where it states none. */
  figures(
    rows: Tally,
    others: { net: Cents; hasBalances: boolean },
  ): Omit<Summary, 'account' | 'from' | 'to' | 'completeTo' | 'role'> {
    const { credit = null, debit = null, amount = null } = this.#total ?? {}
    const net = rows.credit.cents - rows.debit.cents
    const gross = rows.credit.cents + rows.debit.cents
    const all = {
      creditCents: credit,
      debitCents: debit,
      openingCents: this.#opening,
      closingCents: this.#closing,
      counts: rows.counts(this.#counts ?? {}),
    }
    if (amount === null) return all
    // The total of a single column of amounts may be net or gross, with or without rows that are not booked. Only a gross total
    // proves that nobody added a forged row together with its opposite.
    if (amount === gross) return { ...all, creditCents: rows.credit.cents, debitCents: rows.debit.cents }
    const isNet = amount === net || amount === net + others.net
    if (isNet && others.hasBalances) return all
    return { ...all, openingCents: 0n, closingCents: isNet ? net : amount }
  }

  get hasFigures(): boolean {
    return (
      this.#total !== undefined ||
      this.#counts !== undefined ||
      (this.#opening !== null && this.#closing !== null)
    )
  }

  #note(kind: Kind, label: string, fields: readonly string[]): void {
    const at = (place: number | undefined) => (place === undefined ? null : figureIn(fields[place]))
    const { credit, debit, amount } = this.#places
    const stated = { credit: at(credit), debit: at(debit), amount: at(amount) }
    const number = countIn(label)
    if (number !== null) this.#counts = { credits: null, debits: null, entries: number }
    if (kind === 'count') {
      const counts = { credits: wholeIn(stated.credit), debits: wholeIn(stated.debit), entries: number }
      if (Object.values(counts).some((count) => count !== null)) this.#counts = counts
    } else if (kind === 'total') {
      // The last total is that of the whole table: earlier ones are for a page or a day.
      if (Object.values(stated).some((cents) => cents !== null)) this.#total = stated
    } else {
      const balance =
        stated.credit !== null || stated.debit !== null
          ? (stated.credit ?? 0n) - (stated.debit ?? 0n)
          : (stated.amount ?? fields.map(figureIn).find((cents) => cents !== null) ?? null)
      if (kind === 'opening') this.#opening = balance
      else this.#closing = balance
    }
  }
}

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
export const figureIn = (text = ''): Cents | null =>
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
