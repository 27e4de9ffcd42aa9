/** The operator's desk: what its routes work with, its navigation, and the counts of waiting work. */
import type { AddressRule } from '../../domain/deposits/address.ts'
import type { DepositContext } from '../../domain/deposits/change-deposit.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import type { Vault } from '../../platform/vault.ts'
import { accounts } from '../../sections/accounts.ts'
import { approvals } from '../../sections/approvals.ts'
import { audit } from '../../sections/audit.ts'
import { bankSources } from '../../sections/bank-sources.ts'
import { deposits } from '../../sections/deposits.ts'
import { installation } from '../../sections/installation.ts'
import { lists } from '../../sections/lists.ts'
import { merchants } from '../../sections/merchants.ts'
import { paymentTypes } from '../../sections/payment-types.ts'
import { people } from '../../sections/people.ts'
import { refunds } from '../../sections/refunds.ts'
import { reports } from '../../sections/reports.ts'
import { requisites } from '../../sections/requisites.ts'
import { type Context, inLanguage, type Section } from '../../sections/section.ts'
import { allSections } from '../../sections/sections.ts'
import { statements } from '../../sections/statements.ts'
import { transfers } from '../../sections/transfers.ts'
import type { Directory } from '../api/merchant-directory.ts'
import { type Entry, placeOf } from '../office/frame.ts'
import type { OfficeTools } from '../office/routes.ts'
import type { GuardedRoutes, KnownVisit } from '../staff/guarded-routes.ts'
import { deskRoot } from '../staff/paths.ts'
import { pageContext } from '../staff/routes.ts'
import type { Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import type { Background } from './background.ts'
import { countedText, type QueueCounts, queueKinds } from './queue/queue.ts'
import { countQueue } from './queue/store.ts'
import { queueWords } from './queue/words.ts'

export type DeskTools = {
  routes: GuardedRoutes
  context: DepositContext
  vault: Vault
  outbound: Outbound
  directory: Directory
  limits: RateLimit
  isTrustedHost: AddressRule['isTrustedHost']
  background: Background
  /** The database's time. */
  now: () => Promise<Date>
  log: Pick<Log, 'warn'>
}

export const officeToolsOf = (tools: DeskTools): OfficeTools => ({
  routes: tools.routes,
  limits: tools.limits,
  route: (path) => `${deskRoot}${path}`,
  contextOf: (visit) => contextOf(tools, visit),
  pagesOf: (visit) => pagesOf(tools, visit),
  proposalAt: (id) => `${deskRoot}/approvals/${id}`,
})

/** What the acts of declared sections work with, for this visit to the desk. */
const contextOf = async (tools: DeskTools, visit: KnownVisit): Promise<Context> => {
  const { context, vault, outbound, directory, isTrustedHost, background } = tools
  return {
    ...{ ...context, vault, outbound, isTrustedHost, merchantId: null },
    personId: visit.visitor.person.id,
    now: await tools.now(),
    timeZone: visit.visitor.person.timeZone,
    language: visit.language,
    merchantsChanged: (merchantId) => directory.forget(merchantId),
    sections: allSections,
    begin: background.begin,
  }
}

async function pagesOf({ context }: DeskTools, visit: KnownVisit) {
  const { now, kinds } = await countQueue(context.db)
  const page = { ...pageContext(visit), visitor: visit.visitor }
  const place = placeOf(page, {
    root: deskRoot,
    where: inLanguage(['Operator', 'Оператор'], visit.language),
    guide: '/docs/guides/operators',
    groups: groupsOf(visit, kinds),
  })
  return { ...page, now, place }
}

const entry = ({ path, name }: Section, icon: Markup): Entry => ({ path, name, icon })

const groupsOf = ({ language }: KnownVisit, kinds: QueueCounts): Parameters<typeof placeOf>[1]['groups'] => {
  const count = (...numbers: number[]) => ({ count: countedText(language, ...numbers) })
  return [
    [
      ['Work', 'Работа'],
      [
        { path: '/overview', name: ['Overview', 'Обзор'], icon: icons.home },
        {
          path: '',
          name: queueWords.title,
          icon: icons.inbox,
          ...count(...queueKinds.map((kind) => kinds[kind])),
        },
        { ...entry(approvals, icons.check), ...count(kinds.proposal) },
      ],
    ],
    [
      ['Money', 'Деньги'],
      [
        entry(deposits, icons.deposit),
        entry(transfers, icons.arrows),
        entry(refunds, icons.undo),
        entry(reports, icons.chart),
        entry(statements, icons.document),
      ],
    ],
    [
      ['Receiving', 'Приём'],
      [
        entry(requisites, icons.card),
        entry(accounts, icons.account),
        entry(paymentTypes, icons.wallet),
        entry(bankSources, icons.send),
      ],
    ],
    [
      ['Shops', 'Мерчанты'],
      [entry(merchants, icons.shop), entry(lists, icons.list)],
    ],
    [
      ['Office', 'Управление'],
      [entry(people, icons.people), entry(audit, icons.history), entry(installation, icons.sliders)],
    ],
  ]
}
