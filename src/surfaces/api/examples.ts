/** The examples of the API's document: one deposit in all its states. */

import type { EventType } from '../../domain/callbacks/callback.ts'
import { billPath, payPath } from '../../domain/deposits/page-paths.ts'
import { nothingTaken } from '../../domain/transfers/taken.ts'
import {
  problemOf,
  Refusal,
  type RefusalCode,
  type RefusalDetails,
  refusals,
} from '../../platform/refusals.ts'

/** The request of the worked example in the reference: vector 1 of test/vectors/signature.json. */
export const exampleRequest = {
  merchant: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647',
  order_id: 'A-1001',
  cents: 150000,
  currency: 'RUB',
  payment_type: 'any_bank',
  customer: 'user-42',
} as const

/** The same order in the other flow. */
export const exampleBuild = {
  merchant: exampleRequest.merchant,
  order_id: 'A-1002',
  cents: 150000,
  currency: 'RUB',
  payment_type: 'uzs_select',
} as const

export const exampleBuilt = (publicUrl: string) => ({
  uuid: '019a8d20-9b02-7f3e-8c14-51d2e0a7b396',
  merchant: exampleBuild.merchant,
  order_id: exampleBuild.order_id,
  state: 'builded',
  amount_currency: exampleBuild.currency,
  payment_data: { url: publicUrl + payPath('/:token', 'Zk3vT8wQ1nXc5RbL0yHd7g') },
  is_final: false,
  created_at: '2026-11-15T09:00:00.000Z',
  expires_at: '2026-11-15T09:30:00.000Z',
})

const field = (name: string, code: string, detail: string) => ({ pointer: `#/${name}`, code, detail })

/** Where a refusal says more than its code, an example shows it. */
const exampleDetails: Partial<Record<RefusalCode, RefusalDetails>> = {
  unknown_field: { errors: [field('orderid', 'unknown_field', 'This operation has no such field.')] },
  invalid_type: { errors: [field('customer', 'invalid_type', 'It must be a string, not a number.')] },
  separator_in_value: {
    errors: [field('customer', 'separator_in_value', 'It contains "::" or has ":" at an edge.')],
  },
  timestamp_out_of_window: { more: { server_time: 1794700000 } },
  invalid_value: { errors: [field('customer', 'required', 'This field is required.')] },
  amount_out_of_range: {
    detail: 'cents must lie between 10000 and 10000000 for any_bank in RUB.',
    errors: [
      field('cents', 'amount_out_of_range', 'cents must lie between 10000 and 10000000 for any_bank in RUB.'),
    ],
    more: { min_cents: 10000, max_cents: 10000000 },
  },
  customer_limit_reached: {
    detail:
      "This would be more than one customer may ask for in a bank's day. There is room again at 2026-11-15T21:00:00.000Z at the latest. Nothing was stored.",
    more: { limit: 'customer_day_cents', free_at: '2026-11-15T21:00:00.000Z' },
  },
  state_conflict: {
    detail: 'A deposit that is confirmed cannot be canceled.',
    more: { state: 'confirmed' },
  },
  events_gone: {
    detail: 'Events up to 1200 are no longer kept. Read on with after=1200.',
    more: { oldest_sequence: 1201 },
  },
  order_id_reused: {
    detail: 'Differs in: cents.',
    errors: [field('cents', 'differs', 'It differs from the first request with this order_id.')],
  },
}

export const problemExample = (code: RefusalCode, publicUrl: string) => ({
  summary: refusals[code].title,
  value: problemOf(new Refusal(code, exampleDetails[code]), 'req_T0kq0mJ3v9wXc1Zs', publicUrl),
})

export const exampleRecord = (publicUrl: string) => ({
  id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  merchant: exampleRequest.merchant,
  external_id: exampleRequest.order_id,
  state: 'created',
  kind: 'deposit',
  amount_cents: exampleRequest.cents,
  amount_currency: exampleRequest.currency,
  seller: 'IP Petrov I. A.',
  buyer: exampleRequest.customer,
  payment_data: {
    number: '2200990000000006',
    name: 'PETROV IVAN',
    bank_name: 'Test Bank',
    url: publicUrl + payPath('/:token', 'q1LhJ0x2mS9nV4tYc7Bz3A'),
  },
  payment_bill_url: publicUrl + billPath('/:name', 'q1LhJ0x2mS9nV4tYc7Bz3A.png'),
  payment_type: exampleRequest.payment_type,
  is_final: false,
  final_at: null,
  labels: [],
  received_cents: 0,
  created_at: '2026-11-15T09:00:00.000Z',
  expires_at: '2026-11-15T09:30:00.000Z',
})

