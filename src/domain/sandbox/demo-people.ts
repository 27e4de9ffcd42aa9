/** Two people for the consoles of the demo, with a new one-time link for each at every start. */

import type { Db } from '../../platform/db.ts'
import { inviteToDemo } from '../people/change-person.ts'
import type { Demo } from './demo-file.ts'
import { markDemoPeople } from './store.ts'

export type DemoLinks = { merchant: string; operator: string }

/** Invites both, and returns their links. */
export async function inviteDemoPeople(
  db: Db,
  { merchant }: Demo,
  linkTo: (token: string) => string,
): Promise<DemoLinks> {
  const common = {
    actor: { personId: null, name: 'demo', requestId: null },
    operatorRole: null,
    membership: null,
  }
  // Marked in the same transaction, so that they never count as real people.
  const { owner, operator } = await db.transaction(async (tx) => {
    const owner = await inviteToDemo(tx, {
      ...common,
      email: 'owner@demo.example',
      name: 'Demo owner',
      membership: { merchantId: merchant, role: 'owner' },
    })
    const operator = await inviteToDemo(tx, {
      ...common,
      email: 'operator@demo.example',
      name: 'Demo operator',
      operatorRole: 'admin',
    })
    await markDemoPeople(tx, [owner.person.id, operator.person.id])
    return { owner, operator }
  })
  return { merchant: linkTo(owner.token), operator: linkTo(operator.token) }
}
