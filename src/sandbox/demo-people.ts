/** Two people to look at the consoles as, and a one-time way in for each: made anew at every start of a demo. */
import { inviteToDemo } from '../people/change-person.ts'
import type { Db } from '../platform/db.ts'
import type { Demo } from './demo-file.ts'

export type DemoLinks = { merchant: string; operator: string }

export async function demoLinks(db: Db, { merchant }: Demo, publicUrl: string): Promise<DemoLinks> {
  const common = {
    actor: { personId: null, name: 'demo', requestId: null },
    operatorRole: null,
    membership: null,
  }
  const owner = await inviteToDemo(db, {
    ...common,
    email: 'owner@demo.example',
    name: 'Demo owner',
    membership: { merchantId: merchant, role: 'owner' },
  })
  const operator = await inviteToDemo(db, {
    ...common,
    email: 'operator@demo.example',
    name: 'Demo operator',
    operatorRole: 'admin',
  })
  return { merchant: `${publicUrl}/join/${owner.token}`, operator: `${publicUrl}/join/${operator.token}` }
}
