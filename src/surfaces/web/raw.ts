/**
 * Markup: text that is known to be HTML. This file is the only entrance for markup that the `html` tag did not
 * check, so besides the tag itself exactly three files may import it: `web/icons.ts` (QR and icons),
 * `web/page.ts` (inlined CSS) and `bill/bill.ts`. An architecture test holds the list. What enters here must be
 * our own constant text, or made of checked numbers; never anything that a merchant or a customer wrote.
 */

/** Known by its private field, not by its shape: nothing that was parsed from JSON can pass for it. */
class CheckedMarkup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  static has(value: unknown): value is CheckedMarkup {
    return typeof value === 'object' && value !== null && #text in value
  }

  static read(markup: CheckedMarkup): string {
    return markup.#text
  }

  /** Joined to a string by accident, markup would be escaped twice or, worse, travel on as plain text. */
  toString(): never {
    throw new Error('markup becomes text through render() only')
  }
}

export type Markup = CheckedMarkup

export const raw = (text: string): Markup => new CheckedMarkup(text)

export const isMarkup = CheckedMarkup.has

export const markupText = CheckedMarkup.read
