/**
 * The API's schemas: what a merchant sends and gets. The OpenAPI document, the validation of requests and the tests of
 * answers are made from these. The API's duplicate names (external_id, buyer) are used only here. "Spec 2.1" is that section of
 * the specification; what it leaves open is decided in docs/decisions/surfaces.md.
 */

import { bounds } from '../../platform/bounds.ts'
import { type Static, Type } from '../../platform/schema.ts'
import { currencies, mostCents } from '../money.ts'
import { type Deposit, depositStates, isFinal, type ListedDeposit, type Shown } from './deposit.ts'
import { billPath, payPath } from './page-paths.ts'

const text = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: bounds.textCharacters, description, ...options })

const address = (description: string) =>
  Type.String({ format: 'uri', maxLength: bounds.urlCharacters, description })

/**
 * The one list of the fields of a request, by their names on the wire, with what a deposit calls them. The schema below, the
 * fingerprint, the body that is shown again and what is stored follow from it. A test compares it with what is signed, with the
 * client's types, and with a deposit that is read back.
 */
export const requestFields = {
  order_id: 'orderId',
  cents: 'amountCents',
  currency: 'currency',
  payment_type: 'paymentType',
  customer: 'customer',
  customer_phone_number: 'customerPhoneNumber',
  callback_url: 'callbackUrl',
  success_url: 'successUrl',
  reject_url: 'rejectUrl',
} as const satisfies Record<string, keyof Deposit>

/** Spec 2.1. Unknown fields are refused. */
export const CreateRequest = Type.Object(
  {
    merchant: Type.String({ format: 'uuid', description: 'Merchant identifier.' }),
    order_id: text("Identifier of the order in the merchant's own system. It names one deposit for ever."),
    cents: Type.Integer({
      minimum: 1,
      maximum: Number(mostCents),
      description: 'Amount in minor units: 3.12 is 312. A decimal string is accepted too.',
    }),
    currency: Type.Enum([...currencies], { description: 'Currency code.' }),
    payment_type: text('Payment type, one of those that GET /api/v1/requests/limit lists.', {
      examples: ['any_bank', 'sbp', 'bankx', 'account_number'],
    }),
    customer: text('Your unique identifier of the customer: a name, an e-mail address or any id.'),
    callback_url: Type.Optional(
      address(
        "Receives a POST about the result. When omitted, the address in the merchant's settings is used.",
      ),
    ),
    success_url: Type.Optional(
      address(
        "Where the payment page sends the customer after the payment is confirmed. When omitted, the address in the merchant's settings is used, if there is one.",
      ),
    ),
    reject_url: Type.Optional(
      address(
        "Where the payment page sends the customer after the payment is rejected. When omitted, the address in the merchant's settings is used, if there is one.",
      ),
    ),
    customer_phone_number: Type.Optional(
      Type.String({
        pattern: '^\\+?[0-9]{7,15}$',
        examples: ['+998901234567'],
        description: "Customer's phone number: 7 to 15 digits, with a + before them or without.",
      }),
    ),
  } satisfies Record<keyof typeof requestFields | 'merchant', unknown>,
  { additionalProperties: false, title: 'CreateRequest' },
)

/** Spec 2.4: as above, without the phone; the customer need not be named. */
const {
  customer_phone_number: _phone,
  customer,
  currency: _currency,
  payment_type: _type,
  ...shared
} = CreateRequest.properties
export const BuildRequest = Type.Object(
  {
    ...shared,
    currency: Type.Enum(['RUB', 'UZS'], { description: 'Currency code.' }),
    payment_type: text('Only `uzs_select`: the customer chooses the method on the payment page.', {
      examples: ['uzs_select'],
    }),
    customer: Type.Optional(customer),
  },
  { additionalProperties: false, title: 'BuildRequest' },
)

/** Spec 2.6, for the direct flow: which fields are present depends on payment_type. */
export const PaymentData = Type.Object(
  {
    number: Type.Optional(
      Type.String({ description: 'Card number, phone number (E.164) or account number.' }),
    ),
    name: Type.Optional(Type.String({ description: 'Name of the holder of the requisites.' })),
    bank_name: Type.Optional(Type.String({ description: 'Bank name.' })),
    bic: Type.Optional(
      Type.String({ description: 'Bank identification code, for account-number transfers.' }),
    ),
    payment_reason: Type.Optional(
      Type.String({
        description:
          'Transfer description, for account-number transfers. Carries the reference by which the money is recognised: the customer must keep it.',
      }),
    ),
    url: Type.String({ format: 'uri', description: 'Link to the payment page.' }),
  },
  { title: 'PaymentData' },
)

