/**
 * The bank of test mode: the early voice of the accounts that it pays to, whose statements anybody may import. Its transfers go
 * through source, matching and confirmation like those of a real bank; nothing here decides about a deposit. It must never serve a
 * live one.
 */

import { bounds } from '../../platform/bounds.ts'
import { newId } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Use, useSignature } from '../../platform/used-once.ts'
import { type DepositContext, expireDeposit } from '../deposits/change-deposit.ts'
import { statesEntered } from '../deposits/decide.ts'
import { type Deposit, type FoundDeposit, obstacle } from '../deposits/deposit.ts'
import { findDeposit } from '../deposits/read-store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { daysAfter } from '../transfers/bank-text/days.ts'
import { type Entry, idKey, prepare } from '../transfers/entry.ts'
import { giveTransfer } from '../transfers/give-transfer.ts'
import type { Source } from '../transfers/source.ts'
import { sourceOf } from '../transfers/source-store.ts'
import { readTransfer } from '../transfers/store.ts'
import { takeEarly } from '../transfers/take-transfers.ts'
import type { Taken } from '../transfers/taken.ts'
import type { Transfer } from '../transfers/transfer.ts'
import { bankDay, bankTime } from './bank-time.ts'
import { findPayee, findToldByKey, hasManyEntries, type Payee } from './store.ts'

/** A payment of the customer's bank. Fields that are left out are taken from the deposit. */
export type FakePayment = {
  depositId: string
  /** The merchant of the deposit; null or left out: any test merchant. */
  merchantId?: MerchantId | null
  cents?: Cents | null
  purpose?: string | null
  payerName?: string | null
  /** The bank's day, yyyy-mm-dd. */
  bookedOn?: string | null
  /** The bank is slow: the payment is booked this many days after the customer paid. */
  delayDays?: number
  /** The deposit expires first, and the money is booked after its last day. */
  late?: boolean
  /** The same payment again, under an id of its own. */
  twice?: boolean
  /** The bank's id of the entry, to send it again. */
  bankId?: string | null
  version?: bigint | null
  /** The bank revokes the entry of this id. */
  isRevoked?: boolean
  /** The signature of the request, which counts once, unless `bankId` makes a repetition the same entry. */
  signature?: Use
}

/** A transfer of the fake bank with its id there, and the last decision about it. */
export type Sent = { transfer: Transfer; bankId: string; rule: string; reason: string }

/** The deposit as it is afterwards, and every transfer that was sent, in order. */
type FakePaid = FoundDeposit & { sent: Sent[]; taken: Taken }

const actor = 'sandbox'

type TooMuch = 'test_deposit_has_too_many_parts' | 'test_deposit_has_too_many_entries'

const tooMuch = (what: TooMuch, most: number) =>
  new Refusal('state_conflict', { detail: message(what, { most }) })

/** Many test merchants share an account, and each gives its own ids there: in the bank's books they begin with the merchant. */
export const idsOf = (merchantId: MerchantId): string => `${merchantId}:`

export async function payByFakeBank(context: DepositContext, payment: FakePayment): Promise<FakePaid> {
  const { depositId, merchantId = null } = payment
  const payee = await findPayee(context.db, depositId)
  if (payee?.mode !== 'test' || (merchantId !== null && merchantId !== payee.merchantId)) {
    throw new Refusal('not_found', { detail: message('no_test_mode_deposit_with_id') })
  }
  // Parts cost nothing here, and whatever happens to the deposit happens to each of them.
  if (payee.parts >= bounds.fakePayments.ofDeposit)
    throw tooMuch('test_deposit_has_too_many_parts', bounds.fakePayments.ofDeposit)
  return pay(context, payment, payee)
}

async function pay(context: DepositContext, payment: FakePayment, payee: Payee): Promise<FakePaid> {
  const { db } = context
  const { depositId, late = false, twice = false, isRevoked = false } = payment
  const { merchantId, accountId } = payee
  const read = async () => (await findDeposit(db, { merchantId, id: depositId }))!
  const before = await read()
  if (!accountId) {
    const { state } = before.deposit
    throw new Refusal('state_conflict', {
      detail: message('deposit_has_no_requisites_yet'),
      more: { state },
    })
  }
  if (isRevoked && !payment.bankId) {
    throw invalid('bank_id', 'required', 'Name the entry that the bank takes back.')
  }
  const source = await db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
  )
  const known = payment.bankId
    ? await reportedBefore(db, source, accountId, idsOf(merchantId) + payment.bankId)
    : undefined
  // The bank revokes the newest version that it has reported.
  const version = payment.version ?? (isRevoked && known ? known.version + 1n : 1n)
  const first = incomingOf(before, accountId, { ...payment, version })
  if (late && before.deposit.state === 'created') {
    await expireDeposit(context, { depositId, actor, reason: message('test_bank_is_late') })
  }
  const again = () => ({ ...first, bankId: idsOf(merchantId) + newBankId(), documentNumber: newNumber() })
  const entries = twice ? [first, again()] : [first]
  const isRepeatable = payment.bankId && !isRevoked
  const { signature } = payment
  const group = entries.map((entry) => prepare(entry))
  const { taken, changes } = await db.transaction(async (tx) => {
    if (signature && !isRepeatable) await useSignature(tx, signature)
    const done = await takeEarly(tx, group, { source, publicUrl: context.publicUrl })
    // The money may be for another deposit than the named one.
    for (const { deposit } of done.changes) {
      refuseOtherMerchants(before.deposit, deposit)
      if (await hasManyEntries(tx, deposit.id))
        throw tooMuch('test_deposit_has_too_many_entries', bounds.fakePayments.entries)
    }
    return done
  })
  context.changed(statesEntered(changes))
  const [{ transfer, rule }] = (await readSent(db, source, [first])) as [Sent]
  const isOpen = transfer.state === 'unmatched' || transfer.state === 'ambiguous'
  if (
    isOpen &&
    isPlain(payment) &&
    rule === 'amount_doubt' &&
    !obstacle(before.deposit, 'receive', before.now)
  ) {
    const reason = message('test_bank_names_deposit')
    await giveTransfer(context, {
      transferId: transfer.id,
      depositId,
      actor,
      reason,
      despiteReference: true,
    })
  }
  return { ...(await read()), sent: await readSent(db, source, entries), taken }
}

