/**
 * The demo shop over HTTP: a merchant in a hundred lines, on the same server but with no powers of its own. It asks
 * through the SDK, like any shop, and believes callbacks alone. In development only.
 */

import { callbackHeaders, Inlet, InletError, readCallback } from '../../../sdk/client.ts'
import type { Demo } from '../../domain/sandbox/demo-file.ts'
import { parseFlat } from '../../platform/body.ts'
import { randomToken } from '../../platform/clock.ts'
import {
  bodyOf,
  type Http,
  limitedByAddress,
  queryOf,
  type Reply,
  type Request,
  type RouteConfig,
} from '../../platform/http.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { Refusal, refusals } from '../../platform/refusals.ts'
import { refuseOtherSites } from '../../platform/same-site.ts'
import { sendPage } from '../web/send-page.ts'
import { shopStyles } from './assets.ts'
import {
  type Basket,
  basketFrom,
  firstBasket,
  type ReturnFields,
  returnFields,
  Shop,
  shopCurrencies,
  totalOf,
  ways,
} from './shop.ts'
import { counterPage, orderPage, type ShopProblem } from './shop-pages.ts'

/** `keys` reads the shop's settings each time, for keys are rotated while it runs. */
type ShopRoutes = { keys: () => Promise<Demo>; limits: RateLimit; publicUrl: string }

export function shopRoutes(app: Http, { keys, limits, publicUrl }: ShopRoutes): void {
  const shop = new Shop()
  const { origin } = new URL(publicUrl)
  const preHandler = limitedByAddress(limits)
  const config: RouteConfig = { asPage: refusedPage }
  const looked = { config, preHandler }

  app.get('/demo', looked, (request, reply) => sendCounter(request, reply, { basket: basketOf(request) }))

  app.post('/demo/orders', looked, async (request, reply) => {
    // Another site must not shop with a visitor's browser.
    refuseOtherSites(request, origin, { allowsMissing: true })
    const { fields } = parseFlat(bodyOf(request), 'form')
    const basket = basketFrom((name) => fields.get(name))
    if (!basket) throw new Refusal('invalid_value')
    try {
      const order = await createDeposit(basket)
      shop.add(order)
      return reply.redirect(order.payPath, 303)
    } catch (error) {
      if (!(error instanceof InletError)) throw error
      const problem = { code: error.code, detail: error.message, isOfApi: error.status > 0 }
      return sendCounter(request, reply, { basket, problem, status: error.status || 502 })
    }
  })

  app.get('/demo/orders/:id', looked, async (request, reply) => {
    const order = shop.find((request.params as { id: string }).id)
    if (!order) throw new Refusal('not_found')
    const returned = returnedBy(request)
    if (returned) shop.takeReturn(order, returned, (await keys()).signing_secret)
    return sendPage(request, reply, orderPage(order, shopStyles))
  })

  /** Signed callbacks only. One for an unknown order is acknowledged, so that it is not sent again. */
  app.post('/demo/callback', { preHandler }, async (request, reply) => {
    const { headers } = request
    try {
      const { event } = await readCallback({
        headers,
        body: bodyOf(request),
        secrets: [(await keys()).callback_secret],
        expected,
      })
      if (event.type === 'test') return reply.code(204).send()
      const order = shop.find(event.data.external_id)!
      shop.take(order, { event, headers: callbackHeaders.map((name) => [name, String(headers[name])]) })
    } catch (error) {
      if (!(error instanceof InletError)) throw error
      if (error.code !== 'callback_order_unknown') {
        shop.refusedCallbacks++
        return reply.code(400).type('text/plain; charset=utf-8').send(`${error.code}\n`)
      }
    }
    return reply.code(204).send()
  })

  /** Both flows, as a merchant would ask: the order's page is the way back for either outcome. */
  async function createDeposit(basket: Basket) {
    const id = `demo-${randomToken(9)}`
    const orderUrl = `${publicUrl}/demo/orders/${id}`
    const asked = {
      order_id: id,
      cents: totalOf(basket),
      currency: basket.currency,
      customer: 'demo-customer',
      callback_url: `${publicUrl}/demo/callback`,
      success_url: orderUrl,
      reject_url: orderUrl,
    }
    const { merchant, signing_secret: secret, key_id: keyId } = await keys()
    const inlet = new Inlet({ baseUrl: publicUrl, merchant, secret, keyId })
    const { flow, paymentType } = ways[basket.way]
    const deposit =
      flow === 'create'
        ? await inlet.createDeposit({ ...asked, payment_type: paymentType })
        : await inlet.buildDeposit(asked)
    // The payment page is on this server too. A path without a host also works for browsers that use another name of the
    // machine: browsers hold a redirect after a form to form-action 'self'.
    const payPath = new URL(deposit.payment_data.url).pathname
    return { id, basket, depositId: 'id' in deposit ? deposit.id : deposit.uuid, payPath }
  }

  function expected(orderId: string) {
    const order = shop.find(orderId)
    return order && { cents: totalOf(order.basket), currency: order.basket.currency }
  }

  type Shown = { basket?: Basket; problem?: ShopProblem; status?: number }

  function sendCounter(request: Request, reply: Reply, shown: Shown): Promise<Reply> {
    const { basket = firstBasket, problem = null, status = 200 } = shown
    const { refusedCallbacks } = shop
    const view = { basket, problem, orders: shop.orders(), refusedCallbacks }
    return sendPage(request, reply, counterPage(view, shopStyles), status)
  }

  async function refusedPage({ code, details }: Refusal, request: Request, reply: Reply): Promise<Reply> {
    const problem = { code, detail: `${details.detail ?? refusals[code].advice}`, isOfApi: false }
    return sendCounter(request, reply, { problem, status: reply.statusCode })
  }
}

/** The first basket, in the currency that was chosen. */
function basketOf(request: Request): Basket {
  const currency = queryOf(request)('currency')
  return {
    ...firstBasket,
    currency: shopCurrencies.find((shopCurrency) => shopCurrency === currency) ?? firstBasket.currency,
  }
}

/** The parameters of a return, cut to what a true one may have; undefined when the browser brought none. */
function returnedBy(request: Request): ReturnFields | undefined {
  const query = queryOf(request)
  if (query('signature') === '') return undefined
  return Object.fromEntries(returnFields.map((name) => [name, query(name).slice(0, 128)])) as ReturnFields
}
