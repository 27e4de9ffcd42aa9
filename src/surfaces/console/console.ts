/** A merchant's console: what its routes work with, its navigation, and the merchant whose console it is. */
import type { AuditDraft } from '../../domain/audit/audit.ts'
import type { TestParts } from '../../domain/callbacks/delivery/send-test.ts'
import type { AddressRule } from '../../domain/deposits/address.ts'
import type { DepositContext } from '../../domain/deposits/change-deposit.ts'
import type { Merchant, MerchantId } from '../../domain/merchants/merchant.ts'
import { findMerchant } from '../../domain/merchants/store.ts'
import type { Db } from '../../platform/db.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { Refusal } from '../../platform/refusals.ts'
import { callbacks } from '../../sections/callbacks.ts'
import { endpoints } from '../../sections/endpoints.ts'
import { keys } from '../../sections/keys.ts'
import { limits } from '../../sections/limits.ts'
import { members } from '../../sections/members.ts'
import type { Context, Section } from '../../sections/section.ts'
import { allSections } from '../../sections/sections.ts'
import { shop } from '../../sections/shop.ts'
import { shopDeposits } from '../../sections/shop-deposits.ts'
import { type Entry, placeOf } from '../office/frame.ts'
import type { OfficeTools } from '../office/routes.ts'
import type { GuardedRoutes, KnownVisit } from '../staff/guarded-routes.ts'
import { consoleRoot, staffPath } from '../staff/paths.ts'
import { pageContext } from '../staff/routes.ts'
import { auditLine as staffLine } from '../staff/visit.ts'
import type { Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { consolePath } from './paths.ts'

export type ConsoleTools = TestParts & {
  routes: GuardedRoutes
  /** Reloads the key caches at once, so that a new secret works immediately, in the demo shop too. */
  keysChanged: (merchantId: MerchantId) => Promise<void>
  context: DepositContext
  limits: RateLimit
  isProduction: boolean
  isTrustedHost: AddressRule['isTrustedHost']
  /** The database's time. */
  now: () => Promise<Date>
}

export const officeToolsOf = (tools: ConsoleTools): OfficeTools => ({
  routes: tools.routes,
  limits: tools.limits,
  route: (path) => `${consoleRoot}${path}`,
  contextOf: (visit) => contextOf(tools, visit),
  pagesOf: (visit) => pagesOf(tools, visit),
  proposalAt: () => null,
  withdrawAt: ({ merchantId }, id) => consolePath('/requests/:id/withdraw', merchantId, id),
})

/** What the acts of declared sections work with, for this visit to the console. */
export async function contextOf(tools: ConsoleTools, visit: KnownVisit): Promise<Context> {
  const { context, vault, outbound, isTrustedHost, keysChanged } = tools
  return {
    ...{ ...context, vault, outbound, isTrustedHost, merchantId: visit.merchantId },
    personId: visit.visitor.person.id,
    now: await tools.now(),
    timeZone: visit.visitor.person.timeZone,
    language: visit.language,
    merchantsChanged: () => keysChanged(visit.merchantId),
    sections: allSections,
    begin: async (_key, work) => void (await work(context)),
  }
}

async function pagesOf(tools: ConsoleTools, visit: KnownVisit) {
  const [{ name, mode }, now] = await Promise.all([merchantOf(tools.db, visit), tools.now()])
  const page = { ...pageContext(visit), visitor: visit.visitor }
  const place = placeOf(page, {
    root: staffPath(consoleRoot, visit.merchantId),
    ...{ where: name, mode, guide: '/docs/guides/merchants' },
    groups: groupsOf(mode),
  })
  return { ...page, now, place }
}

export async function merchantOf(db: Db, { merchantId }: KnownVisit): Promise<Merchant> {
  const merchant = await findMerchant(db, merchantId)
  if (!merchant) throw new Refusal('not_found')
  return merchant
}

const entry = ({ path, name }: Section, icon: Markup): Entry => ({ path, name, icon })

/** The test bank exists in test mode only. */
const groupsOf = (mode: Merchant['mode']): Parameters<typeof placeOf>[1]['groups'] => [
  [
    ['Payments', 'Платежи'],
    [
      { path: '/overview', name: ['Overview', 'Обзор'], icon: icons.home },
      entry(shopDeposits, icons.deposit),
    ],
  ],
  [
    ['Integration', 'Интеграция'],
    [
      entry(callbacks, icons.send),
      entry(endpoints, icons.list),
      entry(keys, icons.key),
      ...(mode === 'test'
        ? [{ path: '/bank', name: ['Test bank', 'Тестовый банк'] as const, icon: icons.account }]
        : []),
    ],
  ],
  [
    ['Account', 'Управление'],
    [entry(limits, icons.gauge), entry(members, icons.people), entry(shop, icons.sliders)],
  ],
]

/** An entry of the audit log about what this person does at this merchant. */
export const auditLine = (
  visit: KnownVisit,
  line: Pick<AuditDraft, 'act'> & Partial<AuditDraft>,
): AuditDraft => {
  const { merchantId } = visit
  return staffLine(visit, { subject: `merchant:${merchantId}`, merchantId, ...line })
}
