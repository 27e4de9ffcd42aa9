/**
 * Reads one camt entry. It may hold several transactions; each is one transfer, but only where their sum
 * is the entry's amount. An entry that is not booked is skipped, and a reversal never pays a deposit.
 */

import { sum } from '../../../platform/sum.ts'
import { message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { badRow, type Entry, type Part, type ReadContext, RejectedRow } from '../entry.ts'
import { amountOf, currencyOf, movedAmount } from './amount.ts'
import { Element } from './camt-element.ts'
import { earliest, isoDate } from './dates.ts'
import { bankId, documentNumber, textsOf } from './texts.ts'

/** `holdsBooked`: the entries of this kind of message are booked by definition, even without a status. */
export type Statement = { account: string; currency: string; holdsBooked: boolean }

/** What one transaction of an entry says: an entry may have thousands, so its elements are not kept. */
export type Transaction = ReturnType<typeof transactionOf>

export function transactionOf(detail: Element) {
  // The payer's details stand directly in `Dbtr` up to version .07. Whom the payer pays for is what the payer has written.
  const dbtr = detail.one('RltdPties/Dbtr')
  const party = dbtr.all('Pty')[0] ?? dbtr
  const amount = detail.first('Amt', 'AmtDtls/TxAmt/Amt')
  return {
    line: detail.line,
    amount: { text: amount.content, currency: amount.currency },
    indicator: detail.text('CdtDbtInd'),
    id: detail.text('Refs/AcctSvcrRef'),
    documentNumber: detail.text('Refs/EndToEndId', 'Refs/InstrId', 'Refs/TxId'),
    acceptedAt: detail.text('RltdDts/AccptncDtTm'),
    payer: {
      payerName: party.text('Nm'),
      payerAccount: detail.one('RltdPties/DbtrAcct').account,
      payerTaxId: party.text(
        'Id/OrgId/Othr/Id',
        'Id/PrvtId/Othr/Id',
        'Id/OrgId/TaxIdNb',
        'Id/PrvtId/TaxIdNb',
      ),
      payerBank: detail
        .one('RltdAgts/DbtrAgt/FinInstnId')
        .text('Nm', 'BICFI', 'BIC', 'ClrSysMmbId/MmbId', 'NmAndAdr/Nm', 'CmbndId/Nm', 'CmbndId/BIC'),
    },
    receiver: detail.one('RltdPties/CdtrAcct').account,
    /** Also a structured reference, and that of version .01. */
    purpose: ['Ustrd', 'Strd/CdtrRefInf/Ref', 'Strd/CdtrRefInf/CdtrRef']
      .flatMap((path) => detail.all(`RmtInf/${path}`))
      .flatMap(({ content }) => content || []),
    additional: detail.text('AddtlTxInf'),
  }
}

export async function partsOf(
  entry: Element,
  transactions: Transaction[],
  statement: Statement,
  context: ReadContext,
): Promise<Part[]> {
  try {
    if (['PDNG', 'INFO', 'FUTR'].includes(statusOf(entry)))
      return [{ skipped: { line: entry.line, reason: 'pending' } }]
    if (!isBooked(entry, statement)) throw new RejectedRow(message('entry_status_unknown'), 'Ntry/Sts')
    return (await entriesOf(entry, transactions, statement, context)).map((made) => ({ entry: made }))
  } catch (error) {
    const at = (field?: string) => (field ? `${entry.at}/${field.replace(/^Ntry\//, '')}` : entry.at)
    return [badRow(error, entry.line, at)]
  }
}

export const statusOf = (entry: Element): string => entry.text('Sts/Cd', 'Sts', 'Sts/Prtry')

const isBooked = (entry: Element, { holdsBooked }: Statement): boolean =>
  statusOf(entry) === 'BOOK' || (statusOf(entry) === '' && holdsBooked)

async function entriesOf(
  entry: Element,
  transactions: Transaction[],
  statement: Statement,
  context: ReadContext,
): Promise<Entry[]> {
  const written = entry.first('Amt').currency || statement.currency
  const currency =
    written === '' ? context.currencyOf(statement.account)! : currencyOf('Ntry/Amt/@Ccy', written)
  const cents = movedAmount('Ntry/Amt', entry.text('Amt'), decimals)
  const direction = directionOf('Ntry/CdtDbtInd', entry.text('CdtDbtInd'))
  const isReversed = entry.one('RvslInd').isTrue
  const { bookedOn, bookedAt, valuedOn } = datesOf(entry, currency)
  const [only = transactionOf(new Element()), ...others] = transactions
  const isAlone = others.length === 0
  if (isAlone) refusePart(only, cents, written)
  const amounts = isAlone ? [cents] : amountsOf(transactions, direction, cents, currency)
  const bankIds = bankIdsOf(entry, [only, ...others])

  const entries: Entry[] = []
  for (const [index, transaction] of [only, ...others].entries()) {
    const { acceptedAt, payer, receiver, purpose, additional } = transaction
    const acceptedOn =
      acceptedAt === '' ? undefined : isoDate('RltdDts/AccptncDtTm', acceptedAt, currency).day
    const other = direction === 'credit' ? payer.payerAccount : receiver
    const information = additional || entry.text('AddtlNtryInf')
    const parts = purpose.length > 0 || information === '' ? purpose : [information]
    entries.push({
      line: isAlone ? entry.line : transaction.line,
      account: statement.account,
      direction,
      cents: amounts[index]!,
      currency,
      bookedOn,
      bookedAt,
      paidOn: earliest([valuedOn, acceptedOn]),
      documentNumber: documentNumber('TxDtls/Refs', transaction.documentNumber),
      ...textsOf('TxDtls/RmtInf', parts, payer),
      bankId: bankIds[index]!,
      ...(isAlone && paymentsIn(entry) > 1 && { hasSeveralPayments: true }),
      isReversal: isReversed && direction === 'debit',
      // A credit that reverses a debit is one of our own payments that was returned.
      isInternal: (isReversed && direction === 'credit') || context.currencyOf(other) !== undefined,
    })
    await context.pause?.()
  }
  return entries
}

/** In XML the decimal separator is always a dot. */
export const decimals = { isDotDecimal: true }

const directions: Readonly<Record<string, Entry['direction']>> = { CRDT: 'credit', DBIT: 'debit' }

function directionOf(field: string, indicator: string): Entry['direction'] {
  const direction = directions[indicator]
  if (direction) return direction
  throw new RejectedRow(message('entry_direction_unknown'), field)
}

function datesOf(entry: Element, currency: Currency) {
  const day = (field: string) => {
    const text = entry.text(`${field}/DtTm`, `${field}/Dt`)
    return text === '' ? undefined : isoDate(field, text, currency)
  }
  const valued = day('ValDt')
  const booked = day('BookgDt') ?? valued
  if (!booked) throw new RejectedRow(message('entry_has_no_date'))
  return { bookedOn: booked.day, bookedAt: booked.at, valuedOn: valued?.day }
}

/** How many payments the batches of an entry have. One that does not state it may have several. */
const paymentsIn = (entry: Element): number =>
  sum(
    [...entry.all('Btch'), ...entry.all('NtryDtls/Btch')].map((batch) => Number(batch.text('NbOfTxs')) || 2),
  )

/**
 * A single transaction must be the whole entry. A smaller one is one of several whose rest is missing; a larger one
 * had charges deducted. An amount in another currency is what the payer ordered, not what arrived.
 */
function refusePart({ amount }: Transaction, cents: Cents, currency: string): void {
  const part = amountOf(amount.text, decimals) ?? cents
  if (part < cents && part > 0n && ['', currency].includes(amount.currency))
    throw new RejectedRow(message('transactions_do_not_add_up'))
}

/** The amounts of several transactions, which must have the entry's direction and add up to its amount. */
function amountsOf(
  transactions: Transaction[],
  direction: Entry['direction'],
  cents: Cents,
  currency: Currency,
): Cents[] {
  let rest = cents
  const amounts = transactions.map(({ amount, indicator }, index) => {
    const step = `TxDtls[${index + 1}]`
    const part = movedAmount(`${step}/Amt`, amount.text, decimals)
    if (amount.currency !== '' && currencyOf(`${step}/Amt/@Ccy`, amount.currency) !== currency)
      throw new RejectedRow(message('transaction_in_another_currency'), step)
    if (indicator !== '' && directionOf(`${step}/CdtDbtInd`, indicator) !== direction)
      throw new RejectedRow(message('transaction_goes_other_way'), step)
    rest -= part
    return part
  })
  if (rest !== 0n) throw new RejectedRow(message('transactions_do_not_add_up'))
  return amounts
}

/**
 * One id per transaction. Banks repeat the entry's id in each of them, and a payment with a known id would be ignored.
 * `NtryRef` is none: it is often just the number of the entry in its statement, and another file counts differently.
 */
function bankIdsOf(entry: Element, transactions: Transaction[]): (string | null)[] {
  const whole = bankId('AcctSvcrRef', entry.text('AcctSvcrRef'))
  const ids = transactions.map(({ id }) => bankId('AcctSvcrRef', id) || whole)
  const times = new Map<string, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return ids.map((id, index) => (id === '' ? null : times.get(id) === 1 ? id : `${id}/${index + 1}`))
}
