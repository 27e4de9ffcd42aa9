/** HTTP routes of the test bank. */

import { noFilter } from '../../../domain/deposits/merchant-search.ts'
import { listDepositRows } from '../../../domain/deposits/merchant-search-store.ts'
import { findDeposit, findOrders } from '../../../domain/deposits/read-store.ts'
import { passTime } from '../../../domain/sandbox/pass-time.ts'
import { mostMinutes, plays } from '../../../domain/sandbox/record.ts'
import { simulateBank } from '../../../domain/sandbox/simulate-bank.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { show } from '../../staff/routes.ts'
import { type ConsoleContext, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import {
  auditLine,
  type ConsoleTools,
  developer,
  readConsoleContext,
  sectionRoutes,
  viewer,
  wholeOf,
  writeAuditLine,
} from '../visit.ts'
import { bankPage } from './bank-page.ts'

export function bankConsole(tools: ConsoleTools): void {
  const { get, post } = sectionRoutes(tools, 'bank')
  const { db, context, isProduction } = tools

  get('/bank', viewer, (consoleContext, visit) => bank(consoleContext, visit, visit.query('deposit'), null))

  post('/bank/pay', developer, async (visit) => {
    const consoleContext = await readTestContext(visit)
    const { merchantId } = visit
    const idOrOrder = visit.field('deposit')
    const play = plays.find((play) => play === visit.field('play'))
    const found = isUuid(idOrOrder)
      ? await findDeposit(db, { merchantId, id: idOrOrder })
      : (await findOrders(db, [{ merchantId, orderId: idOrOrder }]))[0]
    if (!found || !play)
      return show(
        visit,
        await bank(consoleContext, visit, idOrOrder, wordsOf(consoleContext).bank.unknown),
        404,
      )
    const { deposit } = found
    await writeAuditLine(
      db,
      auditLine(visit, { act: 'test_bank_pay', subject: `deposit:${deposit.id}`, after: { play } }),
    )
    await simulateBank(context, deposit, play)
    return `${consolePath('/deposits/:id', consoleContext.merchant.id, deposit.id)}?notice=played`
  })

  post('/bank/time', developer, async (visit) => {
    const consoleContext = await readTestContext(visit)
    const minutes = wholeOf(visit.field('minutes'), 1, mostMinutes)
    if (minutes === null)
      throw new Refusal('invalid_value', { detail: wordsOf(consoleContext).range(1, mostMinutes) })
    if (!isProduction)
      await writeAuditLine(db, auditLine(visit, { act: 'test_bank_time', after: { minutes } }))
    await passTime(context, { merchantId: visit.merchantId, minutes, isProduction })
    return `${consolePath('/bank', consoleContext.merchant.id)}?notice=time`
  })

  async function bank(
    consoleContext: ConsoleContext,
    { merchantId, visitor }: KnownVisit,
    idOrOrder: string,
    problem: string | null,
  ) {
    refuseLive(consoleContext)
    const asked = { merchantId, filter: noFilter, zone: visitor.person.timeZone, after: null, limit: 20 }
    const { lines } = await listDepositRows(db, asked)
    return bankPage(consoleContext, {
      lines,
      idOrOrder: idOrOrder.slice(0, 128),
      problem,
      canPassTime: !isProduction,
    })
  }

  async function readTestContext(visit: KnownVisit): Promise<ConsoleContext> {
    const consoleContext = await readConsoleContext(db, visit)
    refuseLive(consoleContext)
    return consoleContext
  }
}

/** A live merchant has no test bank, so these addresses answer 404. */
function refuseLive({ merchant }: ConsoleContext): void {
  if (merchant.mode !== 'test') throw new Refusal('not_found')
}
