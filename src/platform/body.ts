/**
 * The one strict reader of bodies: bytes in, a flat map of texts or nested JSON out. JSON.parse knows the syntax, and lets pass
 * what must not: of two equal names it keeps the last, where a proxy or a person reads the first, and it makes floats of
 * amounts. So a name that stands twice in one object, however it is escaped, refuses the body whole, and a number keeps its
 * text. No problem repeats a value: bodies carry customers' data, problems are answered and logged.
 */
import { isUtf8 } from 'node:buffer'
import { bounds } from './bounds.ts'
import { Refusal } from './refusals.ts'

const details = {
  malformed_body: 'It holds "%" without two hexadecimal digits that make valid UTF-8.',
  duplicate_field: 'The field occurs more than once.',
  invalid_type: 'The value must be a string or a number.',
  control_character: 'Control characters and unpaired surrogates are not allowed.',
}
type ProblemCode = keyof typeof details

/** The fields of a body. With any problem it is refused whole; what could be read then lets the caller add problems of its own. */
class FlatBody {
  readonly fields = new Map<string, string>()
  /** Fields that were numbers. Their value is the source text: `1e2` stays `1e2`, and the reader decides what it accepts. */
  readonly numbers = new Set<string>()
  /** `pointer`: `#/cents`, or empty when the problem is the body's. */
  readonly problems: { pointer: string; code: ProblemCode; detail: string }[] = []

  refuse(code: ProblemCode, pointer: string, detail = details[code]): void {
    if (!this.problems.some((problem) => problem.pointer === pointer && problem.code === code))
      this.problems.push({ pointer, code, detail })
  }
}

/** `takesLines`: the fields of a page's form may hold tabs and line breaks. Never throws. */
export function parseFlat(
  bytes: Uint8Array,
  encoding: 'json' | 'form',
  { most = bounds.fields, takesLines = false }: { most?: number; takesLines?: boolean } = {},
): FlatBody {
  const flat = new FlatBody()
  const text = textOf(bytes)
  if (typeof text !== 'string') return refusedWhole(text)
  const read = encoding === 'json' ? readFlatJson(text, flat) : readForm(text, flat)
  if (typeof read !== 'number') return refusedWhole(read)
  if (read > most) return refusedWhole({ problem: `The body has more than ${most} fields.` })
  // Nearly every body holds nothing that could be, or become, a control character.
  if (/[\\%\u0000-\u001f\u007f-\u009f]/.test(text)) refuseControls(flat, takesLines ? noText : noLine)
  return flat
}

function refusedWhole({ problem }: { problem: string }): FlatBody {
  const flat = new FlatBody()
  flat.refuse('malformed_body', '', problem)
  return flat
}

/** Characters that no value may hold: controls and unpaired surrogates, and for a line also tabs and line breaks. */
const noLine = /[\p{Cc}\p{Cs}]/u
const noText = /[^\P{Cc}\t\r\n]|\p{Cs}/u

function refuseControls(flat: FlatBody, controls: RegExp): void {
  for (const [name, value] of flat.fields) {
    if (!controls.test(name) && !controls.test(value)) continue
    flat.refuse('control_character', pointerTo(name))
    flat.fields.delete(name)
  }
}

/** Returns how many fields the body has. */
function readFlatJson(text: string, flat: FlatBody): number | { problem: string } {
  const read = readWritten(text) ?? readJson(text)
  if ('problem' in read) return read
  const { value, numbers, repeated } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'The body is not a JSON object.' }
  for (const pointer of repeated) flat.refuse('duplicate_field', pointer)
  const fields = Object.entries(value)
  for (const [name, field] of fields) {
    if (typeof field === 'string') flat.fields.set(name, field)
    else if (typeof field === 'number') {
      flat.fields.set(name, numbers.get(name) ?? String(field))
      flat.numbers.add(name)
    } else flat.refuse('invalid_type', pointerTo(name))
  }
  return fields.length
}

/** Most bodies are as JSON.stringify writes them: then each name stands once, and each number is the text of its value. */
function readWritten(text: string): (Scanned & { value: object }) | undefined {
  try {
    const value = JSON.parse(text)
    if (JSON.stringify(value) !== text) return undefined
    for (const name in value) if (typeof value[name] === 'object') return undefined
    return typeof value === 'object' ? { value, repeated: [], numbers: new Map() } : undefined
  } catch {
    return undefined
  }
}

