/**
 * The `html` tag: templates whose holes are escaped for the place they are in.
 *
 * The static parts are ours and are read once per template by a strict scanner: it knows where every hole stands,
 * and refuses what we never write (inline scripts, `on*`, `style`, unquoted values, frames) so that the places
 * left over are few and each has one rule. The value of a hole may come from anyone.
 *
 * It must never print a value into a place it does not understand, never guess what a value was meant to be, and
 * never put a value into an error text. Every change needs a second reader.
 */
import { type AddressRule, addressProblem } from '../../domain/deposits/address.ts'
import { isMarkup, type Markup, markupText, raw } from './raw.ts'

export type { Markup }

/** What a hole takes. `false`, `null` and `undefined` print nothing; `true` and objects are mistakes. */
export type Value =
  | string
  | number
  | bigint
  | Markup
  | Flag
  | AcceptedAddress
  | false
  | null
  | undefined
  | readonly Value[]

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const holes = analysed.get(strings) ?? analyse(strings)
  let at = 0
  try {
    if (values.length !== holes.length) throw new Misuse('the number of values is not that of the holes')
    let text = strings[0]!
    for (; at < holes.length; at++) text += printed(holes[at]!, values[at]) + strings[at + 1]!
    return raw(text)
  } catch (error) {
    if (error instanceof Misuse)
      throw new Error(`html: ${error.message}; hole ${at + 1} of ${nameOf(strings)}`)
    throw error
  }
}

/** The text of a finished page. */
export const render = (markup: Markup): string => markupText(markup)

const flagNames = [
  'autofocus',
  'checked',
  'disabled',
  'hidden',
  'multiple',
  'novalidate',
  'open',
  'readonly',
  'required',
  'selected',
] as const
type FlagName = (typeof flagNames)[number]

/** A boolean attribute, there or not: `<input type="radio" ${flag('checked', isChosen)}>`. */
export function flag(name: FlagName, on: boolean): Flag {
  if (!flagNames.includes(name) || typeof on !== 'boolean')
    throw new Error('html: this is no boolean attribute')
  return new Flag(on ? name : '')
}

/** An address of a merchant under the very rule by which the API accepted it: only so may a link be http. */
export function acceptedAddress(address: string, rule: AddressRule): AcceptedAddress {
  if (addressProblem(address, rule)) throw new Error('html: this address is not one that the API accepts')
  return new AcceptedAddress(address)
}

class Flag {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  static read(value: unknown): string | undefined {
    return typeof value === 'object' && value !== null && #text in value ? value.#text : undefined
  }
}

class AcceptedAddress {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  static read(value: unknown): string | undefined {
    return typeof value === 'object' && value !== null && #text in value ? value.#text : undefined
  }
}

export type { AcceptedAddress }

/** A template or a value that cannot be printed. Its text is ours alone. */
class Misuse extends Error {}

type Hole =
  | { place: 'text' | 'plain' | 'attribute' | 'paint' | 'flag' }
  /** `suffix` is the static text up to the next hole or the end of the value. */
  | { place: 'address'; suffix: string }
  | { place: 'segment'; inPath: boolean }

const analysed = new WeakMap<TemplateStringsArray, readonly Hole[]>()

// ── Printing a value ────────────────────────────────────────────────────────────────────────────────────────

function printed(hole: Hole, value: Value): string {
  switch (hole.place) {
    case 'text':
      return textOf(value, true)
    case 'plain':
    case 'attribute':
      return textOf(value, false)
    case 'paint':
      return paintOf(value)
    case 'address':
      return addressOf(value, hole.suffix)
    case 'segment':
      return segmentOf(value, hole.inPath)
    case 'flag': {
      const name = Flag.read(value)
      if (name === undefined) throw new Misuse('inside a tag only flag() may stand')
      return name
    }
  }
}

function textOf(value: Value, takesMarkup: boolean): string {
  const text = scalar(value)
  if (text !== undefined) return escaped(text)
  if (Array.isArray(value)) return value.map((item) => textOf(item, takesMarkup)).join('')
  if (isMarkup(value)) {
    if (takesMarkup) return markupText(value)
    throw new Misuse('markup cannot stand here, only text')
  }
  throw new Misuse('this kind of value cannot be printed')
}

