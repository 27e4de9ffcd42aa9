/**
 * A report of a day or a month: one line for each transfer, or for each deposit that has a part of it, and one for each deposit
 * that was confirmed without any.
 * Totals are updated line by line, so that a million lines need no more memory than one; and the books are
 * proved: all received money is with deposits, refunded or open.
 */

import type { CallbackState, EventType } from '../callbacks/callback.ts'
import type { DepositState } from '../deposits/deposit.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Cents, type Currency, decimal } from '../money.ts'
import type { TransferState } from '../transfers/transfer.ts'

/** Days of the banks, the first and the last of them. */
export type Period = { from: string; to: string }

type ReportHead = Period & {
  mode: Mode
  merchantId: string | null
  currency: Currency | null
  madeAt: Date
}

/** not_kept: so long ago that the record of the callback is gone. */
type LineCallbackState = CallbackState | 'not_kept'
export type LineCallback = { event: EventType | null; state: LineCallbackState; deliveredAt: Date | null }

export type ReportLine = {
  kind: 'transfer' | 'deposit'
  bookedOn: string
  currency: Currency
  merchantId: string | null
  merchantName: string | null
  /** The key of the totals: the requisite, or the account where the requisite is unknown. */
  placeId: string
  requisite: string
  /** The deposit that the transfer settled, even if it was refunded or revoked since. */
  depositId: string | null
  orderId: string | null
  depositState: DepositState | null
  labels: readonly string[]
  askedCents: Cents | null
  /** The first line of its deposit: the requested amount counts once, however many transfers pay it. */
  isFirst: boolean
  transferId: string | null
  /** A further deposit of a transfer that an earlier line has counted. */
  isFurtherShare: boolean
  bankReference: string
  documentNumber: string
  payer: string
  state: TransferState | 'confirmed'
  rule: string
  decidedBy: string
  /** The amount of the transfer, or of its part for this deposit; the fields below split it. */
  cents: Cents
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
  surplusCents: Cents
  /** Recorded manually, without a transfer. */
  byHandCents: Cents
  callback: LineCallback | null
}

/** States that are not received money: shown, and counted separately. */
export const apartStates = ['duplicate', 'revoked', 'debit', 'reversal'] as const
type ApartState = (typeof apartStates)[number]

const isApart = (state: ReportLine['state']): state is ApartState =>
  (apartStates as readonly string[]).includes(state)

export const receivedOf = ({ state, cents }: Pick<ReportLine, 'state' | 'cents'>): Cents =>
  isApart(state) ? 0n : cents

/** Zero, unless the parts of a transfer do not add up to its amount. */
export const differenceOf = (line: ReportLine): Cents =>
  receivedOf(line) - line.depositCents - line.refundCents - line.openCents

/**
 * The surplus of a transfer over the amount of its deposit. Manual money counts first, then transfers in the
 * order of their ids, so that the surplus of each adds up to the surplus of all.
 */
export function surplusOf(amounts: {
  askedCents: Cents
  notedCents: Cents
  /** Up to and including this transfer. */
  soFarCents: Cents
  depositCents: Cents
}): Cents {
  const { askedCents, notedCents, soFarCents, depositCents } = amounts
  const noted = soFarCents === depositCents ? atLeastZero(notedCents - askedCents) : 0n
  const over = atLeastZero(notedCents + soFarCents - askedCents)
  return noted + (over < depositCents ? over : depositCents)
}

const atLeastZero = (cents: Cents): Cents => (cents > 0n ? cents : 0n)

export type Sums = {
  transfers: number
  askedCents: Cents
  amountCents: Cents
  receivedCents: Cents
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
  surplusCents: Cents
  byHandDeposits: number
  byHandCents: Cents
}

export type Total = Sums &
  Pick<ReportLine, 'merchantId' | 'merchantName' | 'currency' | 'placeId' | 'requisite'>

/** The same transfers, counted and summed by the database itself. */
type Control = { currency: Currency; transfers: number; cents: Cents }

export type Proof = Sums & {
  currency: Currency
  apart: Record<ApartState, { transfers: number; cents: Cents }>
  /** Received less its parts. */
  differenceCents: Cents
  /** Transfers whose parts do not add up: two errors could cancel out in the sum. */
  unbalanced: number
  control: { transfers: number; cents: Cents }
  holds: boolean
}

