/**
 * Creates in groups that share a commit. Those whose customers have limits are in smaller groups of their own, because each
 * reads its customer's deposits: creates without limits never wait for that, and those of merchants with limits wait
 * for one small group.
 */
import { bounds } from '../../platform/bounds.ts'
import { type GroupCommit, groupCommit } from '../../platform/group-commit.ts'
import { Refusal } from '../../platform/refusals.ts'
import { limitsOf } from '../rules/check-customers.ts'
import { type CreateDeposit, type Creator, createDeposits } from './create-deposit.ts'
import type { Acknowledged } from './order.ts'

type GroupedCreates = {
  creator: Creator
  /** How many groups without limits may be under way at once. */
  groups: number
  /** Called with the number of members of each group. */
  observe: (members: number) => void
}

export function groupCreates({
  creator,
  groups,
  observe,
}: GroupedCreates): GroupCommit<CreateDeposit, Acknowledged> {
  const inGroups = (members: number, groups: number) =>
    groupCommit({
      members,
      groups,
      queue: bounds.groupQueue,
      attempts: bounds.groupAttempts,
      oneByOneMs: bounds.groupOneByOneMs,
      overloaded: () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }),
      ownerOf: ({ merchant }: CreateDeposit) => merchant.id,
      run(asked: CreateDeposit[]) {
        observe(asked.length)
        return createDeposits(creator, asked)
      },
    })
  const plain = inGroups(bounds.groupMembers, groups)
  const limited = inGroups(bounds.limitedGroupMembers, 1)
  return {
    add: (asked) => (limitsOf(asked) ? limited : plain).add(asked),
    stop: async () => void (await Promise.all([plain.stop(), limited.stop()])),
    get waiting() {
      return plain.waiting + limited.waiting
    },
  }
}
