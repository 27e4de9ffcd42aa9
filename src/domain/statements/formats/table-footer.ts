/**
 * The footer of a bank's table: totals, balances, signatures. These are neither payments nor bad rows; the totals are
 * compared with the rows. A row with a date is always a payment.
 */

import type { Cents } from '../../money.ts'
import type { Summary } from '../entry.ts'
import type { Tally } from '../totals.ts'
import { amountOf } from './amount.ts'
import type { TableColumns } from './csv-mapping.ts'

type Figures = Pick<Summary, 'creditCents' | 'debitCents' | 'openingCents' | 'closingCents'>

export class Footer {
  readonly #columns: TableColumns
  /** In the columns of the amounts: of credits and debits, or one of both. */
  #totals: (Cents | null)[] = []
  #isOpen = false

  constructor(columns: TableColumns) {
    this.#columns = columns
  }

  /** True if the row belongs to the footer. The caller has checked that it has no date. */
  take(fields: readonly string[]): boolean {
    const columns = this.#columns
    const places = 'amount' in columns ? [columns.amount] : [columns.credit, columns.debit]
    const label = fields.map(plain).find((text) => text !== '') ?? ''
    const totals = places.map((place) => figureIn(fields[place]))
    // The last total is that of the whole table: earlier ones are for a page or a day.
    if (total.test(label) && totals.some((cents) => cents !== null)) this.#totals = totals
    // Signatures and page numbers follow the totals; a row with an amount is neither.
    else if (!total.test(label) && !other.test(label))
      return this.#isOpen && places.every((place) => plain(fields[place]) === '')
    this.#isOpen = true
    return true
  }

  /**
   * The figures that the footer states; null where it states none. The total of a single column of amounts may be gross or
   * net. Only a gross one proves that nobody added a forged row together with its opposite.
   */
  figures({ credit, debit }: Tally): Figures {
    const [first = null, second = null] = this.#totals
    const figures = { creditCents: first, debitCents: second, openingCents: null, closingCents: null }
    if (first === null || !('amount' in this.#columns)) return figures
    return first === credit.cents + debit.cents
      ? { ...figures, creditCents: credit.cents, debitCents: debit.cents }
      : { creditCents: null, debitCents: null, openingCents: 0n, closingCents: first }
  }
}

const total = /^(?:итог|всего|обороты|total|jami|жами|барлығы)(?![\p{L}]{6})/u
const other =
  /^(?:(?:количество|кол-во|число) (?:операций|документов|записей)|(?:входящий|исходящий) остаток|остаток на|(?:кіріс|шығыс) қалдық|(?:opening|closing) balance)/

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