/** Spec 2.3 with the additions of our contract. Fields may be added, never removed or renamed. */
export const DepositRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier of the request.' }),
    merchant: Type.String({ format: 'uuid', description: 'Merchant identifier.' }),
    external_id: Type.String({ description: "The merchant's order identifier: order_id of the request." }),
    state: Type.Enum([...depositStates], { description: '`created` in the answer of create.' }),
    kind: Type.Literal('deposit'),
    amount_cents: Type.Integer({ description: 'Amount in minor units.' }),
    amount_currency: Type.String({ description: 'Currency code.' }),
    seller: Type.Nullable(Type.String({ description: "Public name of the requisite's owner." })),
    buyer: Type.String({ description: 'The customer of the request.' }),
    payment_data: PaymentData,
    payment_bill_url: Type.Nullable(Type.String({ format: 'uri', description: 'Link to a bill image.' })),
    payment_type: Type.String({
      description: 'Payment type of the request, or the one the customer chose.',
    }),
    is_final: Type.Boolean({
      description: 'True when the state will not change again (except by a bank reversal).',
    }),
    final_at: Type.Nullable(
      Type.String({ format: 'date-time', description: 'Since when it is final; null while it is not.' }),
    ),
    labels: Type.Array(Type.String(), {
      description:
        'Can be combined. `underpaid`: less money has arrived than requested. `overpaid`: more has. `late`: it arrived after expires_at. `review`: money has arrived, and the operator decides whether it counts; wait for deposit.confirmed or deposit.rejected. `manual`: a person confirmed it. More labels may be added.',
    }),
    received_cents: Type.Integer({ description: 'What has arrived so far, in minor units.' }),
    created_at: Type.String({ format: 'date-time', description: 'When you created it.' }),
    expires_at: Type.String({ format: 'date-time', description: 'When the time to pay expires.' }),
    uuid: Type.Optional(
      Type.String({ format: 'uuid', description: 'Selection flow only: the same as `id`.' }),
    ),
    order_id: Type.Optional(Type.String({ description: 'Selection flow only: the same as `external_id`.' })),
  },
  { title: 'DepositRecord' },
)

/** Spec 2.5 with the additions of our contract. */
export const BuildAnswer = Type.Object(
  {
    uuid: Type.String({ format: 'uuid', description: 'Identifier of the request.' }),
    merchant: Type.String({ format: 'uuid', description: 'Merchant identifier.' }),
    order_id: Type.String({ description: "The merchant's order identifier." }),
    state: Type.Enum([...depositStates], { description: '`builded` in the answer of build.' }),
    amount_currency: Type.String({ description: 'Currency code.' }),
    payment_data: Type.Object({
      url: Type.String({ format: 'uri', description: 'Link to the payment page.' }),
    }),
    is_final: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'BuildAnswer' },
)

export const DepositPage = Type.Object(
  {
    deposits: Type.Array(DepositRecord),
    next_after: Type.Nullable(
      Type.String({ description: 'Pass it as `after` for the next page; null on the last one.' }),
    ),
  },
  { title: 'DepositPage' },
)

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'A sentence you can act on.' }),
    code: Type.String({ description: 'Never changes its meaning.' }),
    retryable: Type.Boolean({ description: 'The same request with the same order_id may succeed later.' }),
    request_id: Type.String(),
    errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
  },
  { title: 'Problem' },
)

export type DepositRecord = Static<typeof DepositRecord>

/** A valid request; optional fields that were sent empty count as absent. */
export type DepositRequest = Pick<Deposit, (typeof requestFields)[keyof typeof requestFields]>

export function requestFrom(values: ReadonlyMap<string, string>): DepositRequest {
  const request: Record<string, unknown> = {}
  for (const [name, property] of fieldNames) request[property] = values.get(name) || null
  request.amountCents = BigInt(values.get('cents')!)
  return request as DepositRequest
}
const fieldNames = Object.entries(requestFields)

export function recordOf(deposit: ListedDeposit, now: Date, publicUrl: string): DepositRecord {
  const { shown } = deposit
  const final = isFinal(deposit, now)
  return {
    id: deposit.id,
    merchant: deposit.merchantId,
    external_id: deposit.orderId,
    state: deposit.state,
    kind: 'deposit',
    amount_cents: Number(deposit.amountCents),
    amount_currency: deposit.currency,
    seller: shown?.seller ?? null,
    buyer: deposit.customer ?? '',
    payment_data: { ...requisitesOf(shown), url: pageUrl(publicUrl, deposit.pageToken) },
    payment_bill_url: shown && publicUrl + billPath('/:name', `${deposit.pageToken}.png`),
    payment_type: deposit.paymentType,
    is_final: final,
    // An expired deposit becomes final by time alone, so nothing is stored.
    final_at: final ? (deposit.finalAt ?? deposit.lateUntil).toISOString() : null,
    labels: deposit.labels,
    received_cents: Number(deposit.receivedCents),
    created_at: deposit.createdAt.toISOString(),
    expires_at: deposit.expiresAt.toISOString(),
    ...(deposit.flow === 'build' && { uuid: deposit.id, order_id: deposit.orderId }),
  }
}

export const buildAnswerOf = (
  deposit: Deposit,
  now: Date,
  publicUrl: string,
): Static<typeof BuildAnswer> => ({
  uuid: deposit.id,
  merchant: deposit.merchantId,
  order_id: deposit.orderId,
  state: deposit.state,
  amount_currency: deposit.currency,
  payment_data: { url: pageUrl(publicUrl, deposit.pageToken) },
  is_final: isFinal(deposit, now),
  created_at: deposit.createdAt.toISOString(),
  expires_at: deposit.expiresAt.toISOString(),
})

/** Fields are listed one by one, because the snapshot has more than the merchant may see. */
const requisitesOf = (shown: Shown | null) =>
  shown && {
    number: shown.number,
    name: shown.name,
    bank_name: shown.bank_name,
    ...(shown.bic !== undefined && { bic: shown.bic }),
    ...(shown.payment_reason !== undefined && { payment_reason: shown.payment_reason }),
  }

export const pageUrl = (publicUrl: string, token: string): string => publicUrl + payPath('/:token', token)
