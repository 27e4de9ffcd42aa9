/** HTTP routes of deposits: the list, its CSV, one deposit, and canceling it. */

import { readTypeNames } from '../../../domain/catalogue/store.ts'
import { cancelDeposit } from '../../../domain/deposits/change-deposit.ts'
import { findDeposit } from '../../../domain/deposits/read-store.ts'
import { bounds } from '../../../platform/bounds.ts'
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { limitExports, sendCsv } from '../../staff/send-csv.ts'
import { idOf } from '../../staff/visit.ts'
import { listCallbacksOf, readAttempts } from '../callback-store.ts'
import type { ConsoleContext } from '../frame.ts'
import { consolePath } from '../paths.ts'
import {
  type DepositsAsked,
  type DepositsFound,
  listDepositRows,
  readHistory,
  readSettling,
} from '../store.ts'
import {
  auditLine,
  type ConsoleTools,
  developer,
  readConsoleContext,
  sectionRoutes,
  viewer,
  writeAuditLine,
} from '../visit.ts'
import { csvHead, csvLine } from './deposit-csv.ts'
import { depositListPage } from './deposit-list-page.ts'
import { depositPage } from './deposit-page.ts'
import { type Cursor, cursorFrom, filterFrom, queryParamsOf } from './search.ts'

export function depositConsole(tools: ConsoleTools): void {
  const { live, post } = sectionRoutes(tools, 'deposits')
  const { routes, db, context } = tools

  live('/', viewer, async (consoleContext, visit) => {
    const filter = filterFrom(visit.query)
    const after = cursorFrom(visit.query('before'))
    const [found, names] = await Promise.all([
      listDepositRows(db, { ...askedBy(visit), filter, after, limit: bounds.pageSizeDefault }),
      readTypeNames(db),
    ])
    return depositListPage(consoleContext, { ...found, filter, isFirst: after === null, names })
  })

  routes.get(consolePath.route('/deposits.csv'), viewer, async (visit) => {
    const consoleContext = await readConsoleContext(db, visit)
    const filter = filterFrom(visit.query)
    const asked = { ...askedBy(visit), filter, limit: bounds.csvRows }
    // The search text may be a customer's name or number. It is left out, because the audit record is kept forever.
    const { q, ...after } = queryParamsOf(filter)
    limitExports(tools.limits, visit.merchantId)
    await writeAuditLine(db, auditLine(visit, { act: 'export', after }))
    return sendCsv(visit.reply, 'deposits', csvOf(db, asked, consoleContext))
  })

  live('/deposits/:id', viewer, async (consoleContext, visit) => {
    const { merchantId } = visit
    const id = idOf(visit)
    const found = await findDeposit(db, { merchantId, id })
    if (!found) throw new Refusal('not_found')
    const [history, transfers, callbacks, names] = await Promise.all([
      readHistory(db, merchantId, id),
      readSettling(db, merchantId, id),
      listCallbacksOf(db, merchantId, id),
      readTypeNames(db),
    ])
    const attempts = await readAttempts(db, callbacks)
    return depositPage(consoleContext, { ...found, history, transfers, callbacks, attempts, names })
  })

  post('/deposits/:id/cancel', developer, async (visit) => {
    const id = idOf(visit)
    const { merchantId, visitor } = visit
    const audit = auditLine(visit, {
      act: 'deposit_cancel',
      subject: `deposit:${id}`,
      after: { state: 'canceled' },
    })
    const actor = `merchant:${visitor.person.email}`
    await cancelDeposit(context, { depositId: id, merchantId, actor, hooks: { audit } })
    return `${consolePath('/deposits/:id', visit.merchantId, id)}?notice=canceled`
  })
}

const askedBy = ({ merchantId, visitor }: KnownVisit): Pick<DepositsAsked, 'merchantId' | 'zone'> => ({
  merchantId,
  zone: visitor.person.timeZone,
})

/** Reads the next page only after the previous one was sent, so that a million rows need the memory of one page. */
async function* csvOf(
  db: Db,
  asked: Omit<DepositsAsked, 'after'>,
  context: ConsoleContext,
): AsyncGenerator<string> {
  yield csvHead(context)
  for (let after: Cursor | null = null; ; ) {
    const { lines, next }: DepositsFound = await listDepositRows(db, { ...asked, after })
    if (lines.length > 0) yield lines.map((line) => csvLine(context, line)).join('')
    if (!next) return
    after = next
  }
}
