/** The people of the busy day's desk, and what they do: decide, pay back, propose, set limits. */
import type { Db } from '../../../platform/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { Decider } from '../../approvals/proposal.ts'
import { proposeAct } from '../../approvals/propose-act.ts'
import { sealAudit } from '../../audit/seal-audit.ts'
import { typedCents } from '../../money.ts'
import { inviteToDemo } from '../../people/change-person.ts'
import { changeAccount, changeRequisite } from '../../requisites/add-requisite.ts'
import { lockRequisiteLimits } from '../../requisites/store.ts'
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
    await changeRequisite(db, id, { dailyCents, openDeposits: openDeposits + 25 })
  }
  // The alert time of the accounts that have been silent longest is set below their silence.
  for (const { id, hours } of await listLongestSilent(db, 3))
    await changeAccount(db, id, { silentHours: Math.max(1, hours - 1) })
  const accounts = await listDemoAccounts(db)
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
  // As the forms of the desk send them.
  for (const { id, dayCents } of loaded.slice(0, 2)) {
    const { currency } = accounts.find(({ requisiteId }) => requisiteId === id)!
    const now = await db.transaction((tx) => lockRequisiteLimits(tx, id))
    const limits = { min: '', max: '', daily: typedCents(now!.dailyCents!), open: `${now!.openDeposits}` }
    await ask(db, boris, 'requisite.limits', 'requisite_limits', {
      ...{ id, reason: written.fullByNoon, texts: { ...limits, daily: typedCents(dayCents * 3n) } },
      seen: { ...limits, currency },
    })
  }
  const { accountId } = accounts.find(({ kind, currency }) => kind === 'card' && currency === 'RUB')!
  await ask(db, anna, 'requisite.add', 'requisite_add', {
    ...{ id: null, reason: written.oneMoreCard, seen: { warnings: [] } },
    texts: {
      ...{ account: accountId, kind: 'card', number: demoCard('RUB', 99), holder: 'INLET DEMO' },
      ...{ bankName: 'Test Bank', daily: '500000', open: '40' },
    },
  })
  await office.seal()
}

type Asked = Parameters<typeof proposeAct>[1]['asked'] & { reason: string }

const ask = (db: Db, by: Decider, kind: string, audit: string, { reason, ...asked }: Asked) => {
  const subject = asked.id === null ? kind.split('.')[0]! : `${kind.split('.')[0]}:${asked.id}`
  const act = {
    ...by,
    actor: by.email,
    kind,
    subject,
    merchantId: null,
    asked,
    isGuard: false,
    several: asked.id === null,
    reason,
  }
  return db.transaction((tx) => proposeAct(tx, act, audit))
}
