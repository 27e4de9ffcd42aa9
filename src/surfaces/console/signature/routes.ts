/** What a merchant's console shows besides: limits, charts, events, the test bank, the signature debugger. */

import { type Operation, signedFields, signLiteral } from '../../../../sdk/signature.ts'
import { bodyOf, sentRequestFrom } from '../../../domain/deposits/sent-request.ts'
import { findDeposit, findOrders } from '../../../domain/deposits/store.ts'
import type { MerchantId } from '../../../domain/merchants/merchant.ts'
import { liveKeys } from '../../../domain/merchants/store.ts'
import { isCurrency } from '../../../domain/money.ts'
import { readNow } from '../../../domain/people/store.ts'
import { passTime } from '../../../domain/sandbox/pass-time.ts'
import { mostMinutes } from '../../../domain/sandbox/record.ts'
import { plays, simulateBank } from '../../../domain/sandbox/simulate-bank.ts'
import { bounds } from '../../../platform/bounds.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { apiPath } from '../../api/paths.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { show } from '../../staff/routes.ts'
import { bankPage } from '../bank/bank-page.ts'
import { createChartDays } from '../charts/chart-days.ts'
import { chartPage, periods } from '../charts/chart-page.ts'
import { dayIn } from '../deposits/deposit-csv.ts'
import { namesOf } from '../deposits/routes.ts'
import { noFilter } from '../deposits/search.ts'
import { eventPage } from '../events/event-page.ts'
import { type ConsoleContext, wordsOf } from '../frame.ts'
import { limitPage } from '../limits/limit-page.ts'
import { consolePath } from '../paths.ts'
import { listDepositLines, listEvents, readHistory, readOffers } from '../store.ts'
import {
  auditLine,
  type ConsoleTools,
  developer,
  freshDeveloper,
  making,
  note,
  numberOf,
  perform,
  showing,
  standingOf,
  viewer,
  wholeOf,
} from '../visit.ts'
import { type Asked, curlLine, headerOf, prepare, programs, type Trouble } from './signature-lines.ts'
import { type Signed, signaturePage } from './signature-page.ts'

