/**
 * Chooses the requisite of a deposit. Pure: the least loaded one within every limit, and among equals the lowest id, so
 * the same inputs always give the same answer. The database decides in the end: if another process takes the slot or
 * the last place first, the caller chooses again.
 *
 * A deposit over a limit is refused: amounts are never changed or split to fit.
 */
import type { Cents } from '../money.ts'
import type { RequisiteKind } from './requisite.ts'

export type Candidate = {
  id: string
  accountId: string
  kind: RequisiteKind
  /** Shown to the customer, like the fields that follow. */
  number: string
  holder: string
  bankName: string
  bic: string | null
  corrAccount: string | null
  taxId: string | null
  kpp: string | null
  kbe: string | null
  knp: string | null
  link: string | null
  seller: string
  /** A payment to it has a purpose with our reference; otherwise only the amount identifies the deposit. */
  carriesReference: boolean
  minCents: Cents | null
  maxCents: Cents | null
  dailyCents: Cents | null
  openLimit: number | null
  openDeposits: number
  dayCents: Cents
  /** The load of its receiving account, if that has limits; one object for all candidates of the account. */
  account: AccountLoad | null
}

/** The current load of a receiving account over all its requisites, and its limits. */
export type AccountLoad = {
  openLimit: number | null
  dayLimit: Cents | null
  monthLimit: Cents | null
  openDeposits: number
  dayCents: Cents
  monthCents: Cents
}

/** Amounts for which an open deposit on an account already waits, as `account:amount`. */
export type TakenSlots = Set<string>

export const slotKey = (accountId: string, amountCents: Cents): string => `${accountId}:${amountCents}`

export function chooseRequisite(
  candidates: readonly Candidate[],
  taken: TakenSlots,
  amountCents: Cents,
): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates) {
    if (!obstacleTo(candidate, taken, amountCents) && (!best || isLessLoaded(candidate, best)))
      best = candidate
  }
  return best
}

/** Counts the deposit on the candidate, so that the next choice of a group takes it into account. */
export function takeDeposit(candidate: Candidate, taken: TakenSlots, amountCents: Cents): void {
  candidate.openDeposits += 1
  candidate.dayCents += amountCents
  if (candidate.account) {
    candidate.account.openDeposits += 1
    candidate.account.dayCents += amountCents
    candidate.account.monthCents += amountCents
  }
  if (!candidate.carriesReference) taken.add(slotKey(candidate.accountId, amountCents))
}

/** Why a requisite cannot take a deposit. */
export type Obstacle =
  | 'least'
  | 'most'
  | 'open'
  | 'day'
  | 'account_open'
  | 'account_day'
  | 'account_month'
  | 'amount_taken'

type Limited = Pick<
  Candidate,
  | 'accountId'
  | 'carriesReference'
  | 'minCents'
  | 'maxCents'
  | 'dailyCents'
  | 'openLimit'
  | 'openDeposits'
  | 'dayCents'
  | 'account'
>

/** The first reason why a requisite cannot take this amount; undefined when it can. */
export function obstacleTo(limited: Limited, taken: TakenSlots, amountCents: Cents): Obstacle | undefined {
  const { minCents, maxCents, dailyCents, openLimit } = limited
  if (minCents !== null && amountCents < minCents) return 'least'
  if (maxCents !== null && amountCents > maxCents) return 'most'
  if (openLimit !== null && limited.openDeposits + 1 > openLimit) return 'open'
  if (dailyCents !== null && limited.dayCents + amountCents > dailyCents) return 'day'
  const accountProblem = limited.account && accountObstacle(limited.account, amountCents)
  if (accountProblem) return accountProblem
  const isFree = limited.carriesReference || !taken.has(slotKey(limited.accountId, amountCents))
  return isFree ? undefined : 'amount_taken'
}

function accountObstacle(account: AccountLoad, amountCents: Cents): Obstacle | undefined {
  const { openLimit, dayLimit, monthLimit } = account
  if (openLimit !== null && account.openDeposits + 1 > openLimit) return 'account_open'
  if (dayLimit !== null && account.dayCents + amountCents > dayLimit) return 'account_day'
  return monthLimit !== null && account.monthCents + amountCents > monthLimit ? 'account_month' : undefined
}

function isLessLoaded(left: Candidate, right: Candidate): boolean {
  if (left.openDeposits !== right.openDeposits) return left.openDeposits < right.openDeposits
  if (left.dayCents !== right.dayCents) return left.dayCents < right.dayCents
  return left.id < right.id
}
