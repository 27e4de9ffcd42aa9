/**
 * The payment page over HTTP. Opening it changes nothing; every act is a form that comes from the page itself, and
 * ends in a redirect to the page, so that going back or reloading repeats nothing.
 */

import { offersFor } from '../../domain/catalogue/offer.ts'
import { type AddressRule, addressProblem } from '../../domain/deposits/address.ts'
import { claimPayment, type DepositContext } from '../../domain/deposits/change-deposit.ts'
import { chooseMethod } from '../../domain/deposits/choose-method.ts'
import type { FoundPage } from '../../domain/deposits/deposit.ts'
import { billRoot, payPath, payRoot } from '../../domain/deposits/page-paths.ts'
import { isPageToken } from '../../domain/deposits/page-token.ts'
import { pageUrl } from '../../domain/deposits/record.ts'
import type { ReferenceNumbers } from '../../domain/deposits/reference-numbers.ts'
import { message } from '../../domain/messages/message.ts'
import { readServing } from '../../domain/requisites/store.ts'
import { plays } from '../../domain/sandbox/record.ts'
import { simulateBank } from '../../domain/sandbox/simulate-bank.ts'
import { rejectDeposit } from '../../domain/transfers/end-deposit.ts'
import { parseFlat } from '../../platform/body.ts'
import { bounds } from '../../platform/bounds.ts'
import {
  bodyOf,
  clientNetwork,
  type Http,
  limitedByAddress,
  queryOf,
  type Reply,
  type Request,
  type RouteConfig,
} from '../../platform/http.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { rateLimited } from '../../platform/rate-limit.ts'
import { isRefusal, Refusal, type RefusalCode } from '../../platform/refusals.ts'
import { boundCookieName, refuseOtherSites, rememberedIn, setCookie } from '../../platform/same-site.ts'
import type { Directory } from '../api/merchant-directory.ts'
import { acceptedAddress } from '../web/html.ts'
import { type Language, languageFrom } from '../web/messages/languages.ts'
import { pageEncoding, sendPage } from '../web/send-page.ts'
import { payScript, payStyles } from './assets.ts'
import type { FindPage } from './find-page.ts'
import { keptPages } from './kept-pages.ts'
import { failedPage, giveUpPage, gonePage } from './pages.ts'
import { returnLink, returnTarget } from './return-link.ts'
import { screenOf } from './screen.ts'
import { statusText } from './status.ts'
import { streamStatus } from './stream-status.ts'
import { notices, type PayView } from './view.ts'
import type { PageWatch } from './watch-pages.ts'

type PayRoutes = {
  findPage: FindPage
  /** Its connections are not those of creates: anybody with a link can send the same request a hundred times at once. */
  context: DepositContext
  references: ReferenceNumbers
  directory: Directory
  watch: PageWatch
  limits: RateLimit
  publicUrl: string
  isTrustedHost: AddressRule['isTrustedHost']
}

const assets = { styles: payStyles, scripts: [payScript.name] }

