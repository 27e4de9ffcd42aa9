/**
 * The lines of one document of a 1C statement, while they are read. The purpose is the payer's text and may run over several
 * lines, so a line of it can look like a key of the bank's: what decides about money, and who paid, may have one value only,
 * under whichever of its keys.
 */
import { knownKeys } from './one-c-keys.ts'

export class OneCDocument {
  readonly line: number
  /** The key that contradicts another one of the same meaning. */
  contradicted: string | undefined
  size = 0
  readonly #fields = new Map<string, string>()
  readonly #whole: string[] = []
  /** The purpose again, in up to six keys. */
  readonly #lines: string[] = []
  /** The purpose that further lines belong to. */
  #open: string[] | undefined

  constructor(line: number) {
    this.line = line
  }

  take(text: string, key: string, value: string): void {
    this.size += text.length + 1
    const purpose = text.includes('=') ? purposeKey.exec(key) : null
    if (purpose) {
      this.#open = purpose[1] ? this.#lines : this.#whole
      this.#open.push(value)
    } else if (knownKeys.has(key) && text.includes('=')) this.#set(key, value)
    else if (!shortField.test(text)) this.#open?.push(text.trim())
  }

  #set(key: string, value: string): void {
    const before = this.get(key)
    if (before === '') this.#fields.set(key, value)
    else if (value !== '' && before !== value && decisive.test(key)) this.contradicted ??= key
  }

  get(...keys: string[]): string {
    return keys.map((key) => this.#fields.get(key)).find(Boolean) ?? ''
  }

  /** Banks repeat the whole purpose in its lines. Lines that say something else may be the payer's, and are read too. */
  get purposeParts(): string[] {
    const [whole, lines] = [this.#whole, this.#lines].map((parts) => parts.filter((part) => part !== ''))
    return withoutSpaces(whole!).includes(withoutSpaces(lines!)) ? whole! : [...whole!, ...lines!]
  }
}

const withoutSpaces = (parts: string[]): string => parts.join('').replace(/\s/g, '')

const purposeKey = /^назначениеплатежа([1-6])?$/i

/** An unknown key with a value that is too short to name a deposit: `Очередность=5`. Other lines belong to the purpose. */
const shortField = /^\s*\p{L}{3}[\p{L}_]*\d?=\s*[0-9a-zа-яё./-]{0,7}\s*$/iu

const decisive =
  /^(?:сумма|дата|валюта$|номер|(?:плательщик|получатель)(?:счет|расчсчет)$|плательщик(?:1|инн)?$)/i
