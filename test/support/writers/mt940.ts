/**
 * A statement as MT940, one message per account in its envelope, CRLF, in UTF-8: SWIFT has Latin letters only, and
 * banks of the region write theirs nevertheless. The text has codes between slashes and breaks between words; where a
 * word is longer than the 65 characters of the standard, so is its line. The format has days and no times.
 */

import { decimal } from '../../../src/domain/money.ts'
import { slashCodes } from '../../../src/domain/statements/formats/mt940-text.ts'
import { Tally } from '../../../src/domain/statements/totals.ts'
import {
  oneLine,
  type WrittenEntry,
  type WrittenStatement,
} from '../../../src/domain/statements/writers/statement.ts'
import { daysAfter } from '../../../src/domain/transfers/bank-text/days.ts'
import { openingOf } from './csv.ts'

/** `id` names the messages; a reference has at most 16 characters. */
export function writeMt940(statements: readonly WrittenStatement[], id: string): Uint8Array {
  const lines = statements.flatMap((statement, place) => messageOf(statement, id.slice(-16), place + 1))
  return new TextEncoder().encode(lines.map((line) => `${line}\r\n`).join(''))
}

function messageOf({ account, currency, from, to, entries }: WrittenStatement, id: string, place: number) {
  const { credit, debit } = Tally.of(entries)
  const opening = openingOf(entries)
  return [
    '{1:F01INLETTESTXXX0000000000}{2:I940INLETTESTXXXXN}{4:',
    `:20:${id}`,
    `:25:${account}`,
    `:28C:${place}/1`,
    `:60F:C${shortDay(daysAfter(from, -1))}${currency}${amount(opening)}`,
    ...entries.flatMap(entryOf),
    `:62F:C${shortDay(to)}${currency}${amount(opening + credit.cents - debit.cents)}`,
    '-}',
  ]
}

function entryOf(entry: WrittenEntry): string[] {
  const { bookedOn, paidOn, direction, cents, documentNumber, bankId, purpose } = entry
  const days = shortDay(paidOn ?? bookedOn) + shortDay(bookedOn).slice(2)
  const mark = direction === 'credit' ? 'C' : 'D'
  const reference = withoutCodes(documentNumber).replace(/\/{2,}/g, '/') || 'NONREF'
  const party = coded({
    NAME: entry.payerName,
    ACCT: entry.payerAccount,
    INN: entry.payerTaxId,
    BANK: entry.payerBank,
  })
  const text = `${party && `/ORDP/${party}`}/REMI/${withoutCodes(purpose)}`
  return [
    `:61:${days}${mark}${amount(cents)}NTRF${reference}${bankId ? `//${withoutCodes(bankId)}` : ''}`,
    ...linesOf(`:86:${text}`),
  ]
}

const coded = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([code, value]) => [code, withoutCodes(value)] as const)
    .map(([code, value]) => (value === '' ? '' : `/${code}/${value}`))
    .join('')

/** Breaks before a code or after a single space, but never so that a line looks like a field or an end. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(breaks)) {
    if (line !== '' && line.length + word.trimEnd().length > widest) {
      lines.push(line)
      line = ''
    }
    line += word
  }
  return [...lines, line]
}

const widest = 65
const breaks = new RegExp(`(?<=[^ ] )(?=[^ :{$-])|(?=/(?:${slashCodes.join('|')})/)`)

/** Removes the slashes of texts that would be read as a code. */
const withoutCodes = (value: string): string => oneLine(value).replace(codes, ' $1 ').trim()

const codes = new RegExp(`(?:^|/)(${slashCodes.join('|')})(?:$|/)`, 'g')

const shortDay = (day: string): string => day.slice(2).replaceAll('-', '')

const amount = (cents: bigint): string => decimal(cents).replace('.', ',')
