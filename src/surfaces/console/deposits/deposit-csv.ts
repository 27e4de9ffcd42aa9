/** Deposits as CSV: columns are named as in the API, times are in the viewer's time zone, which the header names. */

import { type Cell, csvRow, decimalMark, type Separator } from '../../../domain/reports/csv.ts'
import { isoTimeIn } from '../../../platform/intl.ts'
import type { ConsoleContext } from '../frame.ts'
import type { DepositRow } from '../rows.ts'

/** The separator that spreadsheets expect in each language. */
const separatorOf = ({ language }: ConsoleContext): Separator => (language === 'ru' ? ';' : ',')

export function csvHead(context: ConsoleContext): string {
  const separator = separatorOf(context)
  const zone = context.visitor.person.timeZone
  const mark = decimalMark(separator)
  return csvRow(
    [
      'id',
      'order_id',
      `created_at (${zone})`,
      `amount (0${mark}00)`,
      `received (0${mark}00)`,
      'currency',
      'payment_type',
      'state',
      'labels',
      'customer',
      `final_at (${zone})`,
      'reference',
    ],
    separator,
  )
}

export function csvLine(context: ConsoleContext, line: DepositRow): string {
  const zone = context.visitor.person.timeZone
  const cells: Cell[] = [
    line.id,
    line.orderId,
    isoTimeIn(line.createdAt, zone),
    line.amountCents,
    line.receivedCents,
    line.currency,
    line.paymentType,
    line.state,
    line.labels.join(' '),
    line.customer,
    line.finalAt && isoTimeIn(line.finalAt, zone),
    line.reference,
  ]
  return csvRow(cells, separatorOf(context))
}
