/** A report as one JSON document, written as it comes. Money is in whole minor units, exact however large. */
import type { Cents } from '../money.ts'
import { differenceOf, type ReportFormat, type ReportLine, receivedOf, type Sums } from './report.ts'

export function jsonFormat(): ReportFormat {
  let isFirst = true
  return {
    begin: ({ mode, from, to, merchantId, currency, madeAt }) =>
      `{"report":${textOf({ mode, from, to, merchant: merchantId, currency, made_at: madeAt })},\n"lines":[`,
    lines(lines) {
      if (lines.length === 0) return ''
      const text = lines.map((line) => textOf(lineJson(line))).join(',\n')
      const before = isFirst ? '\n' : ',\n'
      isFirst = false
      return before + text
    },
    end: (totals, proofs) =>
      `],\n"totals":${textOf(
        totals.map((total) => ({
          merchant: total.merchantId,
          merchant_name: total.merchantName,
          currency: total.currency,
          requisite: total.requisite,
          ...sumsJson(total),
        })),
      )},\n"proof":${textOf(
        proofs.map((proof) => ({
          currency: proof.currency,
          holds: proof.holds,
          ...sumsJson(proof),
          difference_cents: proof.differenceCents,
          unbalanced: proof.unbalanced,
          apart: proof.apart,
          control: proof.control,
        })),
      )}}\n`,
  }
}

const lineJson = (line: ReportLine) => ({
  line: line.kind,
  booked_on: line.bookedOn,
  currency: line.currency,
  merchant: line.merchantId,
  merchant_name: line.merchantName,
  requisite: line.requisite,
  deposit: line.depositId,
  order_id: line.orderId,
  deposit_state: line.depositState,
  labels: line.labels,
  asked_cents: line.askedCents,
  transfer: line.transferId,
  bank_reference: line.bankReference,
  document_number: line.documentNumber,
  payer: line.payer,
  state: line.state,
  rule: line.rule,
  decided_by: line.decidedBy,
  amount_cents: line.cents,
  received_cents: receivedOf(line),
  with_deposit_cents: line.depositCents,
  refunded_cents: line.refundCents,
  open_cents: line.openCents,
  surplus_cents: line.surplusCents,
  by_hand_cents: line.byHandCents,
  difference_cents: differenceOf(line),
  callback: line.callback && {
    event: line.callback.event,
    state: line.callback.state,
    delivered_at: line.callback.deliveredAt,
  },
})

const sumsJson = (sums: Sums) => ({
  transfers: sums.transfers,
  asked_cents: sums.askedCents,
  amount_cents: sums.amountCents,
  received_cents: sums.receivedCents,
  with_deposit_cents: sums.depositCents,
  refunded_cents: sums.refundCents,
  open_cents: sums.openCents,
  surplus_cents: sums.surplusCents,
  by_hand_deposits: sums.byHandDeposits,
  by_hand_cents: sums.byHandCents,
})

/** A monthly sum may exceed 2^53, where a JavaScript number would be rounded: bigints are written digit by digit. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, field) => (typeof field === 'bigint' ? raw(field) : field))

const raw = (cents: Cents): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(cents.toString())
