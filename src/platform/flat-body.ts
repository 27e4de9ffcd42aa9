// One strict parser for both encodings of a request body: bytes in, a flat map of texts out, with every
// problem of the body together. JSON.parse is not enough: it lets the last of two equal keys win, makes
// floats of amounts, and says nothing about which field is wrong.
// It must never throw, never turn a number into a float, and never repeat a value in a problem: bodies
// carry customers' data, problems are answered and logged.
import { isUtf8 } from 'node:buffer'

/** `text` of a number is its source text: `1e2` stays `1e2`, and the reader decides what it accepts. */
export type FlatValue = { text: string; kind: 'string' | 'number' }

type BodyProblem = {
  /** `#/cents`, or empty when the problem is the body's. */
  pointer: string
  code: 'malformed_body' | 'duplicate_field' | 'invalid_type' | 'control_character'
  detail: string
}

type FlatBody = { fields: Map<string, FlatValue>; problems: BodyProblem[] }

export const maxFields = 64
export const maxNesting = 20

/**
 * With any problem the body is refused whole. `fields` then still holds what could be read, so that the
 * caller can add problems of its own, such as unknown names, to the same answer.
 */
export function parseFlat(bytes: Uint8Array, encoding: 'json' | 'form', most: number = maxFields): FlatBody {
  const body = new Body(most)
  if (bytes.length === 0) body.malformed(`Expected ${expected[encoding]}, the body is empty.`)
  else if (!isUtf8(bytes)) body.malformed('The body is not valid UTF-8.')
  else {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    if (text.charCodeAt(0) === byteOrderMark) body.malformed('The body starts with a byte order mark.')
    else if (encoding === 'json') new JsonScanner(text, body).scan()
    else scanForm(text, body)
  }
  return { fields: body.fields, problems: body.problems }
}

/** A JSON pointer to a field whose name came from outside: short, printable, escaped (RFC 6901). */
export function pointerTo(name: string): string {
  return `#/${printable(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** A name from outside, fit to stand in a sentence or a log line. */
function printable(name: string): string {
  return name.slice(0, 64).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
}

const expected = { json: 'a JSON object', form: 'fields as name=value' } as const
const byteOrderMark = 0xfeff

/** What both scanners fill; the rules about names, repetition and characters live here, once. */
class Body {
  readonly fields = new Map<string, FlatValue>()
  readonly problems: BodyProblem[] = []
  // Names seen that did not make it into `fields`, so that their repetition is noticed too.
  #refused: Set<string> | undefined
  #count = 0
  readonly #most: number
  constructor(most: number) {
    this.#most = most
  }

  malformed(detail: string, pointer = ''): false {
    this.problems.push({ pointer, code: 'malformed_body', detail })
    return false
  }

  /** False when the bound on fields is passed and reading must stop. */
  field(name: string, value: FlatValue | undefined, dirty: boolean): boolean {
    if (++this.#count > this.#most) return this.malformed(`The body has more than ${this.#most} fields.`)
    if (this.fields.has(name) || this.#refused?.has(name)) {
      this.#refuse(name, 'duplicate_field', 'The field occurs more than once.')
    } else if (value === undefined) {
      this.#refuse(name, 'invalid_type', 'The value must be a string or a number.')
    } else if (dirty) {
      this.#refuse(name, 'control_character', 'Control characters and unpaired surrogates are not allowed.')
    } else {
      this.fields.set(name, value)
    }
    return true
  }

  #refuse(name: string, code: BodyProblem['code'], detail: string): void {
    const pointer = pointerTo(name)
    this.#refused ??= new Set()
    this.#refused.add(name)
    if (this.problems.some((problem) => problem.pointer === pointer && problem.code === code)) return
    this.problems.push({ pointer, code, detail })
  }
}

/**
 * RFC 8259, read character by character. Methods answer false after the first syntax error, which ends
 * the reading: what follows a syntax error has no reliable meaning. An unescaped control character in a
 * string is a syntax error too, but one that can be pinned to its field, so the reading goes on.
 */
class JsonScanner {
  readonly #text: string
  readonly #body: Body
  #at = 0
  // Results of the latest string: its value, and whether it holds what no value may hold.
  #string = ''
  #dirty = false

  constructor(text: string, body: Body) {
    this.#text = text
    this.#body = body
  }