/** As the URL standard reads it, but nothing is repaired. Returns how many fields the body has. */
function readForm(text: string, flat: FlatBody): number {
  const pieces = text.split('&').filter((piece) => piece !== '')
  const names = new Set<string>()
  for (const piece of pieces) {
    const end = piece.includes('=') ? piece.indexOf('=') : piece.length
    const written = piece.slice(0, end)
    const [read, value] = [decoded(written), decoded(piece.slice(end + 1))]
    const name = read ?? written
    if (names.has(name)) flat.refuse('duplicate_field', pointerTo(name))
    else if (read === undefined || value === undefined) flat.refuse('malformed_body', pointerTo(name))
    else flat.fields.set(name, value)
    names.add(name)
  }
  return pieces.length
}

/** Nested JSON from outside. */
export function parseJson(bytes: Uint8Array, reviver?: Reviver): unknown {
  const text = textOf(bytes)
  const read = typeof text === 'string' ? readJson(text, reviver) : text
  if ('problem' in read) throw new Refusal('malformed_body', { detail: read.problem })
  const { value, repeated } = read
  if (repeated.length === 0) return value
  const detail = details.duplicate_field
  throw new Refusal('duplicate_field', {
    detail: `${repeated[0]}: ${detail} Nothing was taken.`,
    errors: repeated.map((pointer) => ({ pointer, code: 'duplicate_field', detail })),
  })
}

/** A JSON pointer to a field whose name came from outside: short, printable, escaped (RFC 6901). */
export function pointerTo(name: string): string {
  const printable = name.slice(0, 64).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
  return `#/${printable.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function textOf(bytes: Uint8Array): string | { problem: string } {
  if (bytes.length === 0) return { problem: 'The body is empty.' }
  if (!isUtf8(bytes)) return { problem: 'The body is not valid UTF-8.' }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  return text.startsWith('\ufeff') ? { problem: 'The body starts with a byte order mark.' } : text
}

/** Undefined for a broken escape or bytes that are no UTF-8: decodeURIComponent is strict about both. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

type Reviver = (name: string, value: unknown, context?: { source?: string }) => unknown
type Scanned = { repeated: string[]; numbers: Map<string, string> }

function readJson(text: string, reviver?: Reviver): (Scanned & { value: unknown }) | { problem: string } {
  try {
    const scanned = scan(text)
    return 'problem' in scanned ? scanned : { ...scanned, value: JSON.parse(text, reviver) as unknown }
  } catch (error) {
    // The place only: the rest of the message may repeat a part of the body.
    const [, place] = / at position (\d+) \(line \d+ column \d+\)$/.exec((error as Error).message) ?? []
    const where = place === undefined ? '' : `: see character ${Number(place) + 1}`
    return { problem: `The body is not valid JSON${where}.` }
  }
}

/** An object with the names it has so far and the one whose value is being read, or an array with its place. */
type Open = { names: Set<string>; name: string; isNameNext: boolean } | { place: number }

/**
 * What JSON.parse does not tell: pointers to the names that stand twice in one object, a hundred at most, and the texts of the
 * outermost numbers. Or a problem, if there are more values, or they are nested more deeply, than in any body of ours: each value
 * is made at a stretch, while everybody else waits. The text may be no JSON.
 */
function scan(text: string): Scanned | { problem: string } {
  const open: Open[] = []
  const repeated = new Set<string>()
  const numbers = new Map<string, string>()
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const inside = open[open.length - 1]
    const character = text[at]!
    if (character === '"') {
      const end = endOfString(text, at)
      if (end < 0) break
      if (inside && 'names' in inside && inside.isNameNext) {
        inside.name = nameIn(text.slice(at, end + 1))
        inside.isNameNext = false
        if (inside.names.has(inside.name) && repeated.size < 100) repeated.add(pointerOf(open))
        inside.names.add(inside.name)
      }
      at = end
    } else if (character === '{' || character === '[') {
      open.push(character === '[' ? { place: 0 } : { names: new Set(), name: '', isNameNext: true })
      values++
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === ',') {
      values++
      if (inside && 'place' in inside) inside.place++
      else if (inside) inside.isNameNext = true
    } else if (open.length === 1 && inside && 'names' in inside && character >= '-' && character <= '9') {
      numberHere.lastIndex = at
      const [source] = numberHere.exec(text)!
      numbers.set(inside.name, source)
      at += source.length - 1
    }
    if (values > bounds.jsonValues) return { problem: `The body has more than ${bounds.jsonValues} values.` }
    if (open.length > bounds.jsonDepth)
      return { problem: `The body is nested more than ${bounds.jsonDepth} deep.` }
  }
  return { repeated: [...repeated], numbers }
}

const numberHere = /[-+.\deE]+/y

/** The place of the quote that ends the string which begins here. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

const nameIn = (quoted: string): string =>
  quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)

const pointerOf = (open: readonly Open[]): string =>
  `#${open.map((level) => ('place' in level ? `/${level.place}` : pointerTo(level.name).slice(1))).join('')}`