export function payRoutes(app: Http, options: PayRoutes): void {
  const { context, directory, watch, limits, publicUrl } = options
  const { host, origin } = new URL(publicUrl)
  const isSecure = publicUrl.startsWith('https:')
  const config: RouteConfig = { asPage: refusedPage }
  const preHandler = limitedByAddress(limits)
  const looked = { config, preHandler }
  const pages = keptPages(assets)

  app.get(payPath.route('/:token'), looked, async (request, reply) => {
    const found = await find(request)
    const language = languageOf(request, found)
    if (!found) return sendPage(request, reply, gonePage(language, assets), 404)
    const query = queryOf(request)
    if (query('lang') === language) remember(reply, 'inlet_lang', language)
    const view = await viewOf(request, found, query('notice'))
    return sendPage(request, reply, await pages.open(view, language, pageEncoding(request)))
  })

  app.get(payPath.route('/:token/give-up'), looked, async (request, reply) => {
    const found = await known(request)
    const view = await viewOf(request, found)
    if (view.screen !== 'choose' && view.screen !== 'pay') return back(reply, found)
    return sendPage(request, reply, giveUpPage(view, languageOf(request, found), assets))
  })

  app.get(payPath.route('/:token/status'), { preHandler }, async (request) =>
    statusOf(request, await known(request)),
  )

  // Asking for the head of a stream would hold it open for nothing.
  app.get(
    payPath.route('/:token/events'),
    { config: { isLong: true }, preHandler, exposeHeadRoute: false },
    async (request, reply) => {
      const { deposit } = await known(request)
      return streamStatus(request, reply, watch, deposit, async () => statusOf(request, await known(request)))
    },
  )

  // Where a failed form left its address in the browser, reloading it leads to the page.
  for (const act of ['choose', 'claim', 'play'] as const) {
    app.get(payPath.route(`/:token/${act}`), looked, async (request, reply) =>
      back(reply, await known(request)),
    )
  }

  app.post(payPath.route('/:token/choose'), looked, async (request, reply) => {
    const found = await knownForm(request)
    const { merchantId, id: depositId } = found.deposit
    const paymentType = fieldOf(request, 'method')
    if (!paymentType) return back(reply, found, 'pick_one')
    const { merchant, catalogue, rules } = (await directory.byId(merchantId))!
    try {
      await chooseMethod(
        { ...context, references: options.references },
        { merchant, catalogue, rules, depositId, paymentType },
      )
    } catch (error) {
      if (error instanceof Refusal && notTaken.has(error.code)) return back(reply, found, 'ran_out')
      return backUnless(error, reply, found)
    }
    // A second choice is not looked at, so it may be any text.
    if (catalogue.types.has(paymentType)) remember(reply, 'inlet_method', paymentType)
    return back(reply, found)
  })

  app.post(payPath.route('/:token/claim'), looked, async (request, reply) => {
    const found = await knownForm(request)
    const claim = { depositId: found.deposit.id, actor: 'customer' }
    return act(reply, found, () => claimPayment(context, claim))
  })

  app.post(payPath.route('/:token/give-up'), looked, async (request, reply) => {
    const found = await knownForm(request)
    const { id: depositId } = found.deposit
    const reason = message('customer_gave_up_on_payment_page')
    const rejection = { depositId, actor: 'customer', reason }
    return act(reply, found, () => rejectDeposit(context, rejection))
  })

  app.post(payPath.route('/:token/play'), looked, async (request, reply) => {
    const found = await knownForm(request)
    if (!found.testMode) throw new Refusal('not_found')
    const play = plays.find((play) => play === fieldOf(request, 'play'))
    if (!play) throw new Refusal('invalid_value')
    return act(reply, found, () => simulateBank(context, found.deposit, play))
  })

  async function find(request: Request): Promise<FoundPage | undefined> {
    const { token } = request.params as { token: string }
    const found = await options.findPage(token)
    if (found) return found
    const verdict = limits.take(`unknown-page:${clientNetwork(request)}`, bounds.unknownPageRate)
    if (!verdict.allowed) throw rateLimited('unknown-page', verdict)
    return undefined
  }

  async function known(request: Request): Promise<FoundPage> {
    const found = await find(request)
    if (!found) throw new Refusal('not_found')
    return found
  }

  /** A form of ours. The token in the address is a secret that no other site knows; this refuses those that do. */
  async function knownForm(request: Request): Promise<FoundPage> {
    refuseOtherSites(request, origin, { allowsMissing: true })
    return known(request)
  }

  async function viewOf(request: Request, found: FoundPage, notice = ''): Promise<PayView> {
    const { deposit, now } = found
    const screen = screenOf(deposit, now)
    return {
      ...found,
      screen,
      host,
      pageUrl: pageUrl(publicUrl, deposit.pageToken),
      returnTo: await returnOf(found),
      offers: screen === 'choose' ? await offersOf(found) : [],
      lastMethod: rememberedIn(request, 'inlet_method'),
      notice: notices.find((known) => known === notice) ?? null,
    }
  }

  async function returnOf({ deposit, now }: FoundPage): Promise<PayView['returnTo']> {
    const { id, orderId, merchantId } = deposit
    const screen = screenOf(deposit, now)
    const target = returnTarget(deposit, screen)
    // The clock has decided; the sweep writes it down a moment later.
    const state = screen === 'expired' || screen === 'closed' ? 'expired' : deposit.state
    if (!target) return null
    const { merchant, keys } = (await directory.byId(merchantId))!
    const secret = keys[0]?.secret
    const rule = { mode: merchant.mode, isTrustedHost: options.isTrustedHost }
    const ts = Math.floor(now.getTime() / 1000)
    // The rule may have become stricter since the request was accepted.
    if (addressProblem(target, rule)) return null
    const link = secret ? returnLink(target, secret, { id, orderId, state, ts }) : target
    // With our parameters an address may be longer than a request may name; https needs no permission.
    if (link.startsWith('https:')) return link
    return acceptedAddress(link.length > bounds.urlCharacters ? target : link, rule)
  }

  async function offersOf({ deposit }: FoundPage) {
    const { merchantId, currency, amountCents } = deposit
    const { merchant, catalogue } = (await directory.byId(merchantId))!
    const order = { merchantId, mode: merchant.mode, currency, amountCents }
    const serving = merchant.enabled ? await readServing(context.db, order) : []
    return offersFor(catalogue, deposit, serving)
  }

  function statusOf(request: Request, found: FoundPage) {
    const screen = screenOf(found.deposit, found.now)
    const left = Math.ceil((found.deposit.expiresAt.getTime() - found.now.getTime()) / 1000)
    const isTimed = ['choose', 'pay', 'checking', 'short'].includes(screen)
    const text = statusText({ ...found, screen }, languageOf(request, found))
    return { screen, text, left: isTimed ? Math.max(0, left) : null }
  }

  /** An action that came too late or twice shows the current page, which explains more than a refusal. */
  async function act(reply: Reply, found: FoundPage, work: () => Promise<unknown>): Promise<Reply> {
    try {
      await work()
    } catch (error) {
      return backUnless(error, reply, found)
    }
    return back(reply, found)
  }

  function remember(reply: Reply, name: string, value: string): void {
    const cookie = setCookie(boundCookieName(name, isSecure), value, { isSecure, maxAgeSeconds: 31_536_000 })
    reply.header('set-cookie', cookie)
  }
}

