/**
 * Requests for deposits, in groups that share a commit. Those whose customers have limits are in smaller groups of their own, because
 * each reads its customer's deposits: others never wait for that, and those of merchants with limits wait for one small group.
 */
import { bounds } from '../../platform/bounds.ts'
import { GroupCommit } from '../../platform/group-commit.ts'
import { Refusal } from '../../platform/refusals.ts'
import { limitsOf } from '../rules/check-customers.ts'
import { type Creator, createDeposits } from './create-deposit.ts'
import type { CreateDeposit } from './draft.ts'
import type { Acknowledged } from './order.ts'

/** `groups`: how many without limits may be under way at once. `observe` is called with the number of members of each. */
type Options = { creator: Creator; groups: number; observe: (members: number) => void }

export type GroupedCreates = ReturnType<typeof groupCreates>

export function groupCreates({ creator, groups, observe }: Options) {
  const inGroups = (members: number, groups: number) =>
    new GroupCommit<CreateDeposit, Acknowledged>({
      members,
      groups,
      queue: bounds.groupQueue,
      attempts: bounds.groupAttempts,
      oneByOneMs: bounds.groupOneByOneMs,
      overloaded: () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }),
      ownerOf: ({ merchant }) => merchant.id,
      run: createDeposits.bind(null, creator),
      observe,
    })
  const plain = inGroups(bounds.groupMembers, groups)
  const limited = inGroups(bounds.limitedGroupMembers, 1)
  return {
    /** The groups that this request belongs to. */
    of: (asked: CreateDeposit) => (limitsOf(asked) ? limited : plain),
    stop: async () => void (await Promise.all([plain.stop(), limited.stop()])),
    get waiting() {
      return plain.waiting + limited.waiting
    },
  }
}
