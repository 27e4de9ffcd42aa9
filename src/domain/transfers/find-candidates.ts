/** The deposits that a transfer may be for: as the matcher judges them, and as a person names one. */
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Deposit, obstacle } from '../deposits/deposit.ts'
import { readDeposits } from '../deposits/read-store.ts'
import { type DepositRow, textSearch } from '../deposits/search.ts'
import { searchDeposits } from '../deposits/search-store.ts'
import { readMerchantNames } from '../merchants/store.ts'
import { type Message, message } from '../messages/message.ts'
import { findAccount } from '../requisites/account-store.ts'
import { findBegun, findNamed, findOfAmount, mayServe } from './match-store.ts'
import { matchTransfer, type Outcome } from './matching.ts'
import { referencesIn } from './purpose-references.ts'
import type { Transfer } from './transfer.ts'

export type Candidate = { deposit: Deposit; merchantName: string; likelihood: number; reason: Message }

const candidatesMost = 20

/** The deposits that the matcher would look at now, each judged alone by the matcher's rules. */
export async function findCandidates(db: Db, transfer: Transfer): Promise<Candidate[]> {
  const { currency } = (await findAccount(db, transfer.accountId))!
  const references = referencesIn(transfer)
  const names = [...references.written, ...references.bare]
  const { named, ofAmount, begun } = await db.transaction(async (tx) => ({
    named: (await findNamed(tx, names)).map(({ depositId }) => depositId),
    ofAmount: (await findOfAmount(tx, [transfer]))(transfer).map(({ depositId }) => depositId),
    begun: (await findBegun(tx, [transfer])).map(({ depositId }) => depositId),
  }))
  const ids = [...new Set([...named, ...ofAmount, ...begun])]
  const found = await readDeposits(db, ids.slice(0, candidatesMost))
  const merchantNames = await readMerchantNames(
    db,
    found.map(({ deposit }) => deposit.merchantId),
  )
  const judged = found.map(({ deposit, accountId, now }) => {
    const only = [{ deposit, accountId: accountId ?? '' }]
    const { outcome, reason } = matchTransfer({
      transfer: { ...transfer, references, isInternal: false },
      // Here a person decides whether the amount is enough.
      account: { currency, amountMatching: 'always' },
      named: named.includes(deposit.id) ? only : [],
      ofAmount: ofAmount.includes(deposit.id) ? only : [],
      ofPayer: begun.includes(deposit.id) ? only : [],
      ...{ alike: [], listed: [], now },
    })
    return { deposit, merchantName: merchantNames.get(deposit.merchantId) ?? '', outcome, reason }
  })
  const count = judged.filter(({ outcome }) => outcome === 'amount').length
  return judged
    .map(({ outcome, reason, ...one }) => ({
      ...one,
      likelihood: likelihoods[outcome],
      reason: outcome === 'amount' && count > 1 ? message('match_several_candidates', { count }) : reason,
    }))
    .toSorted(
      (a, b) => b.likelihood - a.likelihood || a.deposit.createdAt.getTime() - b.deposit.createdAt.getTime(),
    )
}

/** The likeliest candidate comes first; one of 0 is not chosen for the person. */
const likelihoods: Record<Outcome, number> = {
  reference: 3,
  amount: 2,
  reference_doubt: 1,
  amount_doubt: 0,
  not_payment: 0,
  listed: 0,
}

const foundMost = 20

/** The deposits that a person finds by a text, and that may get the money of the transfer. */
export async function findReceivers(tx: Tx, transfer: Transfer, text: string): Promise<DepositRow[]> {
  const found = await searchDeposits(tx, textSearch(text.trim()), { before: null, limit: foundMost })
  const serving: DepositRow[] = []
  for (const row of found)
    if (row.deposit.currency === transfer.currency && (await mayServe(tx, transfer.id, row.deposit.id)))
      serving.push(row)
  return serving
}

/** The one deposit that a person means: of several the only one that can get money now. */
export async function findReceiver(tx: Tx, transfer: Transfer, text: string): Promise<string> {
  const found = await findReceivers(tx, transfer, text)
  const open = found.filter(({ deposit, now }) => !obstacle(deposit, 'receive', now))
  const [only, second] = open.length > 0 ? open : found
  if (only && !second) return only.deposit.id
  const [status, detail] = only
    ? (['invalid_value', message('several_deposits_found')] as const)
    : (['not_found', message('no_deposit_found_for_transfer')] as const)
  throw new Refusal('invalid_value', { errors: [{ pointer: '#/deposit', code: status, detail }] })
}