  scan(): void {
    this.#space()
    if (this.#code() !== brace) return void this.#fail(expected.json)
    this.#at++
    if (!this.#members()) return
    this.#space()
    if (this.#at < this.#text.length) this.#fail('nothing after the object')
  }

  #members(): boolean {
    this.#space()
    if (this.#skip(braceEnd)) return true
    for (;;) {
      if (this.#code() !== quote) return this.#fail('a field name in double quotes')
      if (!this.#scanString()) return false
      const name = this.#string
      const dirtyName = this.#dirty
      if (!this.#colon()) return false
      const value = this.#value()
      if (value === false) return false
      if (!this.#body.field(name, value, dirtyName || (value?.kind === 'string' && this.#dirty))) return false
      this.#space()
      if (this.#skip(braceEnd)) return true
      if (!this.#skip(comma)) return this.#fail('"," or "}"')
      this.#space()
    }
  }

  /** A string or a number; undefined for a value of another type, already skipped; false for no value. */
  #value(): FlatValue | undefined | false {
    if (this.#code() === quote) return this.#scanString() && { text: this.#string, kind: 'string' }
    const from = this.#at
    if (isNumberStart(this.#code())) {
      return this.#scanNumber() && { text: this.#text.slice(from, this.#at), kind: 'number' }
    }
    return this.#skipValue(1) && undefined
  }

  #skipValue(depth: number): boolean {
    const code = this.#code()
    if (code === quote) return this.#scanString()
    if (isNumberStart(code)) return this.#scanNumber()
    if (code === brace || code === bracket) {
      if (depth > maxNesting) return this.#body.malformed(`The body is nested deeper than ${maxNesting}.`)
      return this.#skipNested(code === brace, depth)
    }
    for (const word of ['true', 'false', 'null']) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return true
      }
    }
    return this.#fail('a value')
  }

  #skipNested(isObject: boolean, depth: number): boolean {
    const end = isObject ? braceEnd : bracketEnd
    this.#at++
    this.#space()
    if (this.#skip(end)) return true
    for (;;) {
      if (isObject) {
        if (this.#code() !== quote) return this.#fail('a field name in double quotes')
        if (!this.#scanString() || !this.#colon()) return false
      }
      if (!this.#skipValue(depth + 1)) return false
      this.#space()
      if (this.#skip(end)) return true
      if (!this.#skip(comma)) return this.#fail(isObject ? '"," or "}"' : '"," or "]"')
      this.#space()
    }
  }

  #colon(): boolean {
    this.#space()
    if (!this.#skip(colon)) return this.#fail('":"')
    this.#space()
    return true
  }

  /** At the opening quote. Strings without escapes, nearly all of them, are one slice. */
  #scanString(): boolean {
    const text = this.#text
    let at = this.#at + 1
    let from = at
    let built = ''
    let escaped = false
    let dirty = false
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === quote) break
      if (code === backslash) {
        built += text.slice(from, at)
        this.#at = at + 1
        const char = this.#escape()
        if (char === false) return false
        escaped = true
        dirty ||= isControl(char.charCodeAt(0))
        built += char
        at = from = this.#at
      } else {
        if (at >= text.length) {
          this.#at = at
          return this.#fail('the end of a string')
        }
        if (isControl(code)) dirty = true
        at++
      }
    }
    const tail = text.slice(from, at)
    this.#string = escaped ? built + tail : tail
    // Decoded UTF-8 has no unpaired surrogate; only \u can make one.
    this.#dirty = dirty || (escaped && !this.#string.isWellFormed())
    this.#at = at + 1
    return true
  }

  /** After the backslash. A surrogate pair is two escapes and becomes whole by concatenation. */
  #escape(): string | false {
    const code = this.#code()
    const simple = escapes.get(code)
    if (simple !== undefined) {
      this.#at++
      return simple
    }
    if (code !== letterU) return this.#fail('an escape that JSON knows')
    this.#at++
    let unit = 0
    for (let digits = 0; digits < 4; digits++) {
      const value = hexValue(this.#code())
      if (value < 0) return this.#fail('four hexadecimal digits')
      unit = unit * 16 + value
      this.#at++
    }
    return String.fromCharCode(unit)
  }

  #scanNumber(): boolean {
    this.#skip(minus)
    if (this.#skip(zero)) {
      if (isDigit(this.#code())) return this.#fail('no digit after a leading zero')
    } else if (!this.#digits()) return false
    if (this.#skip(dot) && !this.#digits()) return false
    if (this.#skip(letterE) || this.#skip(capitalE)) {
      if (!this.#skip(plus)) this.#skip(minus)
      return this.#digits()
    }
    return true
  }

  #digits(): boolean {
    if (!isDigit(this.#code())) return this.#fail('a digit')
    while (isDigit(this.#code())) this.#at++
    return true
  }

  /** NaN at the end of the text, which equals no character. */
  #code(): number {
    return this.#text.charCodeAt(this.#at)
  }

  #skip(code: number): boolean {
    if (this.#code() !== code) return false
    this.#at++
    return true
  }

  #space(): void {
    for (;;) {
      const code = this.#code()
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #fail(what: string): false {
    const place = this.#at < this.#text.length ? `at character ${this.#at + 1}` : 'where the body ends'
    return this.#body.malformed(`Expected ${what} ${place}.`)
  }
}

/** `application/x-www-form-urlencoded` as the URL standard reads it, but nothing is repaired. */
function scanForm(text: string, body: Body): void {
  let from = 0
  while (from < text.length) {
    const ampersand = text.indexOf('&', from)
    const end = ampersand < 0 ? text.length : ampersand
    if (end > from) {
      const equals = text.indexOf('=', from)
      const nameEnd = equals < 0 || equals > end ? end : equals
      const name = decodeComponent(text.slice(from, nameEnd))
      if (name === undefined) return void body.malformed(`${badEscape} in a name at character ${from + 1}.`)
      const value = decodeComponent(text.slice(nameEnd + 1, end))
      if (value === undefined) return void body.malformed(`${badEscape}.`, pointerTo(name))
      const dirty = hasControl(name) || hasControl(value)
      if (!body.field(name, { text: value, kind: 'string' }, dirty)) return
    }
    from = end + 1
  }
}

const badEscape = '"%" must be followed by two hexadecimal digits that make valid UTF-8'

/** Undefined for a broken escape or bytes that are no UTF-8: decodeURIComponent is strict about both. */
function decodeComponent(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isControl(text.charCodeAt(at))) return true
  return false
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}

function isDigit(code: number): boolean {
  return code >= zero && code <= 0x39
}

function isNumberStart(code: number): boolean {
  return code === minus || isDigit(code)
}

function hexValue(code: number): number {
  if (isDigit(code)) return code - zero
  const letter = code | 0x20 // Lower case.
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const colon = 0x3a
const capitalE = 0x45
const bracket = 0x5b
const backslash = 0x5c
const bracketEnd = 0x5d
const letterE = 0x65
const letterU = 0x75
const brace = 0x7b
const braceEnd = 0x7d
const escapes = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [pair.charCodeAt(0), pair.slice(1)]),
)
