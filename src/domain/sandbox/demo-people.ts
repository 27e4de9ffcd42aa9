/** Two people to look at the consoles as, and a one-time way in for each: made anew at every start of a demo. */

import type { Db } from '../../platform/db.ts'
import { inviteToDemo } from '../people/change-person.ts'
import type { Demo } from './demo-file.ts'
import { markDemoPeople } from './store.ts'

export type DemoLinks = { merchant: string; operator: string }

export async function demoLinks(
  db: Db,
  { merchant }: Demo,
  linkTo: (token: string) => string,
): Promise<DemoLinks> {
  const common = {
    actor: { personId: null, name: 'demo', requestId: null },
    operatorRole: null,
    membership: null,
  }
  // Marked in the same transaction: there is no moment in which they are people like others.
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
