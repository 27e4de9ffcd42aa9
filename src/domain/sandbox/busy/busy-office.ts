/** The people of the busy day's desk, and what they leave to be done: full requisites, and changes that need a second person. */
import type { Db } from '../../../platform/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { Decider } from '../../approvals/proposal.ts'
import { proposeAct } from '../../approvals/propose-act.ts'
import { sealAudit } from '../../audit/seal-audit.ts'
import type { Merchant } from '../../merchants/merchant.ts'
import { typedCents } from '../../money.ts'
import { inviteToDemo } from '../../people/change-person.ts'
import { changeRequisite } from '../../requisites/add-requisite.ts'
import { addToList } from '../../rules/change-list.ts'
import { markDemoPeople } from '../store.ts'
import { listedPayer } from './busy-bank.ts'
import type { Random } from './busy-plan.ts'
import { listMostLoaded } from './past-store.ts'

/** What the people of the desk write as their reasons. */
export const written = {
  chargebacks: 'Two chargebacks in October',
  fullByNoon: 'Full by noon every day',
  newServer: 'The shop moved to a new server',
  otherDay: 'The receipt is of another day',
  seenInApp: 'Seen in the app of the bank',
  nobodyKnows: 'No shop knows this payment',
  bookedLater: 'The bank booked it a day later',
  returned: 'Returned to the payer by the bank',
} as const

export type BusyOffice = Awaited<ReturnType<typeof openBusyOffice>>

export async function openBusyOffice(db: Db, { vault, log }: { vault: Vault; log: Log }) {
  const deciders: Decider[] = []
  for (const [email, name] of [
    ['anna@demo.example', 'Anna Example'],
    ['boris@demo.example', 'Boris Sample'],
  ] as const) {
    const actor = { personId: null, name: 'demo', requestId: null }
    const personId = await db.transaction(async (tx) => {
      const { person } = await inviteToDemo(tx, {
        ...{ actor, email, name },
        ...{ operatorRole: 'operator', membership: null },
      })
      await markDemoPeople(tx, [person.id])
      return person.id
    })
    deciders.push({ personId, email, requestId: null })
  }
  await addToList(db, {
    ...{ list: 'watch', kind: 'payer', value: listedPayer, merchantId: null },
    ...{ reason: written.chargebacks, addedBy: deciders[0]!.email },
  })
  const seal = () => sealAudit(db, vault, log)
  await seal()
  let turn = 0
  return {
    deciders,
    /** The next person in turn, as the actor of a history. */
    actor: () => `operator:${deciders[turn++ % deciders.length]!.email}`,
    seal,
  }
}

export async function endOfDay(
  db: Db,
  { office, shop, random }: { office: BusyOffice; shop: Merchant; random: Random },
): Promise<void> {
  const [anna, boris] = office.deciders as [Decider, Decider]
  const proposed = { isGuard: false, several: false }
  for (const { id, currency, dayCents, openDeposits } of await listMostLoaded(db)) {
    // The limit is slightly above what was used today, so that 90 to 99 % of it is used.
    const limits = {
      dailyCents: (dayCents * BigInt(random.between(101, 110))) / 100n,
      openDeposits: openDeposits + 25,
    }
    await changeRequisite(db, id, limits)
    // As the form of the desk sends it.
    const texts = { min: '', max: '', daily: typedCents(limits.dailyCents), open: `${limits.openDeposits}` }
    const higher = { ...texts, daily: typedCents(dayCents * 3n) }
    await db.transaction((tx) =>
      proposeAct(
        tx,
        {
          ...{ ...boris, actor: boris.email, ...proposed, reason: written.fullByNoon },
          ...{ kind: 'requisite.limits', subject: `requisite:${id}`, merchantId: null },
          asked: { id, texts: higher, seen: { ...texts, currency } },
        },
        'requisite_limits',
      ),
    )
  }
  await db.transaction((tx) =>
    proposeAct(
      tx,
      {
        ...{ ...anna, actor: anna.email, ...proposed, reason: written.newServer },
        ...{ kind: 'merchant.callback', subject: `merchant:${shop.id}`, merchantId: shop.id },
        asked: {
          id: shop.id,
          texts: { callback: 'https://new.game.example/callbacks/inlet' },
          seen: { callback: shop.callbackUrl! },
        },
      },
      'callback_address',
    ),
  )
  await office.seal()
}
