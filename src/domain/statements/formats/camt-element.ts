/** An element of a camt message with what stands in it, read by paths. Entries and their transactions are not kept in it. */
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'

export class Element {
  readonly name: string
  readonly line: number
  readonly parent: Element | undefined
  readonly currency: string
  /** How much of the message was kept before it. */
  readonly before: number
  /** Of a statement or an entry: a bank's file of one line says nothing with its line. */
  at = ''
  content = ''
  readonly #children: Element[] = []

  constructor(name = '', { line = 0, parent, currency = '', before = 0 }: Place = {}) {
    this.name = name
    this.line = line
    this.parent = parent
    this.currency = currency
    this.before = before
  }

  /** `NOTPROVIDED` is ISO 20022's empty value. */
  close(): void {
    const content = withoutControls(this.content.trim())
    this.content = content === 'NOTPROVIDED' ? '' : content
  }

  add(child: Element): void {
    this.#children.push(child)
  }

  all(path: string): Element[] {
    let found: Element[] = [this]
    for (const step of path.split('/'))
      found = found.flatMap((element) => element.#children.filter(({ name }) => name === step))
    return found
  }

  one(path: string): Element {
    return this.all(path)[0] ?? none
  }

  /** The first that has a text, by the version of the message or the bank's habit. */
  first(...paths: readonly string[]): Element {
    for (const path of paths) for (const element of this.all(path)) if (element.content !== '') return element
    return none
  }

  text(...paths: readonly string[]): string {
    return this.first(...paths).content
  }

  /** Its account: `PrtryAcct` and `BBAN` are those of version .01. */
  get account(): string {
    return normalizeAccountNumber(this.text('Id/IBAN', 'Id/Othr/Id', 'Id/PrtryAcct/Id', 'Id/BBAN'))
  }

  get isTrue(): boolean {
    return this.content === 'true' || this.content === '1'
  }
}

const none = new Element()

type Place = Partial<Pick<Element, 'line' | 'parent' | 'currency' | 'before'>>