function backUnless(error: unknown, reply: Reply, found: FoundPage): Reply {
  if (isRefusal(error, 'state_conflict')) return back(reply, found)
  throw error
}

const back = (reply: Reply, { deposit }: FoundPage, notice?: string): Reply =>
  reply.redirect(`${payPath('/:token', deposit.pageToken)}${notice ? `?notice=${notice}` : ''}`, 303)

/**
 * The method was on offer a moment ago, or never: the page shows what is. Of lists and limits a customer learns no
 * more than that.
 */
const notTaken = new Set<RefusalCode>([
  'merchant_disabled',
  'customer_blocked',
  'customer_limit_reached',
  'no_requisite_available',
  'payment_type_not_supported',
  'currency_not_supported',
  'amount_out_of_range',
])

/** Below the payment page's address whatever leads nowhere looks the same, also what no route takes; and so does a bill that somebody opens. */
export const payPageAt = (path: string, isBrowsing: boolean): RouteConfig['asPage'] =>
  path.startsWith(`${payRoot}/`) || (isBrowsing && path.startsWith(`${billRoot}/`)) ? refusedPage : undefined

const tokenIn = new RegExp(`^${payRoot}/([^/?]+)`)

async function refusedPage(refusal: Refusal, request: Request, reply: Reply): Promise<Reply> {
  const language = languageOf(request)
  const token = tokenIn.exec(request.url)?.[1]
  if (refusal.code === 'not_found') return sendPage(request, reply, gonePage(language, assets), 404)
  const reason = failures[refusal.code] ?? (reply.statusCode >= 500 ? 'fault' : 'other')
  return sendPage(
    request,
    reply,
    failedPage(reason, token && isPageToken(token) ? token : null, language, assets),
    reply.statusCode,
  )
}

const failures: Partial<Record<RefusalCode, 'crossSite' | 'tooMany'>> = {
  cross_site_request: 'crossSite',
  rate_limited: 'tooMany',
}

function languageOf(request: Request, found?: FoundPage): Language {
  return languageFrom({
    query: queryOf(request)('lang'),
    cookie: rememberedIn(request, 'inlet_lang'),
    acceptLanguage: request.headers['accept-language'],
    merchant: found?.merchantLanguage,
  })
}

/** One field of a form; others are ignored. */
function fieldOf(request: Request, name: string): string | undefined {
  return parseFlat(bodyOf(request), 'form').fields.get(name)
}
