/** A report for a terminal. Column widths are fixed, because lines are printed as they are read. */

import { foreignText } from '../../platform/foreign-text.ts'
import { bankZone, type Currency, readable } from '../money.ts'
import {
  apartStates,
  differenceOf,
  type LineCallback,
  type Proof,
  type ReportFormat,
  type ReportLine,
  type Sums,
  signed,
  type Total,
} from './report.ts'

export const tableFormat: ReportFormat = {
  begin: ({ mode, from, to, merchantId, currency }) =>
    `${[
      `${mode === 'live' ? 'Live' : 'Test'} money of ${from === to ? from : `${from} to ${to}`}, by the days of the banks${currency ? ` (${bankZone[currency]})` : ''}.`,
      ...(merchantId ? [`Merchant ${merchantId}.`] : []),
      '',
      padded(columns.map(({ name }) => name)),
    ].join('\n')}\n`,
  lines: (lines) =>
    lines
      .map((line) => `${padded(columns.map(({ text, width }) => shortened(text(line), width)))}\n`)
      .join(''),
  end: (totals, proofs) => `\n${[totalsText(totals), ...proofs.map(proofText)].join('\n\n')}\n`,
}

type Column = { name: string; width: number; isNumber?: boolean; text: (line: ReportLine) => string }

const columns: Column[] = [
  { name: 'booked on', width: 10, text: (line) => line.bookedOn },
  { name: 'currency', width: 8, text: (line) => line.currency },
  { name: 'amount', width: 16, isNumber: true, text: (line) => signed(line.cents || line.byHandCents) },
  {
    name: 'asked',
    width: 16,
    isNumber: true,
    text: ({ askedCents }) => (askedCents === null ? '–' : signed(askedCents)),
  },
  { name: 'state', width: 10, text: (line) => (line.kind === 'deposit' ? 'no bank' : line.state) },
  { name: 'rule', width: 19, text: (line) => line.rule },
  { name: 'parts', width: 7, text: (line) => (differenceOf(line) === 0n ? 'whole' : 'WRONG') },
  { name: 'merchant', width: 20, text: (line) => line.merchantName ?? '–' },
  { name: 'requisite', width: 20, text: (line) => line.requisite },
  { name: 'order', width: 36, text: (line) => line.orderId ?? '–' },
  { name: 'deposit', width: 36, text: (line) => line.depositId ?? '–' },
  { name: 'transfer', width: 36, text: (line) => line.transferId ?? '–' },
  { name: 'bank reference', width: 20, text: (line) => line.bankReference || line.documentNumber || '–' },
  { name: 'payer', width: 28, text: (line) => line.payer || '–' },
  { name: 'callback', width: 34, text: (line) => callbackText(line.callback) },
]

const shortened = (text: string, width: number): string => foreignText(text, width)

const padded = (cells: string[]): string =>
  cells
    .map((cell, place) => {
      const { width, isNumber } = columns[place]!
      return isNumber ? cell.padStart(width) : cell.padEnd(width)
    })
    .join('  ')
    .trimEnd()

const callbackText = (callback: LineCallback | null): string => {
  if (!callback) return '–'
  if (callback.state === 'delivered') return `delivered ${callback.deliveredAt!.toISOString()}`
  return callback.state === 'not_kept' ? 'no longer kept' : callback.state
}

function totalsText(totals: readonly Total[]): string {
  if (totals.length === 0) return 'No money was seen, and nothing was confirmed.'
  const rows = totals.map((total) => [
    total.merchantName === null ? '–' : foreignText(total.merchantName, 40),
    total.currency,
    foreignText(total.requisite, 40),
    String(total.transfers),
    ...sumTexts(total),
  ])
  const head = ['merchant', 'currency', 'requisite', 'transfers', ...sumNames]
  const widths = head.map((_, place) => Math.max(...[head, ...rows].map((row) => row[place]!.length)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, place) => (place < 3 ? cell.padEnd(widths[place]!) : cell.padStart(widths[place]!)))
        .join('  '),
    )
    .join('\n')
}

const sumNames = ['asked', 'received', 'with deposits', 'refunded', 'open', 'surplus', 'by hand']
const sumTexts = (sums: Sums): string[] =>
  [
    sums.askedCents,
    sums.receivedCents,
    sums.depositCents,
    sums.refundCents,
    sums.openCents,
    sums.surplusCents,
    sums.byHandCents,
  ].map(signed)

function proofText(proof: Proof): string {
  const { currency, control, apart } = proof
  const money = (cents: bigint) => moneyText(cents, currency)
  return [
    `Received ${money(proof.receivedCents)} = with deposits ${money(proof.depositCents)} + refunded ${money(proof.refundCents)} + open ${money(proof.openCents)}; difference ${money(proof.differenceCents)}.`,
    `Apart: ${apartStates.map((state) => `${state} ${apart[state].transfers}, ${money(apart[state].cents)}`).join('; ')}.`,
    `Confirmed without a transfer: ${proof.byHandDeposits}; by hand ${money(proof.byHandCents)}.`,
    `Transfers: ${proof.transfers} here, ${control.transfers} in the database; ${money(proof.amountCents)} here, ${money(control.cents)} there.`,
    ...(proof.holds
      ? []
      : [
          `THE BOOKS DO NOT BALANCE: ${proof.unbalanced} transfers have wrong parts. Run "inlet doctor --all".`,
        ]),
  ].join('\n')
}

const moneyText = (cents: bigint, currency: Currency): string =>
  cents < 0n ? `-${readable(-cents, currency)}` : readable(cents, currency)
