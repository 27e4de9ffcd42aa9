/** A report as one JSON document, written as it comes. Money is in whole minor units, exact however large. */
import type { Cents } from '../money.ts'
import { differenceOfSums, type ReportFormat, type ReportLine, type Sums } from './report.ts'
import { lineMoney, lineTexts, type Money, sumMoney } from './report-fields.ts'

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
          unbalanced: proof.unbalanced,
          apart: proof.apart,
          control: proof.control,
        })),
      )}}\n`,
  }
}

const lineJson = (line: ReportLine) => ({
  ...lineTexts(line),
  labels: line.labels,
  ...inCents(lineMoney(line)),
  callback: line.callback && {
    event: line.callback.event,
    state: line.callback.state,
    delivered_at: line.callback.deliveredAt,
  },
})

const inCents = (money: Money) =>
  Object.fromEntries(Object.entries(money).map(([name, cents]) => [`${name}_cents`, cents]))

const sumsJson = (sums: Sums) => ({
  transfers: sums.transfers,
  by_hand_deposits: sums.byHandDeposits,
  ...inCents(sumMoney(sums, differenceOfSums(sums))),
})

/** A monthly sum may exceed 2^53, where a JavaScript number would be rounded: bigints are written digit by digit. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, field) => (typeof field === 'bigint' ? raw(field) : field))

const raw = (cents: Cents): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(cents.toString())
