/**
 * Reads one camt entry. It may hold several transactions; each is one transfer, but only where their sum
 * is the entry's amount. An entry that is not booked is skipped, and a reversal never pays a deposit.
 */

import { message } from '../../messages/message.ts'
import type { Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { linesWithoutControls } from '../../transfers/bank-text/controls.ts'
import { maskedSource } from '../../transfers/bank-text/masked.ts'
import { isUnique } from '../../transfers/possible-repetition.ts'
import { type Entry, type Part, type ReadContext, RejectedRow } from '../entry.ts'
import { amountOf, currencyOf, movedAmount } from './amount.ts'
import {
  chargesPaths,
  isTrue,
  payerPaths,
  receiverAccountPaths,
  referencePaths,
  sentPaths,
  statusPaths,
  Values,
} from './camt-values.ts'
import { earliest, isoDate } from './dates.ts'
import { bankId, documentNumber, uniqueReference } from './identity.ts'
import { textsOf } from './texts.ts'

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
    const status = statusOf(entry, statement)
    if (status === 'pending') return [{ skipped: { line: entry.line, reason: 'pending' } }]
    if (status === 'missing') throw new RejectedRow(message('entry_status_missing'), 'Ntry/Sts')
    if (status === 'unknown') throw new RejectedRow(message('entry_status_unknown'), 'Ntry/Sts')
    return (await entriesOf(entry, transactions, statement, context)).map((made) => ({ entry: made }))
  } catch (error) {
    if (!(error instanceof RejectedRow)) throw error
    const { detail, field } = error
    const at = field === undefined ? entry.at : `${entry.at}/${field.replace(/^Ntry\//, '')}`
    return [{ bad: { line: entry.line, at, detail } }]
  }
}

const notBooked = ['PDNG', 'INFO', 'FUTR']

export const hasStatus = (entry: Values): boolean => entry.first(...statusPaths) !== ''

export function statusOf(
  entry: Values,
  { holdsBooked }: Pick<Statement, 'holdsBooked'>,
): 'booked' | 'pending' | 'missing' | 'unknown' {
  const status = entry.first(...statusPaths)
  if (status === 'BOOK' || (status === '' && holdsBooked)) return 'booked'
  if (notBooked.includes(status)) return 'pending'
  return status === '' ? 'missing' : 'unknown'
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
  const reference = entryReference(entry, bookedOn)
  const bankEntry = reference === '' ? null : { reference, cents }

  const entryFrom = (detail: Values, index: number): Entry => {
    const isAlone = details.length < 2
    const payerAccount = normalizeAccountNumber(detail.first(...payerPaths.account))
    const otherSide =
      direction === 'credit' ? payerAccount : normalizeAccountNumber(detail.first(...receiverAccountPaths))
    const accepted = detail.first('RltdDts/AccptncDtTm')
    return {
      line: isAlone ? entry.line : detail.line,
      account: statement.account,
      direction,
      cents: amounts[index]!,
      currency,
      bookedOn,
      bookedAt,
      paidOn: earliest([
        valuedOn,
        accepted === '' ? undefined : isoDate('RltdDts/AccptncDtTm', accepted, currency).day,
      ]),
      documentNumber: documentNumber(
        'TxDtls/Refs',
        detail.first('Refs/EndToEndId', 'Refs/InstrId', 'Refs/TxId') ||
          (isAlone && isUnique(reference) ? entry.first('NtryRef') : ''),
      ),
      ...textsOf('TxDtls/RmtInf', purposeOf(entry, detail), {
        name: detail.first(...payerPaths.name),
        account: payerAccount,
        taxId: detail.first(...payerPaths.taxId),
        bank: detail.first(...payerPaths.bank),
      }),
      // Not the document number: two document numbers mean two payments, but another file may number the same entry differently.
      bankId: bankIds[index] ?? (isAlone && reference !== '' && !isUnique(reference) ? reference : null),
      bankEntry,
      ...sentOf(detail, amounts[index]!, written),
      ...(isAlone && batched > 1 && { hasSeveralPayments: true }),
      isReversal: isReversed && direction === 'debit',
      // A credit that reverses a debit is one of our own payments that was returned.
      isInternal: (isReversed && direction === 'credit') || context.currencyOf(otherSide) !== undefined,
      raw: maskedSource(linesWithoutControls(isAlone ? entry.raw : detail.raw)),
    }
  }
  const entries: Entry[] = []
  for (const [index, detail] of (details.length > 0 ? details : [noDetails]).entries()) {
    entries.push(entryFrom(detail, index))
    await context.pause?.()
  }
  return entries
}

