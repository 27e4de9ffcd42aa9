/**
 * Removes the demo before production: everything that it made is closed, and production does not start
 * before that. Rows stay, because deposits and the audit record refer to them, but give no access any more.
 */
import { rm } from 'node:fs/promises'
import type { Db, Tx } from '../../platform/db.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { isUuid } from '../../platform/request-fields.ts'
import { appendAudit } from '../audit/store.ts'
import { findMerchant } from '../merchants/store.ts'
import { removeFactors } from '../people/factor-store.ts'
import { endLinks, endLinksMadeBy } from '../people/links/store.ts'
import { endSessions } from '../people/session-store.ts'
import { lockPerson, setDisabled } from '../people/store.ts'
import { type Demo, demoFile, readDemo } from './demo-file.ts'
import {
  closeDemoAccounts,
  closeDemoMerchants,
  listDemoPeople,
  listDoneByDemo,
  listLetInByDemo,
  lockInstallation,
  markDemoMerchant,
  type OpenDemo,
  readOpenDemo,
  withdrawProposals,
} from './store.ts'

/**
 * What the demo's people did beyond the demo, for the operator to decide. `letIn`: people whom they, or people whom
 * they admitted, have admitted. `done`: their other acts, such as a merchant of their own.
 */
type RemovedDemo = OpenDemo & { letIn: string[]; done: string[] }

/** Returns what it closed. */
export async function removeDemo(db: Db, dataDir: string): Promise<RemovedDemo> {
  const demo = await readDemo(dataDir)
  const open = await db.transaction(async (tx) => {
    await lockInstallation(tx)
    await markMerchantOf(tx, demo)
    const open = await readOpenDemo(tx)
    for (const id of await listDemoPeople(tx)) await closePerson(tx, id)
    await closeDemoMerchants(tx)
    await closeDemoAccounts(tx)
    if (hasAny(open)) {
      await appendAudit(tx, {
        ...{ personId: null, actor: 'command line', act: 'demo_remove', subject: 'installation:demo' },
        ...{ merchantId: null, reason: '', before: open, after: null, requestId: null },
      })
    }
    return open
  })
  await rm(demoFile(dataDir), { force: true })
  return { ...open, letIn: await listLetInByDemo(db), done: await listDoneByDemo(db) }
}

async function closePerson(tx: Tx, id: string): Promise<void> {
  await lockPerson(tx, id)
  await setDisabled(tx, id, true)
  await endSessions(tx, { personId: id })
  await endLinks(tx, id)
  await endLinksMadeBy(tx, id, 'anywhere')
  await withdrawProposals(tx, id)
  await removeFactors(tx, id)
}

/** Refuses to start in production while people, keys or requisites of the demo are active. */
export async function refuseDemo(db: Db, dataDir: string): Promise<void> {
  const demo = await readDemo(dataDir)
  const open = await db.transaction(async (tx) => {
    await markMerchantOf(tx, demo)
    return readOpenDemo(tx)
  })
  if (!hasAny(open)) return
  throw new OperatorProblem(
    `This database was used for the demo, which is still open (${openText(open)}). Run "inlet demo remove" with the same settings: it closes all of it. Then start again.`,
  )
}

/** Older demos have no mark, but the file beside them names their merchant. */
async function markMerchantOf(tx: Tx, demo: Demo | undefined): Promise<void> {
  if (demo && isUuid(demo.merchant) && (await findMerchant(tx, demo.merchant)))
    await markDemoMerchant(tx, demo.merchant)
}

const hasAny = ({ people, merchants, accounts, links }: OpenDemo): boolean =>
  people.length + merchants.length + accounts + links > 0

const openText = ({ people, merchants, accounts, links }: OpenDemo): string =>
  [
    ...people.map((email) => `person ${email}`),
    ...merchants.map((id) => `merchant ${id}`),
    ...(accounts > 0 ? [`receiving accounts: ${accounts}`] : []),
    ...(links > 0 ? [`links that its people handed out: ${links}`] : []),
  ].join(', ')
