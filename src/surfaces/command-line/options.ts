/** Reads the options of a command: every wrong one is a sentence that names it. */

import { type Currency, currencies, isCurrency, mostCents } from '../../domain/money.ts'
import { bounds } from '../../platform/bounds.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { Values } from './command.ts'

/** The words of a command are wrong; its usage is printed below the message. */
export class UsageProblem extends Error {}

export function required(values: Values, name: string): string {
  const text = optional(values, name)
  if (text === null) throw new UsageProblem(`--${name} is required.`)
  return text
}

export function optional(values: Values, name: string): string | null {
  const value = values[name]
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (text === '') throw new UsageProblem(`--${name} must not be empty.`)
  if (text.length > bounds.urlCharacters || /\p{Cc}/u.test(text)) {
    throw new UsageProblem(`--${name} is too long or holds control characters.`)
  }
  return text
}

export function oneOf<Choice extends string>(
  values: Values,
  name: string,
  choices: readonly Choice[],
): Choice {
  const text = required(values, name)
  if (!(choices as readonly string[]).includes(text)) {
    throw new UsageProblem(`--${name} must be one of ${choices.join(', ')}.`)
  }
  return text as Choice
}

export function integer(values: Values, name: string, least: number, most: number): number | null {
  const text = optional(values, name)
  if (text === null) return null
  const number = Number(text)
  if (!/^\d{1,15}$/.test(text) || number < least || number > most) {
    throw new UsageProblem(`--${name} must be a whole number from ${least} to ${most}.`)
  }
  return number
}

export function cents(values: Values, name: string): bigint | null {
  const number = integer(values, name, 1, Number(mostCents))
  return number === null ? null : BigInt(number)
}

export function currencyOf(values: Values): Currency {
  const text = required(values, 'currency')
  if (!isCurrency(text)) throw new UsageProblem(`--currency must be one of ${currencies.join(', ')}.`)
  return text
}

export function uuid(text: string | null | undefined, what: string): string {
  if (!text || !isUuid(text)) throw new UsageProblem(`${what} must be an id as printed by inlet.`)
  return text
}

/** Rows as aligned columns. Line breaks and control characters in cells are neutralised. */
export function table(head: string[], rows: (string | number | bigint | null)[][]): string {
  const lines = [head, ...rows.map((row) => row.map((cell) => shown(String(cell ?? '–'))))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Text from outside, for one line of a terminal. */
export const shown = (text: string): string => foreignText(text, bounds.urlCharacters)
