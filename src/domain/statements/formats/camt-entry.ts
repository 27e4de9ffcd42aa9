/**
 * Reads one camt entry. It may hold several transactions; each is one transfer, but only where their sum
 * is the entry's amount. An entry that is not booked is skipped, and a reversal never pays a deposit.
 */

import { message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { linesWithoutControls } from '../../transfers/bank-text/controls.ts'
import { maskedSource } from '../../transfers/bank-text/masked.ts'
import { badRow, type Entry, type Part, type ReadContext, RejectedRow } from '../entry.ts'
import { amountOf, currencyOf, movedAmount } from './amount.ts'
import { isTrue, paths, Values } from './camt-values.ts'
import { earliest, isoDate } from './dates.ts'
import { bankId, documentNumber, textsOf } from './texts.ts'

/** `holdsBooked`: the entries of this kind of message are booked by definition, even without a status. */
export type Statement = { account: string; currency: string; holdsBooked: boolean }

/** The transactions of an entry, and how many its batches say that it has. */
type Transactions = { details: Values[]; batched: number }

export async function partsOf(
  entry: Values,
  transactions: Transactions,
  statement: Statement,
  context: ReadContext,
): Promise<Part[]> {
  try {
    if (['PDNG', 'INFO', 'FUTR'].includes(entry.first(...paths.status)))
      return [{ skipped: { line: entry.line, reason: 'pending' } }]
    if (!isBooked(entry, statement)) throw new RejectedRow(message('entry_status_unknown'), 'Ntry/Sts')
    return (await entriesOf(entry, transactions, statement, context)).map((made) => ({ entry: made }))
  } catch (error) {
    const at = (field?: string) => (field ? `${entry.at}/${field.replace(/^Ntry\//, '')}` : entry.at)
    return [badRow(error, entry.line, at)]
  }
}

export function isBooked(entry: Values, { holdsBooked }: Pick<Statement, 'holdsBooked'>): boolean {
  const status = entry.first(...paths.status)
  return status === 'BOOK' || (status === '' && holdsBooked)
}

async function entriesOf(
  entry: Values,
  { details, batched }: Transactions,
  statement: Statement,
  context: ReadContext,
): Promise<Entry[]> {
  const written = entry.first('Amt@Ccy') || statement.currency
  const currency =
    written === '' ? context.currencyOf(statement.account)! : currencyOf('Ntry/Amt/@Ccy', written)
  const cents = movedAmount('Ntry/Amt', entry.first('Amt'), decimals)
  const direction = directionOf('Ntry/CdtDbtInd', entry.first('CdtDbtInd'))
  const isReversed = isTrue(entry.first('RvslInd'))
  const { bookedOn, bookedAt, valuedOn } = datesOf(entry, currency)
  if (details.length === 1) refusePart(details[0]!, cents, written)
  const amounts = details.length > 1 ? detailAmounts(details, direction, cents, currency) : [cents]
  const bankIds = bankIdsOf(entry, details)
  const isAlone = details.length < 2
  const otherSide = direction === 'credit' ? paths.payerAccount : paths.receiverAccount

  const entries: Entry[] = []
  for (const [index, detail] of (details.length > 0 ? details : [noDetails]).entries()) {
    const accepted = detail.first('RltdDts/AccptncDtTm')
    const acceptedOn = accepted === '' ? undefined : isoDate('RltdDts/AccptncDtTm', accepted, currency).day
    const other = normalizeAccountNumber(detail.first(...otherSide))
    entries.push({
      line: isAlone ? entry.line : detail.line,
      account: statement.account,
      direction,
      cents: amounts[index]!,
      currency,
      bookedOn,
      bookedAt,
      paidOn: earliest([valuedOn, acceptedOn]),
      documentNumber: documentNumber('TxDtls/Refs', detail.first(...paths.document)),
      ...textsOf('TxDtls/RmtInf', purposeOf(entry, detail), {
        name: detail.first(...paths.payerName),
        account: normalizeAccountNumber(detail.first(...paths.payerAccount)),
        taxId: detail.first(...paths.payerTaxId),
        bank: detail.first(...paths.payerBank),
      }),
      bankId: bankIds[index]!,
      ...(isAlone && batched > 1 && { hasSeveralPayments: true }),
      isReversal: isReversed && direction === 'debit',
      // A credit that reverses a debit is one of our own payments that was returned.
      isInternal: (isReversed && direction === 'credit') || context.currencyOf(other) !== undefined,
      raw: maskedSource(linesWithoutControls(isAlone ? entry.raw : detail.raw)),
    })
    await context.pause?.()
  }
  return entries
}

const noDetails = new Values('transaction', { line: 0, at: '', depth: 0 })

/** In XML the decimal separator is always a dot. */
const decimals = { isDotDecimal: true }

export const directions: Readonly<Record<string, Entry['direction']>> = { CRDT: 'credit', DBIT: 'debit' }

function directionOf(field: string, indicator: string): Entry['direction'] {
  const direction = directions[indicator]
  if (direction) return direction
  throw new RejectedRow(message('entry_direction_unknown'), field)
}

function datesOf(entry: Values, currency: Currency) {
  const day = (field: string) => {
    const text = entry.first(`${field}/DtTm`, `${field}/Dt`)
    return text === '' ? undefined : isoDate(field, text, currency)
  }
  const valued = day('ValDt')
  const booked = day('BookgDt') ?? valued
  if (!booked) throw new RejectedRow(message('entry_has_no_date'))
  return { bookedOn: booked.day, bookedAt: booked.at, valuedOn: valued?.day }
}

/** What a transaction says of its amount, and in which currency. */
function writtenIn(detail: Values): { text: string; currency: string } {
  const path = detail.first('Amt') !== '' ? 'Amt' : 'AmtDtls/TxAmt/Amt'
  return { text: detail.first(path), currency: detail.first(`${path}@Ccy`) }
}

/**
 * A single transaction must be the whole entry. A smaller one is one of several whose rest is missing; a larger one
 * had charges deducted. An amount in another currency is what the payer ordered, not what arrived.
 */
function refusePart(detail: Values, cents: Cents, currency: string): void {
  const written = writtenIn(detail)
  const amount = amountOf(written.text, decimals) ?? cents
  if (amount < cents && amount > 0n && ['', currency].includes(written.currency))
    throw new RejectedRow(message('transactions_do_not_add_up'))
}

/** The amounts of several transactions, which must have the entry's direction and add up to its amount. */
function detailAmounts(
  details: Values[],
  direction: Entry['direction'],
  cents: Cents,
  currency: Currency,
): Cents[] {
  let rest = cents
  const amounts = details.map((detail, index) => {
    const step = `TxDtls[${index + 1}]`
    const written = writtenIn(detail)
    const amount = movedAmount(`${step}/Amt`, written.text, decimals)
    if (written.currency !== '' && currencyOf(`${step}/Amt/@Ccy`, written.currency) !== currency)
      throw new RejectedRow(message('transaction_in_another_currency'), step)
    const indicator = detail.first('CdtDbtInd')
    if (indicator !== '' && directionOf(`${step}/CdtDbtInd`, indicator) !== direction)
      throw new RejectedRow(message('transaction_goes_other_way'), step)
    rest -= amount
    return amount
  })
  if (rest !== 0n) throw new RejectedRow(message('transactions_do_not_add_up'))
  return amounts
}

/**
 * One id per transaction. Banks repeat the entry's id in each of them, and a payment with a known id would be ignored.
 * `NtryRef` is none: it is often just the number of the entry in its statement, and another file counts differently.
 */
function bankIdsOf(entry: Values, details: Values[]): (string | null)[] {
  const whole = bankId('AcctSvcrRef', entry.first('AcctSvcrRef'))
  const ids = details.map((detail) => bankId('AcctSvcrRef', detail.first('Refs/AcctSvcrRef')) || whole)
  if (ids.length < 2) return [ids[0] || whole || null]
  const times = new Map<string, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return ids.map((id, index) => (id === '' ? null : times.get(id) === 1 ? id : `${id}/${index + 1}`))
}

function purposeOf(entry: Values, detail: Values): string[] {
  const parts = [...detail.all('RmtInf/Ustrd'), ...paths.reference.flatMap((path) => detail.all(path))]
  if (parts.length > 0) return parts
  const additional = detail.first('AddtlTxInf') || entry.first('AddtlNtryInf')
  return additional === '' ? [] : [additional]
}
