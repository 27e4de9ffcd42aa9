/**
 * Masks numbers that must not be stored or shown in full: a payer's card number in a purpose keeps its first six and
 * last four digits (PCI DSS 3.4.1).
 */
import { findReferences, foldText } from '../../deposits/reference.ts'
import { cardRuleFor } from '../../requisites/card.ts'
import { luhnHolds } from '../../requisites/luhn.ts'
import { withoutControls } from './controls.ts'

/**
 * A run of 13 to 19 digits, or groups of four as printed on a card, that passes the Luhn check. Accounts have 20
 * digits and stay. Digits of a payment reference stay too: with a date behind it they can look like a card.
 */
export function maskCards(text: string): string {
  if (!maybeCard.test(text)) return text
  return text.replace(digitGroups, (run: string, at: number) => {
    if (run.length > 19 && /^\d+$/.test(run)) return run
    const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({ digits, start: index }))
    const pieces: string[] = []
    let done = 0
    for (let first = 0; first < groups.length; ) {
      const used = groupsOfCard(groups.slice(first, first + 5).map(({ digits }) => digits))
      const last = groups[first + used - 1]
      if (last) {
        const start = groups[first]!.start
        const written = run.slice(start, last.start + last.digits.length)
        if (!holdsReference(text, at + start, written)) {
          pieces.push(run.slice(done, start), maskedCard(written))
          done = start + written.length
        }
      }
      first += Math.max(used, 1)
    }
    return pieces.join('') + run.slice(done)
  })
}

/** A purpose in parts, which may also break inside a card number. Masking keeps every length. */
export function maskParts(parts: string[]): string[] {
  const joined = maskCards(parts.map(maskCards).join(''))
  let at = 0
  return parts.map(({ length }) => {
    at += length
    return joined.slice(at - length, at)
  })
}

/** The field that names the payer's account. Accounts of our four countries have 20 characters, cards never. */
export function maskCardAsAccount(account: string): string {
  const isCard =
    /^\d{13,19}$/.test(account) && cardRuleFor(account).brand !== 'other' && isCardNumber(account)
  return isCard ? maskedCard(account) : account
}

export function quoted(text: string): string {
  const short = maskCards(withoutControls(beginning(text.trim(), 200)))
  return `«${short.length > 40 ? `${beginning(short, 40)}…` : short}»`
}

/** A cut may split a surrogate pair, and PostgreSQL refuses half of one. */
const beginning = (text: string, maxLength: number): string =>
  text.length > maxLength ? text.slice(0, maxLength).toWellFormed() : text

/** How many of the first groups of digits are a card number: one long one, or four of four and a short tail. */
function groupsOfCard(groups: string[]): number {
  const [long = ''] = groups
  if (long.length >= 13) return long.length <= 19 && isCardNumber(long) ? 1 : 0
  const fours = groups.slice(0, 4)
  if (fours.length < 4 || fours.some(({ length }) => length !== 4)) return 0
  const tail = groups[4] ?? ''
  if (tail.length > 0 && tail.length < 4 && isCardNumber(groups.join(''))) return 5
  return isCardNumber(fours.join('')) ? 4 : 0
}

/** Whether a payment reference uses these digits: it starts at most 40 characters before them. */
function holdsReference(text: string, at: number, written: string): boolean {
  const before = text.slice(Math.max(0, at - 40), at)
  const after = text.slice(at + written.length, at + written.length + 1)
  const count = (digits: string): number => findReferences(foldText(before + digits + after)).length
  return count(written) > count(maskedCard(written))
}

const isCardNumber = (digits: string): boolean => luhnHolds(digits) || cardsWithoutLuhn.test(digits)

function maskedCard(written: string): string {
  let index = 0
  const count = written.replace(/\D/g, '').length
  return written.replace(/\d/g, (digit) => {
    index++
    return index <= 6 || index > count - 4 ? digit : '*'
  })
}

/** UzCard and Humo numbers do not always pass the Luhn check. */
const cardsWithoutLuhn = /^(?:8600|5614|9860)\d{12}$/

const maybeCard = /\d{13}|\d{4}[ \u00a0-]\d{4}[ \u00a0-]\d{4}/
const digitGroups = /\d(?:[ \u00a0-]?\d){12,}/g
