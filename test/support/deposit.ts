/** A deposit for tests of pure code: half an hour to pay, to a Russian account, nothing has happened yet. */
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import type { Reference } from '../../src/domain/deposits/reference.ts'

/** A moment of the day on which that deposit was made. */
export const at = (text: string): Date => new Date(`2026-11-15T${text}:00Z`)

export const depositWith = (changes: Partial<Deposit> = {}): Deposit => ({
  id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803',
  merchantId: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647',
  orderId: 'A-1001',
  flow: 'create',
  state: 'created',
  amountCents: 150_050n,
  currency: 'RUB',
  paymentType: 'account_number',
  customer: 'user-42',
  customerPhoneNumber: null,
  callbackUrl: null,
  successUrl: null,
  rejectUrl: null,
  shown: null,
  reference: 'KT48219034' as Reference,
  pageToken: 'q1LhJ0x2mS9nV4tYc7Bz3A',
  receivedCents: 0n,
  labels: [],
  claimedAt: null,
  extended: false,
  createdAt: at('09:00'),
  issuedAt: at('09:00'),
  expiresAt: at('09:30'),
  lateUntil: at('19:30'),
  finalAt: null,
  ...changes,
})
