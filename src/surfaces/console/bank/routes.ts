/** HTTP routes of the test bank. A live merchant has none, so its addresses answer 404. */

import { appendAudit } from '../../../domain/audit/store.ts'
import { noFilter } from '../../../domain/deposits/merchant-search.ts'
import { listDepositRows } from '../../../domain/deposits/merchant-search-store.ts'
import { findDeposit, findOrders } from '../../../domain/deposits/read-store.ts'
import { passTime } from '../../../domain/sandbox/pass-time.ts'
import { mostMinutes, plays } from '../../../domain/sandbox/record.ts'
import { simulateBank } from '../../../domain/sandbox/simulate-bank.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { developer, viewer } from '../../../sections/roles.ts'
import { inLanguage } from '../../../sections/section.ts'
import { handRoutes } from '../../office/hand-routes.ts'
import { type OfficeTools, officeOf } from '../../office/routes.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { consoleRoot, staffPath } from '../../staff/paths.ts'
import { show } from '../../staff/routes.ts'
import { auditLine, type ConsoleTools, merchantOf } from '../console.ts'
import { consolePath } from '../paths.ts'
import { bankPage } from './bank-page.ts'
import { bankWords } from './words.ts'

export function bankRoutes({ db, context, isProduction }: ConsoleTools, tools: OfficeTools): void {
  const { get, post } = handRoutes(tools)

  get(consolePath.route('/bank'), viewer, (_office, visit) => pageOf(visit, visit.query('deposit')))

  post(consolePath.route('/bank/pay'), developer, async (visit) => {
    await refuseLive(visit)
    const { merchantId } = visit
    const idOrOrder = visit.field('deposit')
    const play = plays.find((play) => play === visit.field('play'))
    const found = isUuid(idOrOrder)
      ? await findDeposit(db, { merchantId, id: idOrOrder })
      : (await findOrders(db, [{ merchantId, orderId: idOrOrder }]))[0]
    if (!found || !play)
      return show(visit, await pageOf(visit, idOrOrder, inLanguage(bankWords.unknown, visit.language)), 404)
    const { deposit } = found
    await note(visit, { act: 'test_bank_pay', subject: `deposit:${deposit.id}`, after: { play } })
    await simulateBank(context, deposit, play)
    return `${staffPath(consoleRoot, merchantId)}/deposits/${deposit.id}`
  })

  post(consolePath.route('/bank/time'), developer, async (visit) => {
    await refuseLive(visit)
    const typed = visit.field('minutes')
    const minutes = /^\d{1,5}$/.test(typed) ? Number(typed) : 0
    if (minutes < 1 || minutes > mostMinutes)
      throw new Refusal('invalid_value', { detail: inLanguage(bankWords.range(mostMinutes), visit.language) })
    if (!isProduction) await note(visit, { act: 'test_bank_time', after: { minutes } })
    await passTime(context, { merchantId: visit.merchantId, minutes, isProduction })
    return `${consolePath('/bank', visit.merchantId)}?done=time`
  })

  async function pageOf(visit: KnownVisit, idOrOrder: string, problem: string | null = null) {
    await refuseLive(visit)
    const { merchantId } = visit
    const zone = visit.visitor.person.timeZone
    const asked = { merchantId, filter: noFilter, zone, after: null, limit: 20 }
    const [office, { lines }] = await Promise.all([officeOf(tools, visit), listDepositRows(db, asked)])
    const view = { merchantId, lines, idOrOrder: idOrOrder.slice(0, 128), problem }
    return bankPage(office, { ...view, canPassTime: !isProduction, isMoved: visit.query('done') === 'time' })
  }

  async function refuseLive(visit: KnownVisit): Promise<void> {
    if ((await merchantOf(db, visit)).mode !== 'test') throw new Refusal('not_found')
  }

  /** An act is more than one transaction, so its entry is written before it begins. */
  const note = (visit: KnownVisit, line: Parameters<typeof auditLine>[1]): Promise<void> =>
    db.transaction((tx) => appendAudit(tx, auditLine(visit, line)))
}