const noDetails = new Values({ line: 0, at: '', depth: 0 }, new Set())

/** In XML the decimal separator is always a dot. */
const decimals = { isDotDecimal: true }

function directionOf(field: string, indicator: string): Entry['direction'] {
  if (indicator === 'CRDT') return 'credit'
  if (indicator === 'DBIT') return 'debit'
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

/**
 * A single transaction must be the whole entry. A smaller one is one of several whose rest is missing; a larger one
 * had charges deducted.
 */
function refusePart(detail: Values, cents: bigint, currency: string): void {
  const path = detail.first('Amt') !== '' ? 'Amt' : 'AmtDtls/TxAmt/Amt'
  const written = detail.first(`${path}@Ccy`)
  const amount = amountOf(detail.first(path), decimals)
  if (amount === undefined || amount >= cents || amount <= 0n) return
  // An amount in another currency is what the payer ordered, not what arrived.
  if (written === '' || written === currency) throw new RejectedRow(message('transactions_do_not_add_up'))
}

/** What the payer sent, if that is more than what arrived: an amount before charges, or the amount and its charges. */
function sentOf(detail: Values, cents: bigint, currency: string): Pick<Entry, 'sentCents'> {
  const amountAt = (path: string): bigint =>
    ['', currency].includes(detail.first(`${path}@Ccy`)) ? (amountOf(detail.first(path), decimals) ?? 0n) : 0n
  const charges = amountAt(chargesPaths.find((path) => detail.first(path) !== '') ?? '')
  const sentCents = sentPaths.map(amountAt).find((amount) => amount > cents) ?? cents + charges
  return sentCents > cents ? { sentCents } : {}
}

/** The amounts of several transactions, which must have the entry's direction and add up to its amount. */
function detailAmounts(
  details: Values[],
  direction: Entry['direction'],
  cents: bigint,
  currency: Currency,
): bigint[] {
  const amounts = details.map((detail, index) => {
    const step = `TxDtls[${index + 1}]`
    const amount = movedAmount(`${step}/Amt`, detail.first('Amt', 'AmtDtls/TxAmt/Amt'), decimals)
    const path = detail.first('Amt') !== '' ? 'Amt@Ccy' : 'AmtDtls/TxAmt/Amt@Ccy'
    const written = detail.first(path)
    if (written !== '' && currencyOf(`${step}/Amt/@Ccy`, written) !== currency)
      throw new RejectedRow(message('transaction_in_another_currency'), step)
    const indicator = detail.first('CdtDbtInd')
    if (indicator !== '' && directionOf(`${step}/CdtDbtInd`, indicator) !== direction)
      throw new RejectedRow(message('transaction_goes_other_way'), step)
    return amount
  })
  if (amounts.reduce((sum, amount) => sum + amount, 0n) !== cents)
    throw new RejectedRow(message('transactions_do_not_add_up'))
  return amounts
}

/**
 * The reference of the entry, equal in every file that has it. `NtryRef` is often just a number within its statement.
 */
function entryReference(entry: Values, day: string): string {
  const reference = bankId('AcctSvcrRef', entry.first('AcctSvcrRef'))
  if (reference !== '') return reference
  const number = bankId('NtryRef', entry.first('NtryRef'))
  return number === '' ? '' : uniqueReference(number, day)
}

/** One id per transaction. Banks repeat the entry's id in each of them, and a payment with a known id would be ignored. */
function bankIdsOf(entry: Values, details: Values[]): (string | null)[] {
  const whole = bankId('AcctSvcrRef', entry.first('AcctSvcrRef'))
  const ids = details.map((detail) => bankId('AcctSvcrRef', detail.first('Refs/AcctSvcrRef')) || whole)
  if (ids.length < 2) return [ids[0] || whole || null]
  const times = new Map<string, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return ids.map((id, index) => (id === '' ? null : times.get(id) === 1 ? id : `${id}/${index + 1}`))
}

function purposeOf(entry: Values, detail: Values): string[] {
  const parts = [...detail.all('RmtInf/Ustrd'), ...referencePaths.flatMap((path) => detail.all(path))]
  if (parts.length > 0) return parts
  const additional = detail.first('AddtlTxInf') || entry.first('AddtlNtryInf')
  return additional === '' ? [] : [additional]
}
