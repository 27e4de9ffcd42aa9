/** One act for a day of an account: its held rows are paired with what was told early and never booked, amount by amount. */
import { hash } from 'node:crypto'
import type { Queryable } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { message } from '../messages/message.ts'
import {
  type DecidedTransfer,
  decideTransfers,
  decideTransferWithin,
  type TransferAct,
} from './decide-transfer.ts'
import { findDoubtsOfDay } from './doubt-store.ts'
import { calledSame } from './same-payment.ts'
import { lockAccounts } from './store.ts'
import type { DayPairs, Transfer } from './transfer.ts'

type Day = { accountId: string; day: string }

/** Held booked rows of a day, and early rows that they may be: each amount one to one, in the order in which they were told. */
export async function readPairs(db: Queryable, { accountId, day }: Day): Promise<DayPairs> {
  const { held, early } = await findDoubtsOfDay(db, { accountId, day })
  const waiting = Map.groupBy(early, ({ cents }) => cents)
  const pairs: DayPairs['pairs'] = []
  const heldLeft: Transfer[] = []
  for (const one of held) {
    const candidates = waiting.get(one.cents) ?? []
    const at = candidates.findIndex(({ id }) => one.heldWith.includes(id))
    if (at < 0) heldLeft.push(one)
    else pairs.push({ held: one, early: candidates.splice(at, 1)[0]! })
  }
  return { pairs, heldLeft, earlyLeft: [...waiting.values()].flat() }
}

/** What a person has seen of a day: it may have more pairs than a form can hold. */
export const digestOf = ({ pairs }: DayPairs): string =>
  hash('sha256', pairs.map(({ held, early }) => `${held.id} ${early.id}`).join(), 'base64url')

type PairDay = Omit<TransferAct, 'transferId'> &
  Day & {
    /** The digest of the pairs that the person has seen. Where they have changed since, nothing happens. */
    seen: string
  }

/** The early row remains, with its deposit, and is booked; the number of pairs. */
export async function pairDay(
  context: DepositContext,
  { accountId, day, seen, ...act }: PairDay,
): Promise<number> {
  const done = await decideTransfers(context, async (tx) => {
    await lockAccounts(tx, [accountId])
    const found = await readPairs(tx, { accountId, day })
    const { pairs } = found
    if (pairs.length === 0) throw new Refusal('state_conflict', { detail: message('nothing_to_pair') })
    if (digestOf(found) !== seen)
      throw new Refusal('state_conflict', { detail: message('pairs_have_changed') })
    const decided: DecidedTransfer[] = []
    for (const { held, early } of pairs) {
      const same = calledSame({ ...act, sameAs: early.id, despiteReference: true })
      decided.push(await decideTransferWithin(tx, context, { ...act, transferId: held.id }, same))
    }
    return decided
  })
  return done.length
}