const closed = { is_final: true, final_at: '2026-11-15T09:12:40.000Z' }
const paid = { received_cents: exampleRequest.cents }

/** What the example record says at each event. */
export const eventChanges: Record<EventType, object> = {
  'deposit.confirmed': { state: 'confirmed', ...paid, ...closed },
  'deposit.rejected': { state: 'rejected', ...closed },
  'deposit.expired': { state: 'expired' },
  'deposit.canceled': { state: 'canceled', ...closed },
  'deposit.reversed': { state: 'reversed', ...paid, ...closed },
  'deposit.underpaid': { labels: ['underpaid'], received_cents: 100000 },
  'deposit.overpaid': { state: 'confirmed', labels: ['overpaid'], received_cents: 150100, ...closed },
  'deposit.review': { labels: ['review'], received_cents: 150000 },
  'deposit.method_selected': {},
  'deposit.claimed': {},
}

/** Where the event is not what closed the deposit. */
const eventTimes: Partial<Record<EventType, string>> = {
  'deposit.expired': '2026-11-15T09:30:00.412Z',
  'deposit.overpaid': '2026-11-15T11:02:07.000Z',
}

export const exampleEventId = '019a8d2c-1f5e-7a04-8d31-6c0b9e72f415'
export const exampleSequence = 27

export const exampleEvent = (type: EventType, publicUrl: string) => ({
  type,
  id: exampleEventId,
  sequence: exampleSequence,
  timestamp: eventTimes[type] ?? closed.final_at,
  data: { ...exampleRecord(publicUrl), ...eventChanges[type] },
})

export const exampleCallback = {
  id: exampleEventId,
  sequence: exampleSequence,
  deposit: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  type: 'deposit.confirmed',
  state: 'pending',
  url: 'https://shop.example/inlet',
  attempts: 1,
  last_status: 503,
  created_at: closed.final_at,
  delivered_at: null,
  next_attempt_at: '2026-11-15T09:12:46.000Z',
  held_because: null,
}

/** The deposit of the example is paid, exactly and once. */
export const exampleSandboxTransfer = {
  deposit: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  cents: exampleRequest.cents,
} as const

export const exampleSandboxPaid = (publicUrl: string) => ({
  transfer: {
    id: '019a8d2c-1f3b-7d90-a6c5-0e4f7b28d913',
    bank_id: '019a8d2c1f3a7c418b7755d0e9a3f602',
    version: 1,
    cents: exampleRequest.cents,
    currency: exampleRequest.currency,
    booked_on: '2026-11-15',
    purpose: 'Перевод',
    state: 'matched',
    deposit: exampleSandboxTransfer.deposit,
    rule: 'amount',
    reason: 'Only this deposit is awaiting this amount.',
  },
  deposit: { ...exampleRecord(publicUrl), ...eventChanges['deposit.confirmed'] },
})

export const exampleLimits = {
  currencies: ['RUB'],
  payment_types: ['any_bank', 'uzs_select'],
  limits: [
    {
      operation: 'create',
      currency: 'RUB',
      payment_type: 'any_bank',
      min_cents: 10000,
      max_cents: 10000000,
      available: true,
    },
    {
      operation: 'build',
      currency: 'RUB',
      payment_type: 'uzs_select',
      min_cents: 10000,
      max_cents: 60000000,
      available: true,
    },
  ],
}

export const examplePush = {
  id: '2026111500042',
  version: '1',
  account: '40702810300000000042',
  cents: 150000,
  currency: 'RUB',
  booked_on: '2026-11-15',
  booked_at: '2026-11-15T12:12:40+03:00',
  payer_name: 'Иванов Иван Иванович',
  purpose: 'Пополнение KT48219034',
}

const { parked: _ofFiles, ...nothingPushed } = nothingTaken
export const examplePushed = { ...nothingPushed, taken: 1, matched: 1 }
