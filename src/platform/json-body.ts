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
    if (hasMoreValues(text, bounds.jsonValues)) throw new Refusal('malformed_body', { detail: tooMany })
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

const tooMany = `The body has more than ${bounds.jsonValues} values.`

/** Whether a text that may be JSON has more values than this. Each is made at a stretch, while everybody else waits. */
function hasMoreValues(text: string, most: number): boolean {
  let values = 1
  for (let at = 0; at < text.length && values <= most; at++) {
    switch (text[at]) {
      case ',':
      case '{':
      case '[':
        values++
        break
      case '"':
        at = endOfString(text, at)
        if (at < 0) return false
    }
  }
  return values > most
}

/** An object with the names it has so far and the one whose value is being read, or an array with its place. */
type Open = { names: Set<string>; name: string; isNameNext: boolean } | { place: number }

/** Pointers to the names that stand twice in one object, at most so many. The text is known to be JSON. */
export function repeatedNames(text: string, most: number): string[] {
  const open: Open[] = []
  const found = new Set<string>()
  for (let at = 0; at < text.length && found.size < most; at++) {
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
          if (inside.names.has(inside.name)) found.add(pointerOf(open))
          inside.names.add(inside.name)
        }
        at = end
      }
    }
  }
  return [...found]
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
