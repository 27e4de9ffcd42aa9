/** Deposits as CSV: columns are named as in the API, times are in the viewer's time zone, which the header names. */

import { type Cell, csvRow, decimalMark, type Separator } from '../../../domain/reports/csv.ts'
import { dateFormat } from '../../../platform/intl.ts'
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
    dateTime(line.createdAt, zone),
    line.amountCents,
    line.receivedCents,
    line.currency,
    line.paymentType,
    line.state,
    line.labels.join(' '),
    line.customer,
    line.finalAt && dateTime(line.finalAt, zone),
    line.reference,
  ]
  return csvRow(cells, separatorOf(context))
}

/** `2026-11-15 14:35:07`. The Swedish locale writes dates as ISO 8601 does. */
const dateTime = (at: Date, timeZone: string): string =>
  dateFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)

/** The date of this moment in the viewer's time zone. */
export const dayIn = (at: Date, timeZone: string): string => dateTime(at, timeZone).slice(0, 10)
