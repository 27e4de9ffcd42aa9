/**
 * Reads nested JSON from outside. JSON.parse keeps the last of two equal names: a proxy or a person
 * that reads the first one sees another amount than we take. So a name that stands twice in one object, at any depth and
 * however it is escaped, refuses the body whole. Flat bodies have a parser of their own, `flat-body.ts`.
 */

import { bounds } from './bounds.ts'
import { pointerTo } from './flat-body.ts'
import { Refusal } from './refusals.ts'

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

export function parseJson(bytes: Uint8Array, reviver?: Reviver): unknown {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    refuseTooLarge(text)
    value = JSON.parse(text, reviver)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('malformed_body', { detail: 'The body is not JSON in UTF-8.' })
  }
  const repeated = repeatedNames(text, 100)
  if (repeated.length === 0) return value
  throw new Refusal('duplicate_field', {
    detail: `${repeated[0]}: The field occurs more than once. Nothing was taken.`,
    errors: repeated.map((pointer) => ({
      pointer,
      code: 'duplicate_field',
      detail: 'The field occurs more than once.',
    })),
  })
}

/**
 * Refuses a text that may be JSON if it has more values or is nested more deeply than any of ours. Each value is made at a
 * stretch, while everybody else waits, and the place of a field is as long as the field is deep.
 */
function refuseTooLarge(text: string): void {
  let values = 1
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
      case '[':
        depth++
        values++
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        values++
        break
      case '"':
        at = endOfString(text, at)
        if (at < 0) return
    }
    if (values > bounds.jsonValues) throw tooLarge(`The body has more than ${bounds.jsonValues} values.`)
    if (depth > bounds.jsonDepth) throw tooLarge(`The body is nested more than ${bounds.jsonDepth} deep.`)
  }
}

const tooLarge = (detail: string): Refusal => new Refusal('malformed_body', { detail })

/** An object with the names it has so far and the one whose value is being read, or an array with its place. */
type Open = { names: Set<string>; name: string; isNameNext: boolean } | { place: number }

/** Pointers to the names that stand twice in one object, for so many repetitions at most. The text is known to be JSON. */
export function repeatedNames(text: string, most: number): string[] {
  const open: Open[] = []
  const found: string[] = []
  for (let at = 0; at < text.length && found.length < most; at++) {
    const inside = open.at(-1)
    switch (text[at]) {
      case '{':
        open.push({ names: new Set(), name: '', isNameNext: true })
        break
      case '[':
        open.push({ place: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (inside && 'place' in inside) inside.place++
        else if (inside) inside.isNameNext = true
        break
      case '"': {
        const end = endOfString(text, at)
        if (inside && 'names' in inside && inside.isNameNext) {
          inside.name = nameIn(text.slice(at, end + 1))
          inside.isNameNext = false
          if (inside.names.has(inside.name)) found.push(pointerOf(open))
          inside.names.add(inside.name)
        }
        at = end
      }
    }
  }
  return [...new Set(found)]
}

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