/**
 * A payment without its own purpose is meant for this deposit. Where its amount alone does not say so (an underpaid card has no
 * reference), the test bank also plays the operator who matches it manually; the transfer's decisions show it.
 */
const isPlain = ({ purpose, bankId, isRevoked }: FakePayment): boolean => !purpose && !bankId && !isRevoked

/** The entry as a bank would write it. */
function incomingOf(
  { deposit, now }: FoundDeposit,
  accountId: string,
  {
    cents,
    purpose,
    payerName,
    bookedOn,
    delayDays = 0,
    late,
    bankId,
    version,
    isRevoked = false,
  }: FakePayment,
): Entry {
  const today = bankDay(now, deposit.currency)
  const lastDay = bankDay(deposit.expiresAt, deposit.currency)
  const afterIt = today > lastDay ? today : daysAfter(lastDay, 1)
  const paidOn = bookedOn ?? (late ? afterIt : today)
  const isNow = !bookedOn && !late && delayDays === 0
  const text = purpose || deposit.shown?.payment_reason || 'Перевод'
  return {
    accountId,
    direction: 'credit',
    cents: cents ?? missingOf(deposit),
    currency: deposit.currency,
    bookedOn: daysAfter(paidOn, delayDays),
    bookedAt: isNow ? new Date(bankTime(now, deposit.currency)) : null,
    paidOn: delayDays > 0 ? paidOn : null,
    documentNumber: newNumber(),
    payerName: payerName || 'Тестовый плательщик',
    payerAccount: `4081…${customerDigits(deposit)}`,
    payerTaxId: '',
    payerBank: 'Тестовый банк',
    purpose: text,
    purposeParts: [text],
    bankId: idsOf(deposit.merchantId) + (bankId || newBankId()),
    channel: 'sandbox',
    version: version ?? 1n,
    line: null,
    isReversal: isRevoked,
    isInternal: false,
  }
}

/** Each deposit has its own payer: otherwise a payer who has paid a part of one would wait for a person with any other amount. */
const customerDigits = ({ id }: Deposit): string =>
  String(Number.parseInt(id.slice(-8), 16) % 10_000).padStart(4, '0')

/** What is still to pay; of a deposit that has everything, the whole amount once more. */
export const missingOf = ({ amountCents, receivedCents }: Deposit): Cents =>
  receivedCents < amountCents ? amountCents - receivedCents : amountCents

/** Thirty-two characters: ISO 20022 gives a bank's reference thirty-five. */
const newBankId = (): string => newId().replaceAll('-', '')

const newNumber = (): string => String(Number.parseInt(newId().slice(-5), 16) + 1)

/** What the bank has already reported about this entry. */
async function reportedBefore(
  db: Db,
  source: Source,
  accountId: string,
  bankId: string,
): Promise<Transfer | undefined> {
  const [known] = await findToldByKey(db, source.id, [{ accountId, key: keyOfId(bankId) }])
  return known && (await readTransfer(db, known.id))?.transfer
}

const invalid = (name: string, code: string, detail: string) =>
  new Refusal('invalid_value', {
    detail: `${name}: ${detail}`,
    errors: [{ pointer: `#/${name}`, code, detail }],
  })

/**
 * Test merchants share accounts, so an amount or a reference may belong to another merchant: with a real bank such money
 * would settle that deposit, and here it must not. Nor may a merchant take back money of another one.
 */
function refuseOtherMerchants({ merchantId, state }: Deposit, changed: Deposit): void {
  if (changed.merchantId !== merchantId)
    throw new Refusal('state_conflict', {
      detail: message('money_of_another_test_merchant'),
      more: { state },
    })
}

/** A fake bank's ids last. */
const keyOfId = (bankId: string): Buffer => idKey('credit', bankId)

async function readSent(db: Db, source: Source, entries: readonly Entry[]): Promise<Sent[]> {
  const keys = entries.map(({ accountId, bankId }) => ({ accountId, key: keyOfId(bankId!) }))
  const known = await findToldByKey(db, source.id, keys)
  // Of several under one id the newest.
  const byKey = new Map(known.toReversed().map(({ key, id }) => [key.toString('hex'), id]))
  return Promise.all(
    entries.map(async ({ bankId }, place) => {
      const { transfer, decisions } = (await readTransfer(db, byKey.get(keys[place]!.key.toString('hex'))!))!
      const { rule, reason } = decisions.at(-1)!
      return { transfer, bankId: bankId!.split(':').slice(1).join(':'), rule, reason: `${reason}` }
    }),
  )
}