/** `fill` and its like read `url(…)`: a colour, a keyword or a reference of our own is all we ever need. */
function paintOf(value: Value): string {
  const text = textOf(value, false)
  if (/^[#\w\s.,%-]*$/.test(text)) return text
  throw new Misuse('a paint attribute takes a colour or a keyword')
}

function addressOf(value: Value, suffix: string): string {
  const accepted = AcceptedAddress.read(value)
  if (accepted === undefined && typeof value !== 'string') throw new Misuse('an address must be a string')
  const address = accepted ?? (value as string)
  for (const text of [address, address + suffix]) {
    const problem = linkProblem(text, accepted !== undefined)
    if (problem) throw new Misuse(problem)
  }
  return escaped(address)
}

function segmentOf(value: Value, inPath: boolean): string {
  const text = scalar(value)
  if (text === undefined) throw new Misuse('a part of an address must be text or a number')
  // Dots alone would climb to another folder, and a browser reads %2e as a dot too; with nothing between its
  // slashes, `/${nothing}/shop.example` is another host.
  if (inPath && /^\.{0,2}$/.test(text)) {
    throw new Misuse('a part of a path must not be empty or dots alone')
  }
  return escaped(encodeURIComponent(mended(text)))
}

function scalar(value: Value): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value)
  return value === false || value === null || value === undefined ? '' : undefined
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  // Nearly every text is plain, and a look is cheaper than three passes.
  unplain.test(text) ? mended(text).replace(/[&<>"']/g, (character) => entities[character]!) : text

/** Whatever `escaped` or `mended` could change. */
const unplain = /[&<>"'\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/

/** Tab and line breaks stay. The last two code points are no characters, and XML forbids them. */
const mended = (text: string): string =>
  text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g, '\ufffd')

/** What is wrong with a whole address, as a sentence without the address. */
function linkProblem(text: string, isAccepted: boolean): string | undefined {
  // Browsers drop tabs and line breaks inside an address and read a backslash as a slash.
  if (
    /[\0-\x20\x7f-\x9f\\]/.test(text.slice(0, 1)) ||
    /[\0-\x1f\x7f-\x9f\\]/.test(text) ||
    !text.isWellFormed()
  ) {
    return 'an address must be free of controls, backslashes and leading space'
  }
  if (/^(?:\/(?!\/)|[?#]|mailto:|tel:)/i.test(text)) return undefined
  const isWeb = isAccepted ? /^https?:\/\/[^\s/?#@]/i : /^https:\/\/[^\s/?#@]/i
  if (isWeb.test(text) && !/^[a-z]+:\/\/[^/?#]*@/i.test(text) && URL.canParse(text)) return undefined
  return 'an address must begin with https://, one slash, ?, #, mailto: or tel:'
}

// ── Reading a template ──────────────────────────────────────────────────────────────────────────────────────

const refusedElements = new Set(
  [
    'base iframe frame frameset object embed applet portal fencedframe', // another document, or its base
    'xmp plaintext noembed noframes noscript style', // their content is not read as HTML
    'foreignobject animate animatecolor animatemotion animatetransform set', // SVG: HTML inside; href by animation
  ]
    .join(' ')
    .split(' '),
)

/** Their content is text to the end tag; markup inside would be shown as it is written. */
const plainElements = new Set(['title', 'textarea'])

const refusedAttributes = /^(?:on.*|style|srcdoc|http-equiv)$/
const holelessAttributes =
  /^(?:srcset|imagesrcset|ping|attributionsrc|xmlns(?::.*)?|xml:base|codebase|classid|archive|manifest|profile)$/
const linkAttributes = new Set(
  'href src action formaction poster cite background data longdesc dynsrc lowsrc xlink:href'.split(' '),
)
const paintAttributes =
  /^(?:fill|stroke|filter|mask|clip-path|cursor|marker|marker-start|marker-mid|marker-end|color-profile)$/

type Tag = { element: string; attributes: Set<string> }
type State =
  | { in: 'text' }
  | { in: 'plain'; element: string }
  /** Between attributes. `spaced`: a name may begin here. */
  | { in: 'tag'; tag: Tag; spaced: boolean }
  /** Inside double quotes. `before`: the static text of the value so far. */
  | {
      in: 'value'
      tag: Tag
      attribute: string
      before: string
      holes: number
      address?: Hole & { place: 'address' }
    }

function analyse(strings: TemplateStringsArray): readonly Hole[] {
  // Only the language itself makes such an array: a parsed one could smuggle "static" parts in.
  if (!Object.isFrozen(strings) || !Object.isFrozen(strings.raw))
    throw new Error('html: use it as a template tag')
  const holes: Hole[] = []
  const scanner = new Scanner()
  strings.forEach((part, index) => {
    try {
      scanner.read(part, index === 0)
      if (index < strings.length - 1) holes.push(scanner.hole())
      else scanner.end()
    } catch (error) {
      if (!(error instanceof Misuse)) throw error
      throw new Error(
        `html: ${error.message}; part ${index + 1}, character ${scanner.at + 1} of ${nameOf(strings)}`,
      )
    }
  })
  analysed.set(strings, holes)
  return holes
}

/** A template is named by how it begins. Its static text is ours and may be shown. */
const nameOf = (strings: TemplateStringsArray): string => {
  const text = strings.join('{…}').replace(/\s+/g, ' ')
  return `\`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\``
}

class Scanner {
  at = 0
  #part = ''
  #state: State = { in: 'text' }

  read(part: string | undefined, isFirst: boolean): void {
    this.at = 0
    if (part === undefined) throw new Misuse('an escape sequence is malformed')
    this.#part = part
    if (isFirst) this.#take(/<!doctype html>/iy)
    while (this.at < this.#part.length) {
      if (this.#state.in === 'text') this.#text()
      else if (this.#state.in === 'plain') this.#plain(this.#state.element)
      else if (this.#state.in === 'tag') this.#tag(this.#state)
      else this.#value(this.#state)
    }
  }

  /** The hole that follows the part just read. */
  hole(): Hole {
    const state = this.#state
    // `&#${n};` would spell any character, past every check of the value.
    if (state.in !== 'tag' && /&#?[0-9a-z]*$/i.test(this.#part))
      throw new Misuse('a character reference is open')
    switch (state.in) {
      case 'text':
      case 'plain':
        return { place: state.in }
      case 'tag':
        if (!state.spaced) throw new Misuse('a hole in a tag stands between spaces')
        this.#state = { ...state, spaced: false }
        return { place: 'flag' }
      case 'value':
        return this.#valueHole(state)
    }
  }

  end(): void {
    if (this.#state.in === 'text') return
    throw new Misuse(
      `a template must end in text, here a ${this.#state.in === 'plain' ? 'title or textarea' : 'tag'} is open`,
    )
  }

  #text(): void {
    const open = this.#part.indexOf('<', this.at)
    this.at = open < 0 ? this.#part.length : open
    if (open < 0) return
    if (this.#part.startsWith('<!--', this.at)) this.#comment()
    else if (this.#part.startsWith('</', this.at)) this.#closingTag()
    else this.#openingTag()
  }

  #closingTag(): void {
    const closing = this.#take(/<\/([a-z][a-z0-9-]*)[ \t\r\n]*>/iy)
    if (!closing) throw new Misuse('an end tag must be whole, without a hole')
    const element = closing[1]!.toLowerCase()
    this.#refuseElement(element)
    // The end of a script was read together with its beginning.
    if (element === 'script' || plainElements.has(element))
      throw new Misuse(`this ${element} was never begun`)
  }

  #openingTag(): void {
    const opening = this.#take(/<([a-z][a-z0-9-]*)(?=[ \t\r\n/>])/iy)
    if (!opening) throw new Misuse('"<" must begin a whole tag name or comment; as a character it is &lt;')
    const element = opening[1]!.toLowerCase()
    this.#refuseElement(element)
    this.#state = { in: 'tag', tag: { element, attributes: new Set() }, spaced: false }
  }

  #refuseElement(element: string): void {
    if (refusedElements.has(element)) throw new Misuse(`the element ${element} is not used here`)
  }

  #comment(): void {
    const end = this.#part.indexOf('--', this.at + 4)
    const content = this.#part.slice(this.at + 4, end)
    if (end < 0 || this.#part[end + 2] !== '>' || /^-?>/.test(content)) {
      throw new Misuse('a comment must be whole, without a hole and without "--"')
    }
    this.at = end + 3
  }

  #plain(element: string): void {
    const open = this.#part.indexOf('<', this.at)
    this.at = open < 0 ? this.#part.length : open
    if (open < 0) return
    const closing = this.#take(/<\/([a-z]+)[ \t\r\n]*>/iy)
    if (!closing || closing[1]!.toLowerCase() !== element)
      throw new Misuse(`${element} takes text, never markup`)
    this.#state = { in: 'text' }
  }

  #tag(state: State & { in: 'tag' }): void {
    const { tag } = state
    if (this.#take(/[ \t\r\n]+/y)) {
      this.#state = { ...state, spaced: true }
      return
    }
    const end = this.#take(/\/?>/y)
    if (end) {
      this.#endTag(tag, end[0] === '/>')
      return
    }
    const name = this.#take(/[a-z][a-z0-9-]*(?::[a-z]+)?(?=[ \t\r\n=/>])/iy)
    if (!name || !state.spaced)
      throw new Misuse('here only a space, an attribute or the end of the tag may stand')
    const attribute = name[0].toLowerCase()
    if (refusedAttributes.test(attribute)) throw new Misuse(`the attribute ${attribute} is not used here`)
    if (tag.attributes.has(attribute)) throw new Misuse(`the attribute ${attribute} stands twice`)
    tag.attributes.add(attribute)
    if (!this.#take(/[ \t\r\n]*=[ \t\r\n]*/y)) {
      this.#state = { in: 'tag', tag, spaced: false }
    } else if (this.#take(/"/y)) {
      this.#state = { in: 'value', tag, attribute, before: '', holes: 0 }
    } else {
      throw new Misuse('a value stands in double quotes')
    }
  }

  #endTag({ element, attributes }: Tag, isClosed: boolean): void {
    this.#state = { in: 'text' }
    if (element === 'script') {
      const isEmpty = !isClosed && this.#take(/<\/script>/iy)
      if (!attributes.has('src') || !isEmpty) throw new Misuse('a script has a src and no content')
    } else if (plainElements.has(element)) {
      if (isClosed) throw new Misuse(`${element} needs an end tag`)
      this.#state = { in: 'plain', element }
    }
  }

  #value(state: State & { in: 'value' }): void {
    const quote = this.#part.indexOf('"', this.at)
    const end = quote < 0 ? this.#part.length : quote
    const text = this.#part.slice(this.at, end)
    this.at = end
    if (text.includes('<')) throw new Misuse('"<" in a value is &lt;')
    const isLink = linkAttributes.has(state.attribute)
    if (isLink && /&(?!amp;)/.test(text)) throw new Misuse('"&" in an address is &amp;')
    const read = text.replaceAll('&amp;', '&')
    if (state.address && state.holes === 1) state.address.suffix += read
    state.before += read
    if (quote < 0) return
    this.at++
    const problem = isLink && state.holes === 0 && linkProblem(state.before, false)
    if (problem) throw new Misuse(problem)
    this.#state = { in: 'tag', tag: state.tag, spaced: false }
  }

  #valueHole(state: State & { in: 'value' }): Hole {
    const { attribute, before, holes, address } = state
    const { element } = state.tag
    const isLink = linkAttributes.has(attribute)
    if (holelessAttributes.test(attribute)) throw new Misuse(`the attribute ${attribute} takes no hole`)
    if (element === 'meta' && attribute !== 'content') throw new Misuse('in meta only content takes a hole')
    // What they load acts on the page, so their address is ours to its last part.
    if ((element === 'script' || element === 'link') && !(isLink && /^\/(?!\/)/.test(before) && !address)) {
      throw new Misuse(`${element} takes a hole only as a part of an address that begins with one slash`)
    }
    state.holes++
    if (!isLink) return { place: paintAttributes.test(attribute) ? 'paint' : 'attribute' }
    if (holes === 0 && before === '') {
      state.address = { place: 'address', suffix: '' }
      return state.address
    }
    // An address may not be finished by a value before its host is: `https://pay.${name}` belongs to anybody.
    const hostIsDone = address
      ? /[/?#]/.test(before)
      : /^(?:\/(?![/\\])|[?#]|mailto:|tel:|https:\/\/[^\s/?#@\\]+[/?#])/i.test(before)
    if (!hostIsDone) throw new Misuse('a hole must not stand inside the scheme or the host of an address')
    return { place: 'segment', inPath: !/[?#]/.test(before) }
  }

  /** Matches at the present place (sticky) and moves past what matched. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.#part)
    if (match) this.at = pattern.lastIndex
    return match
  }
}