export function toolConsole({ routes, db, vault, context, publicUrl, isProduction }: ConsoleTools): void {
  routes.get(consolePath.route('/limits'), viewer, (visit) =>
    showing(db, visit, async (of) => limitPage(of, await readOffers(db, visit.merchantId))),
  )

  routes.live(consolePath.route('/events'), viewer, (visit) =>
    making(db, visit, async (of) => {
      const before = numberOf(visit.query('before'))
      const limit = bounds.pageSizeDefault + 1
      const found = await listEvents(db, { merchantId: visit.merchantId, before, limit })
      const lines = found.slice(0, bounds.pageSizeDefault)
      const older = found.length > lines.length ? lines.at(-1)!.sequence : null
      return eventPage(of, { lines, older, isFirst: before === null })
    }),
  )

  const chartDays = createChartDays(db)
  routes.get(consolePath.route('/charts'), viewer, (visit) =>
    showing(db, visit, async (of) => {
      const { timeZone: zone } = visit.visitor.person
      const period = periods.find((days) => String(days) === visit.query('days')) ?? 30
      const named = visit.query('currency')
      const currency = isCurrency(named) ? named : null
      const [now, names] = await Promise.all([readNow(db), namesOf(db)])
      const today = dayIn(now, zone)
      const days = await chartDays({ merchantId: visit.merchantId, zone, today, days: period })
      return chartPage(of, { period, currency, days, names })
    }),
  )

  // ── The test bank ─────────────────────────────────────────────────────────────────────────────────────────────

  routes.get(consolePath.route('/bank'), viewer, (visit) =>
    showing(db, visit, (of) => bank(of, visit, visit.query('deposit'), null)),
  )

  routes.post(consolePath.route('/bank/pay'), developer, (visit) =>
    perform(db, visit, 'bank', async () => {
      const of = await testStanding(visit)
      const { merchantId } = visit
      const sought = visit.field('deposit')
      const play = plays.find((one) => one === visit.field('play'))
      const found = await findDeposit(db, {
        merchantId,
        ...(isUuid(sought) ? { id: sought } : { orderId: sought }),
      })
      if (!found || !play) return show(visit, await bank(of, visit, sought, wordsOf(of).bank.unknown), 404)
      const { deposit } = found
      await note(
        db,
        auditLine(visit, { act: 'test_bank_pay', subject: `deposit:${deposit.id}`, after: { play } }),
      )
      await simulateBank(context, deposit, play)
      return `${consolePath('/deposits/:id', of.merchant.id, deposit.id)}?notice=played`
    }),
  )

  routes.post(consolePath.route('/bank/time'), developer, (visit) =>
    perform(db, visit, 'bank', async () => {
      const of = await testStanding(visit)
      const minutes = wholeOf(visit.field('minutes'), 1, mostMinutes)
      if (minutes === null)
        throw new Refusal('invalid_value', { detail: wordsOf(of).settings.range(1, mostMinutes) })
      if (!isProduction) await note(db, auditLine(visit, { act: 'test_bank_time', after: { minutes } }))
      await passTime(context, { merchantId: visit.merchantId, minutes, isProduction })
      return `${consolePath('/bank', of.merchant.id)}?notice=time`
    }),
  )

  async function bank(
    of: ConsoleContext,
    { merchantId, visitor }: KnownVisit,
    sought: string,
    problem: string | null,
  ) {
    refuseLive(of)
    const asked = { merchantId, filter: noFilter, zone: visitor.person.timeZone, after: null, limit: 20 }
    const lines = await listDepositLines(db, asked)
    return bankPage(of, { lines, sought: sought.slice(0, 128), problem, canPassTime: !isProduction })
  }

  async function testStanding(visit: KnownVisit): Promise<ConsoleContext> {
    const of = await standingOf(db, visit)
    refuseLive(of)
    return of
  }

  // ── The signature debugger ────────────────────────────────────────────────────────────────────────────────────

  routes.get(consolePath.route('/signature'), freshDeveloper, (visit) =>
    showing(db, visit, async (of) => {
      const { merchantId } = visit
      const empty = { signed: null, problem: null }
      if (visit.query('deposit')) {
        const { asked, deposit } = await requestBehind(merchantId, visit.query('deposit'))
        return signaturePage(of, { ...empty, asked, rebuilt: deposit })
      }
      const body = exampleBody(merchantId)
      return signaturePage(of, { ...empty, asked: { operation: 'create', method: 'POST', target: '', body } })
    }),
  )

  /** By the deposit's id: what its customer was called or can be reached at has no place in an address. */
  async function requestBehind(merchantId: MerchantId, id: string) {
    const found = isUuid(id) ? await findDeposit(db, { merchantId, id }) : undefined
    if (!found) throw new Refusal('not_found')
    const { flow, orderId } = found.deposit
    const [orders, history] = await Promise.all([
      findOrders(db, [{ merchantId, orderId }]),
      readHistory(db, merchantId, id),
    ])
    const isV2 = sentRequestFrom(history[0]?.evidence).scheme === 'v2'
    const asked = {
      operation: isV2 ? 'v2' : flow,
      method: 'POST',
      target: isV2 ? apiPath(`/requests/deposit/${flow}`) : '',
      body: bodyOf(orders[0]!),
    }
    return { asked, deposit: found.deposit }
  }

  routes.post(consolePath.route('/signature'), freshDeveloper, async (visit) => {
    const { field, merchantId } = visit
    const of = await standingOf(db, visit)
    const form = {
      operation: field('operation'),
      method: field('method') === 'GET' ? ('GET' as const) : ('POST' as const),
      target: field('target'),
      body: field('body'),
    }
    const operation = (Object.keys(signedFields) as Operation[]).find((one) => one === form.operation)
    const asked: Asked = operation
      ? { scheme: 'literal', operation, body: form.body }
      : { scheme: 'v2', method: form.method, target: form.target, body: form.body }
    const tell = (problem: string) =>
      show(visit, signaturePage(of, { asked: form, signed: null, problem }), 422)
    const t = Math.floor((await readNow(db)).getTime() / 1000)
    const prepared = prepare(asked, t)
    if ('kind' in prepared) return tell(troubleText(of, prepared))
    const [key] = await liveKeys(db, vault, merchantId, 'request')
    if (!key) return tell(wordsOf(of).signature.noKey)
    await note(
      db,
      auditLine(visit, { act: 'signature_made', after: { operation: form.operation, key: key.id } }),
    )
    const { secret, id: kid } = key
    const header =
      asked.scheme === 'v2'
        ? headerOf(prepared, { t, kid, secret })
        : signLiteral(secret, asked.operation, prepared.values)
    const signed: Signed = {
      string: prepared.string,
      header,
      keyId: kid,
      isTooWeak: key.v2Only && asked.scheme === 'literal',
      curl: curlLine(prepared, { publicUrl, header }),
      programs: programs(asked, prepared, { t, kid }),
    }
    return show(visit, signaturePage(of, { asked: form, signed, problem: null }))
  })
}

/** A live merchant has no fake bank: its addresses lead nowhere. */
function refuseLive({ merchant }: ConsoleContext): void {
  if (merchant.mode !== 'test') throw new Refusal('not_found')
}

const troubleText = (of: ConsoleContext, trouble: Trouble): string => {
  const { signature: words } = wordsOf(of)
  if (trouble.kind === 'separator') return words.separator(trouble.field)
  return trouble.kind === 'json' ? words.badJson : words.badPath
}

const exampleBody = (merchant: string): string =>
  JSON.stringify(
    {
      merchant,
      order_id: 'A-1001',
      cents: 150000,
      currency: 'RUB',
      payment_type: 'any_bank',
      customer: 'user-42',
    },
    null,
    2,
  )
