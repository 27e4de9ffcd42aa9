/**
 * The lines of one document of a 1C statement, while they are read. The purpose is the payer's text and may run over
 * several lines, so a line of it can look like a key of the bank's: what decides about money, and who paid, may stand only once.
 */
import { statementBounds } from './bounds.ts'
import { knownKeys } from './one-c-keys.ts'

export class OneCDocument {
  readonly line: number
  /** The key that was written twice with two values, of those that decide about money or name the payer. */
  contradicted: string | undefined
  /** Characters so far. */
  size = 0
  raw = ''
  readonly #fields = new Map<string, string>()
  /** Place 0 is the whole purpose, 1 to 6 are its lines. */
  readonly #purposes: string[][] = [[], [], [], [], [], [], []]
  /** Where a line goes that has no key. */
  #open: string[] | undefined

  constructor(line: number) {
    this.line = line
  }

  keep(text: string): void {
    this.size += text.length + 1
    // A little more than is kept in the end, so that a card number at the edge is still seen whole.
    if (this.raw.length <= statementBounds.rawCharacters + 100) this.raw += this.raw ? `\n${text}` : text
  }

  take(text: string, key: string, value: string): void {
    this.keep(text)
    const isField = knownKeys.has(key) ? text.includes('=') : oneWord.test(text)
    if (!isField) {
      this.#open?.push(text.trim())
      return
    }
    const purpose = purposeKey.exec(key)
    this.#open = purpose ? this.#purposes[Number(purpose[1] ?? 0)]! : undefined
    if (this.#open) this.#open.push(value)
    else this.#set(key, value)
  }

  #set(key: string, value: string): void {
    if (value === '') return
    const before = this.#fields.get(key)
    if (before === undefined) this.#fields.set(key, value)
    else if (before !== value && decisive.test(key)) this.contradicted ??= key
  }

  /** The value of the first of the keys that has one. */
  get(...keys: string[]): string {
    return this.all(...keys)[0] ?? ''
  }

  all(...keys: string[]): string[] {
    return keys.map((key) => this.#fields.get(key)).filter((value) => value !== undefined)
  }

  get purposeParts(): string[] {
    const [whole = [], ...lines] = this.#purposes.map((parts) => parts.filter((part) => part !== ''))
    return whole.length > 0 ? whole : lines.flat()
  }
}

const purposeKey = /^назначениеплатежа([1-6])?$/
const oneWord = /^\s*[\p{L}\p{N}_]+=/u
const decisive =
  /^(?:сумма|дата|валюта$|номер|(?:плательщик|получатель)(?:счет|расчсчет|иик)$|плательщик(?:1|наименование|инн|бин_иин)?$)/
