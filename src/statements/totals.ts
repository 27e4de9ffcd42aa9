/**
 * What a file says it holds, against what it holds: sums, numbers of entries, balances, of each account over all its
 * days. A difference may mean rows that are missing, or a row too many: a purpose can be written to look like one.
 */
import { type Cents, decimal } from '../money.ts'
import type { Count, Entry, Summary } from './entry.ts'

export class Totals {
  readonly #isOwn: (account: string) => boolean
  readonly #books = new Map<string, Book>()

  constructor(isOwn: (account: string) => boolean) {
    this.#isOwn = isOwn
  }

  told({ account, creditCents, debitCents, openingCents, closingCents, counts }: Summary): void {
    const book = this.#book(account)
    book.isTold = true
    book.toldCredit = sum(book.toldCredit, creditCents)
    book.toldDebit = sum(book.toldDebit, debitCents)
    book.toldChange = sum(book.toldChange, sum(closingCents, openingCents && -openingCents))
    for (const { of, told, least, most } of counts) {
      const before = book.counts.get(of) ?? { told: 0, least: 0, most: 0 }
      const all = { told: before.told + told, least: before.least + least, most: before.most + most }
      book.counts.set(of, { of, ...all })
    }
  }

  seen({ account, direction, cents, isInternal, payer }: Entry): void {
    const book = this.#book(account)
    book[direction] += cents
    if (isInternal && direction === 'credit' && this.#isOwn(payer.account))
      book.fromOwn.set(payer.account, (book.fromOwn.get(payer.account) ?? 0n) + cents)
  }

  /** One sentence per difference. Rows that are bad or not booked yet may be all that is missing. */
  differences({ badRows, pending }: { badRows: number; pending: number }): string[] {
    return [...this.#books].flatMap(([account, book]) => {
      if (!book.isTold) return []
      const { toldCredit, toldDebit, toldChange, credit, debit } = book
      const [came, went] = this.#movedBetween(account, book)
      const differs = (told: Cents | null, { least, most }: { least: Cents; most: Cents }): boolean =>
        told !== null && (told < least || (told > most && badRows + pending === 0))

      const sentences: string[] = []
      if (differs(toldCredit, { least: credit - came, most: credit }))
        sentences.push(`the file says ${money(toldCredit!)} came in, its rows add up to ${money(credit)}.`)
      if (differs(toldDebit, { least: debit, most: debit + went }))
        sentences.push(`the file says ${money(toldDebit!)} went out, its rows add up to ${money(debit)}.`)
      for (const { of, told, least, most } of book.counts.values())
        if (told < least || told > most)
          sentences.push(
            `the file says it has ${told} ${of}, and ${least === most ? least : `${least} to ${most}`} are in it.`,
          )
      // Balances are of what is booked. Where totals are told they are believed here: the rows have been compared.
      const areRowsSure = badRows === 0 && came === 0n && went === 0n
      const moved = (told: Cents | null, rows: Cents): Cents | null =>
        told !== null && pending === 0 ? told : areRowsSure ? rows : null
      const [movedIn, movedOut] = [moved(toldCredit, credit), moved(toldDebit, debit)]
      if (toldChange !== null && movedIn !== null && movedOut !== null && movedIn - movedOut !== toldChange)
        sentences.push(
          `its balances change by ${money(toldChange)}, but what came in less what went out is ${money(movedIn - movedOut)}.`,
        )
      return sentences.map((sentence) => `Account …${account.slice(-4)}: ${sentence}`)
    })
  }

  /**
   * What moved between this account and others of ours in the same file. Some banks write such a document once, some
   * once for either side, and it reads as a credit: so it may be all too many there, and missing among the debits.
   */
  #movedBetween(account: string, { fromOwn }: Book): [came: Cents, went: Cents] {
    const others = [...this.#books].filter(([other, { isTold }]) => isTold && other !== account)
    return [
      others.reduce((all, [other]) => all + (fromOwn.get(other) ?? 0n), 0n),
      others.reduce((all, [, other]) => all + (other.fromOwn.get(account) ?? 0n), 0n),
    ]
  }

  #book(account: string): Book {
    const book = this.#books.get(account) ?? newBook()
    this.#books.set(account, book)
    return book
  }
}

/** What was told is null where a summary does not say. */
type Book = {
  isTold: boolean
  toldCredit: Cents | null
  toldDebit: Cents | null
  toldChange: Cents | null
  counts: Map<Count['of'], Count>
  credit: Cents
  debit: Cents
  /** Of the credits, what came from each other account of ours. */
  fromOwn: Map<string, Cents>
}

const newBook = (): Book => ({
  isTold: false,
  toldCredit: 0n,
  toldDebit: 0n,
  toldChange: 0n,
  counts: new Map(),
  credit: 0n,
  debit: 0n,
  fromOwn: new Map(),
})

const sum = (left: Cents | null, right: Cents | null): Cents | null =>
  left === null || right === null ? null : left + right

const money = (cents: Cents): string => (cents < 0n ? `-${decimal(-cents)}` : decimal(cents))
