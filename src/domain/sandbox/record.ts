/** The API's schemas of test-mode operations. */

import { type Static, Type } from '../../platform/schema.ts'
import { DepositRecord } from '../deposits/record.ts'
import { mostCents } from '../money.ts'
import { transferStates } from '../transfers/transfer.ts'

/** What a person at the payment page can make the fake bank do. */
export const plays = ['exact', 'less', 'more', 'late', 'twice', 'reject'] as const
export type Play = (typeof plays)[number]

/** A bank's own bounds: ISO 20022 for names and ids, the Bank of Russia for purposes. */
const purposeCharacters = 210
const payerCharacters = 140

export const SandboxTransferRequest = Type.Object(
  {
    deposit: Type.String({ format: 'uuid', description: 'id of the deposit record that money is sent for.' }),
    cents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number(mostCents),
        description: 'Amount in minor units. Without it: what is missing.',
      }),
    ),
    purpose: Type.Optional(
      Type.String({
        maxLength: purposeCharacters,
        description: 'What the payer wrote. Without it: payment_reason, where the deposit has one.',
      }),
    ),
    payer: Type.Optional(Type.String({ maxLength: payerCharacters, description: "The payer's name." })),
    booked_on: Type.Optional(
      Type.String({
        pattern: '^2[0-9]{3}-[0-9]{2}-[0-9]{2}$',
        examples: ['2026-11-15'],
        description: "The bank's day. Without it: now. A day after the deadline makes money late.",
      }),
    ),
    delay_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        description: 'The bank is slow: paid on booked_on or today, booked so many days later.',
      }),
    ),
    bank_id: Type.Optional(
      Type.String({
        pattern: '^[!-~]{1,35}$',
        examples: ['bank-4711'],
        description:
          "The bank's name of the entry. Without it: a new one. The same name again is the same entry.",
      }),
    ),
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 999_999_999_999_999,
        description:
          'Only a higher version than before has an effect. Without it: 1, or the next one with revoked.',
      }),
    ),
    revoked: Type.Optional(
      Type.String({
        pattern: '^(true|false)$',
        examples: ['true'],
        description: '`true`: the bank takes the entry of bank_id back.',
      }),
    ),
  },
  { additionalProperties: false, title: 'SandboxTransferRequest' },
)

export const SandboxTransfer = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier of the transfer.' }),
    bank_id: Type.String({ description: "The bank's name of the entry." }),
    version: Type.Integer({ description: 'The newest version that was reported.' }),
    cents: Type.Integer({ description: 'Amount in minor units.' }),
    currency: Type.String({ description: 'Currency code.' }),
    booked_on: Type.String({ description: "The bank's day." }),
    purpose: Type.String({ description: 'What the payer wrote.' }),
    state: Type.Enum([...transferStates], { description: 'What has become of it.' }),
    deposit: Type.Nullable(
      Type.String({
        format: 'uuid',
        description: 'The deposit that it settles, the first of several; null when none.',
      }),
    ),
    rule: Type.String({ description: 'The rule that decided.', examples: ['reference', 'amount'] }),
    reason: Type.String({ description: 'The reason as a sentence.' }),
  },
  { title: 'SandboxTransfer' },
)

export const SandboxTransferAnswer = Type.Object(
  { transfer: SandboxTransfer, deposit: DepositRecord },
  { title: 'SandboxTransferAnswer' },
)
export type SandboxTransferAnswer = Static<typeof SandboxTransferAnswer>

/** Ten days: longer than every deadline and grace that a merchant has by default. */
export const mostMinutes = 14_400

export const SandboxClockRequest = Type.Object(
  {
    minutes: Type.Integer({ minimum: 1, maximum: mostMinutes, description: 'How much time passes.' }),
  },
  { additionalProperties: false, title: 'SandboxClockRequest' },
)

export const SandboxClockAnswer = Type.Object(
  {
    minutes: Type.Integer({ description: 'How much time passed.' }),
    deposits: Type.Integer({ description: 'How many of your open deposits were moved in time.' }),
  },
  { title: 'SandboxClockAnswer' },
)