/** Sums line by line. Its memory grows with merchants and requisites, never with lines. */
export class Tally {
  readonly #totals = new Map<string, Total>()
  readonly #proofs = new Map<Currency, Omit<Proof, 'differenceCents' | 'control' | 'holds'>>()

  add(line: ReportLine): void {
    const { merchantId, merchantName, currency, placeId, requisite } = line
    const key = `${merchantId} ${currency} ${placeId}`
    const total = this.#totals.get(key) ?? {
      merchantId,
      merchantName,
      currency,
      placeId,
      requisite,
      ...zeroSums(),
    }
    this.#totals.set(key, total)
    addTo(total, line)
    const proof = this.#proofOf(currency)
    addTo(proof, line)
    if (differenceOf(line) !== 0n) proof.unbalanced++
    if (isApart(line.state) && !line.isFurtherShare) {
      proof.apart[line.state].transfers++
      proof.apart[line.state].cents += line.cents
    }
  }

  /** By currency, then by merchant, then by requisite; what belongs to no merchant comes last. */
  totals(): Total[] {
    const keyOf = (subtotal: Total) => [
      subtotal.currency,
      subtotal.merchantName ?? '\uffff',
      subtotal.merchantId ?? '',
      subtotal.requisite,
      subtotal.placeId,
    ]
    return [...this.#totals.values()]
      .map((total) => ({ total, key: JSON.stringify(keyOf(total)) }))
      .sort((left, right) => (left.key < right.key ? -1 : 1))
      .map(({ total }) => total)
  }

  /** One for each currency, because amounts of different currencies cannot be added. */
  proofs(controls: readonly Control[]): Proof[] {
    for (const { currency } of controls) this.#proofOf(currency)
    return [...this.#proofs.values()]
      .sort((left, right) => (left.currency < right.currency ? -1 : 1))
      .map((proof) => {
        const { transfers = 0, cents = 0n } =
          controls.find(({ currency }) => currency === proof.currency) ?? {}
        const differenceCents = differenceOfSums(proof)
        const isWhole = transfers === proof.transfers && cents === proof.amountCents
        const holds = differenceCents === 0n && proof.unbalanced === 0 && isWhole
        return { ...proof, differenceCents, control: { transfers, cents }, holds }
      })
  }

  #proofOf(currency: Currency) {
    const proof = this.#proofs.get(currency) ?? {
      currency,
      ...zeroSums(),
      unbalanced: 0,
      apart: {
        duplicate: { transfers: 0, cents: 0n },
        revoked: { transfers: 0, cents: 0n },
        debit: { transfers: 0, cents: 0n },
        reversal: { transfers: 0, cents: 0n },
      },
    }
    this.#proofs.set(currency, proof)
    return proof
  }
}

export const differenceOfSums = (sums: Sums): Cents =>
  sums.receivedCents - sums.depositCents - sums.refundCents - sums.openCents

const zeroSums = (): Sums => ({
  transfers: 0,
  askedCents: 0n,
  amountCents: 0n,
  receivedCents: 0n,
  depositCents: 0n,
  refundCents: 0n,
  openCents: 0n,
  surplusCents: 0n,
  byHandDeposits: 0,
  byHandCents: 0n,
})

function addTo(sums: Sums, line: ReportLine): void {
  if (line.kind === 'deposit') sums.byHandDeposits++
  else if (!line.isFurtherShare) sums.transfers++
  if (line.isFirst) sums.askedCents += line.askedCents ?? 0n
  sums.amountCents += line.cents
  sums.receivedCents += receivedOf(line)
  sums.depositCents += line.depositCents
  sums.refundCents += line.refundCents
  sums.openCents += line.openCents
  sums.surplusCents += line.surplusCents
  sums.byHandCents += line.byHandCents
}

/** An output format: the beginning, each line, and the end. */
export type ReportFormat = {
  begin(head: ReportHead): string
  lines(lines: readonly ReportLine[]): string
  end(totals: readonly Total[], proofs: readonly Proof[]): string
}

/** `1500.50`, also below zero: a difference may be. */
export const signed = (cents: Cents): string => (cents < 0n ? `-${decimal(-cents)}` : decimal(cents))

/** `Иванов И. П.`: enough to recognise a known payer, not enough to find one. */
export function maskedName(name: string): string {
  const [first = '', ...others] = name.match(/[\p{L}\p{M}\p{N}'’ʻʼ-]+/gu) ?? []
  return [first, ...others.map((word) => `${[...word][0]}.`)].join(' ')
}
