/**
 * The lines of one document of a 1C statement, while they are read. The purpose is the payer's text and may run over
 * several lines, so a line of it can look like a key of the bank's. What decides about money, and who paid, may therefore have
 * one value only, under whichever of its keys; and what follows the purpose is the payer's word, unless the bank has said
 * the same before it.
 */
import { statementBounds } from './bounds.ts'
import { knownKeys } from './one-c-keys.ts'

export class OneCDocument {
  readonly line: number
  /** The key that contradicts another one of the same meaning, of those that decide about money or name the payer. */
  contradicted: string | undefined
  /** Characters so far. */
  size = 0
  raw = ''
  /** The values before the purpose: only the bank can have written them. */
  readonly #fields = new Map<string, string>()
  /** The values after the beginning of the purpose. */
  readonly #later = new Map<string, string>()
  /** Place 0 is the whole purpose, 1 to 6 are its lines. */
  readonly #purposes: string[][] = [[], [], [], [], [], [], []]
  /** The text that gets the lines of the purpose, once it has begun. */
  #open: string[] | undefined
  /** Short fields after the purpose: the bank's, unless more of the text follows. */
  #ending: string[] = []

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
    const purpose = isField ? purposeKey.exec(key) : null
    if (purpose) {
      this.#continue()
      this.#open = this.#purposes[Number(purpose[1] ?? 0)]!
      this.#open.push(value)
      return
    }
    if (isField) this.#set(key, value)
    if (!this.#open) return
    this.#ending.push(text.trim())
    if (!isField || !endingField.test(text)) this.#continue()
  }

  /** The lines that looked like the bank's last fields turn out to be the payer's text. */
  #continue(): void {
    this.#open?.push(...this.#ending)
    this.#ending = []
  }

  #set(key: string, value: string): void {
    if (value === '') return
    const before = this.anywhere(key)
    if (before === '') (this.#open ? this.#later : this.#fields).set(key, value)
    else if (before !== value && decisive.test(key)) this.contradicted ??= key
  }

  /** The value of the first of the keys that has one before the purpose. */
  get(...keys: string[]): string {
    return this.all(...keys)[0] ?? ''
  }

  all(...keys: string[]): string[] {
    return keys.map((key) => this.#fields.get(key)).filter((value) => value !== undefined)
  }

  /** The values that stand only after the purpose. */
  later(...keys: string[]): string[] {
    return keys.map((key) => this.#later.get(key)).filter((value) => value !== undefined)
  }

  /** Before or after the purpose: of fields that the bank always writes, so that another value from the payer contradicts it. */
  anywhere(key: string): string {
    return this.#fields.get(key) ?? this.#later.get(key) ?? ''
  }

  /** Banks repeat the whole purpose in its lines. Lines that say something else may be the payer's, and are read too. */
  get purposeParts(): string[] {
    const [whole = [], ...rest] = this.#purposes.map((parts) => parts.filter((part) => part !== ''))
    const lines = rest.flat()
    return withoutSpaces(whole).includes(withoutSpaces(lines)) ? whole : [...whole, ...lines]
  }
}

const withoutSpaces = (parts: string[]): string => parts.join('').replace(/\s/g, '')

const purposeKey = /^назначениеплатежа([1-6])?$/i
const oneWord = /^\s*[\p{L}\p{N}_]+=/u

/** A word and a value that is too short to name a deposit: `Очередность=5`. */
const endingField = /^\s*\p{L}{3}[\p{L}_]*\d?=\s*[0-9a-zа-яё./-]{0,7}\s*$/iu

const decisive =
  /^(?:сумма|дата|валюта$|номер|(?:плательщик|получатель)(?:счет|расчсчет)$|плательщик(?:1|инн)?$)/i
