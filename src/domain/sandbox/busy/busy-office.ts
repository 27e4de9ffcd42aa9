/** The people of the busy day's desk, and what they do: decide, pay back, propose, set limits. */
import type { Db } from '../../../platform/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault.ts'
import { changeAccountLimits, changeRequisiteLimits } from '../../approvals/change-limits.ts'
import type { Decider } from '../../approvals/proposal.ts'
import { propose } from '../../approvals/propose.ts'
import { proposeAct } from '../../approvals/propose-act.ts'
import { sealAudit } from '../../audit/seal-audit.ts'
import { inviteToDemo } from '../../people/change-person.ts'
import { addToList } from '../../rules/change-list.ts'
import { demoCard } from '../demo-data.ts'
import { markDemoPeople } from '../store.ts'
import { type Random, written } from './busy-plan.ts'
import type { BusyShops } from './busy-shops.ts'
import { listDemoAccounts, listLongestSilent, listMostLoaded } from './past-store.ts'

export type BusyOffice = Awaited<ReturnType<typeof openBusyOffice>>

/** The payer on the watch list, whose money always waits for a person. */
export const listedPayer = 'Подозрительный Образец'

export async function openBusyOffice(db: Db, { vault, log }: { vault: Vault; log: Log }) {
  const deciders: Decider[] = []
  for (const [email, name] of [
    ['anna@demo.example', 'Anna Example'],
    ['boris@demo.example', 'Boris Sample'],
  ] as const) {
    const person = await db.transaction(async (tx) => {
      const actor = { personId: null, name: 'demo', requestId: null }
      const invited = await inviteToDemo(tx, {
        actor,
        email,
        name,
        operatorRole: 'operator',
        membership: null,
      })
      await markDemoPeople(tx, [invited.person.id])
      return invited.person
    })
    deciders.push({ personId: person.id, email, requestId: null })
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

/** Puts requisites near their limits, makes accounts overdue for bank data, and requests changes that need a second person. */
export async function endOfDay(
  db: Db,
  { office, shops, random }: { office: BusyOffice; shops: BusyShops; random: Random },
): Promise<void> {
  const [anna, boris] = office.deciders as [Decider, Decider]
  const loaded = await listMostLoaded(db, 12)
  for (const { id, dayCents, openDeposits } of loaded) {
    // The limit is slightly above what was used today, so that 70 to 99 % of it is used.
    const dailyCents = (dayCents * BigInt(random.between(101, 140))) / 100n
    const limits = { minCents: null, maxCents: null, dailyCents, openDeposits: openDeposits + 25 }
    await changeRequisiteLimits(db, { id, limits, by: anna, reason: written.agreement })
  }
  const noLimits = { dayCents: null, monthCents: null, openDeposits: null }
  // The alert time of the accounts that have been silent longest is set below their silence.
  for (const { id, hours } of await listLongestSilent(db, 3))
    await changeAccountLimits(db, {
      ...{ id, limits: noLimits, silentHours: Math.max(1, hours - 1), by: boris },
      reason: written.pushesHourly,
    })
  const accounts = await listDemoAccounts(db)
  const proposals = [
    ...loaded.slice(0, 2).map(({ id, dayCents }) => ({
      reason: written.fullByNoon,
      change: { kind: 'requisite_limits', id, limits: { dailyCents: dayCents * 3n } } as const,
    })),
    {
      reason: written.oneMoreCard,
      change: {
        kind: 'requisite_add',
        add: {
          accountId: accounts.find(({ kind, currency }) => kind === 'card' && currency === 'RUB')!.accountId,
          draft: { kind: 'card', number: demoCard('RUB', 99), holder: 'INLET DEMO', bankName: 'Test Bank' },
          ...{ bankCode: null, confirmed: true },
          limits: { minCents: null, maxCents: null, dailyCents: 50_000_000n, openDeposits: 40 },
        },
      },
    },
  ] as const
  for (const [place, { change, reason }] of proposals.entries())
    await propose(db, { change, reason, by: place % 2 === 0 ? anna : boris })
  const shop = shops.all[2]!.merchant
  await db.transaction((tx) =>
    proposeAct(
      tx,
      {
        ...{ kind: 'merchant.callback', subject: `merchant:${shop.id}`, merchantId: shop.id },
        asked: {
          id: shop.id,
          texts: { callback: 'https://new.game.example/callbacks/inlet' },
          seen: { callback: shop.callbackUrl ?? '' },
        },
        ...{ isGuard: false, several: false, reason: `${written.newServer}` },
        ...{ personId: anna.personId, actor: anna.email, requestId: null },
      },
      'callback_address',
    ),
  )
  await office.seal()
}
