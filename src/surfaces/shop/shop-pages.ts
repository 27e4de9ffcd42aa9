/**
 * The pages of the demo shop: the counter with its orders, and one order with its callbacks. They are for developers,
 * and in English like the reference.
 */

import { bounds } from '../../platform/bounds.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { apiPath } from '../api/paths.ts'
import { priceText } from '../web/format.ts'
import { flag, html, type Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { page, type Stylesheet } from '../web/page.ts'
import {
  type Basket,
  type BrowserReturned,
  callbackState,
  type Order,
  products,
  type ReceivedCallback,
  returnFields,
  shopCurrencies,
  totalOf,
  ways,
  waysIn,
} from './shop.ts'

/** Why the shop could not do it: a refusal of the API as it came, or one of the shop itself. */
export type ShopProblem = { code: string; detail: string; isOfApi: boolean }

type CounterView = {
  basket: Basket
  orders: readonly Order[]
  refusedCallbacks: number
  problem: ShopProblem | null
}

export const counterPage = ({ basket, orders, refusedCallbacks, problem }: CounterView, styles: Stylesheet) =>
  shopPage(
    styles,
    'Demo shop · Inlet',
    html`
<main class="counter">
<header>
<h1>Demo shop</h1>
<p class="lead">This page is a sample merchant: it creates a deposit through the real API, sends you to the payment page and shows the callback.</p>
</header>
${problem && problemBlock(problem)}
<form method="post" action="/demo/orders">
<nav class="currencies" aria-label="Currency">
<strong>Currency</strong>
${shopCurrencies.map((shopCurrency) => html`<a class="button plain" href="${`/demo?currency=${shopCurrency}`}" aria-current="${shopCurrency === basket.currency ? 'true' : 'false'}">${shopCurrency}</a>`)}
</nav>
<input type="hidden" name="currency" value="${basket.currency}">
<fieldset class="choices">
<legend>Choose a product</legend>
${Object.entries(products).map(([code, { name, cents }]) =>
  choice('product', code, name, amountText(cents[basket.currency], basket), code === basket.product),
)}
</fieldset>
<label class="quantity">Quantity
<input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="${bounds.demoShop.quantity}" required value="${basket.quantity}"></label>
<fieldset class="choices">
<legend>Payment method</legend>
${waysIn(basket.currency).map((way) => choice('way', way, ways[way].name, ways[way].hint, way === basket.way))}
</fieldset>
<button class="button primary" type="submit">Buy</button>
</form>
<div>
<section>
<h2>What will happen</h2>
<ol class="steps">
<li>The shop signs a request and gets a deposit with a link to its payment page.</li>
<li>Your browser opens it. At the bottom of the page you simulate the bank: the exact amount, too little, late.</li>
<li>Inlet sends the shop a signed callback. The payment page returns you to your order.</li>
<li>The order shows every callback as it arrived.</li>
</ol>
</section>
<section>
<h2>Orders</h2>
${refusedCallbacks > 0 && html`<p class="status warn">Refused callbacks (invalid signature or wrong amount): ${refusedCallbacks}. Were the keys of the demo merchant changed on another machine?</p>`}
${orders.length === 0 ? html`<p class="quiet">None yet.</p>` : html`<ul class="ways">${orders.map(orderLine)}</ul>`}
</section>
</div>
</main>`,
  )

export function orderPage(order: Order, styles: Stylesheet) {
  const { id, basket, depositId, payPath, callbacks, returned } = order
  const { flow, paymentType } = ways[basket.way]
  const { tone, icon, head, text } = outcomeOf(order)
  return shopPage(
    styles,
    `${head} · Order ${id} · Inlet`,
    html`
<main>
<nav aria-label="Back"><a href="/demo">Demo shop</a></nav>
<header>
<h1>Order <span class="whole">${id}</span></h1>
</header>
<div class="status ${tone}">${icons[icon]}<p><strong>${head}</strong> <span>${text}</span></p></div>
<dl class="pairs">
<div><dt>Ordered</dt><dd>${boughtText(basket)}</dd></div>
<div><dt>Amount</dt><dd>${amountText(totalOf(basket), basket)}</dd></div>
<div><dt>Request</dt><dd><code>POST ${apiPath(`/requests/deposit/${flow}`)}</code> <code>${paymentType}</code></dd></div>
<div><dt>Deposit</dt><dd><code>${depositId}</code></dd></div>
</dl>
<p class="acts"><a class="button primary" href="${payPath}">Payment page</a> <a class="button plain" href="/demo/orders/${id}">Refresh</a></p>
<section>
<h2>Callbacks</h2>
<p class="quiet">The source of truth for this order. A callback with an invalid signature is answered with 400 and not shown here.</p>
${callbacks.length === 0 && html`<p>None yet. Inlet sends one when the deposit’s state changes: simulate the bank on the payment page, then refresh.</p>`}
${callbacks.map(callbackBlock)}
</section>
<section>
<h2>Customer’s return</h2>
<p class="quiet">A hint for what to show first, never proof of payment: the customer controls the return, only the callback counts.</p>
${returned ? returnBlock(returned) : html`<p>Not yet. The payment page returns here once the deposit is paid or rejected.</p>`}
</section>
</main>`,
  )
}

const shopPage = (styles: Stylesheet, title: string, main: Markup) =>
  page({
    title,
    lang: 'en',
    styles,
    body: html`
<header class="test-mode">Test mode: no real money</header>
${main}
<footer>
<p class="small"><a href="/docs">API reference</a> · The shop keeps its orders in memory until Inlet stops. Its code is <code>src/surfaces/shop/shop-routes.ts</code>, its keys are in <code>demo.json</code> of the data folder.</p>
</footer>`,
  })

const choice = (field: string, value: string, name: string, hint: string, isChosen: boolean): Markup =>
  html`
<label class="choice">
<input type="radio" name="${field}" value="${value}" required ${flag('checked', isChosen)}>
<span><strong>${name}</strong> <small>${hint}</small></span>
</label>`

const amountText = (cents: bigint, { currency }: Basket): string => priceText(cents, currency, 'en')

const boughtText = ({ product, quantity }: Basket): string =>
  quantity === 1 ? products[product].name : `${products[product].name} × ${quantity}`

/** What the shop itself refuses, by code. */
const problems: Record<string, string> = {
  invalid_value: 'Choose one of the options on this page.',
  not_found: 'Order not found. The demo shop keeps the latest orders and forgets them when Inlet stops.',
  cross_site_request: 'Open the shop and use its form.',
}

const problemBlock = ({ code, detail, isOfApi }: ShopProblem): Markup => html`
<div class="status bad" role="alert">${icons.cross}<p><strong>${isOfApi ? html`The API refused the request: <code>${code}</code>` : 'Something went wrong'}</strong>
<span>${isOfApi ? detail : (problems[code] ?? detail)} ${code === 'no_requisite_available' && 'In this demo each card and phone accepts one open deposit per amount: try another quantity.'}</span>
${isOfApi && html`<a href="/docs/errors#${code}">What it means</a>`}</p></div>`

function orderLine(order: Order): Markup {
  const { id, basket } = order
  const { tone, head } = outcomeOf(order)
  return html`
<li><a href="/demo/orders/${id}">${boughtText(basket)}</a> <span class="badge ${tone}">${head}</span>
<small class="quiet">${amountText(totalOf(basket), basket)} · ${ways[basket.way].flow} · <span class="whole">${id}</span></small></li>`
}

const callbackBlock = ({ event, headers, times }: ReceivedCallback, index: number): Markup => html`
<details class="snippet" ${flag('open', index === 0)}>
<summary><span class="badge ok">Signature valid</span> <code>${event.type}</code>${times > 1 && html` <span class="quiet">received ${times} times</span>`}</summary>
<pre class="code">${headers.map(([name, value]) => `${name}: ${value}\n`)}
${JSON.stringify(event, null, 2)}</pre>
</details>`

const returnBlock = ({ fields, holds }: BrowserReturned): Markup => html`
<p><span class="badge ${holds ? 'ok' : 'bad'}">Signature ${holds ? 'valid' : 'invalid'}</span></p>
<pre class="code">${returnFields.map((name) => `${name}=${foreignText(fields[name], 128)}\n`)}</pre>`

type Outcome = {
  tone: 'info' | 'ok' | 'warn' | 'bad'
  icon: keyof typeof icons
  head: string
  text: string
}

const waiting: Outcome = {
  tone: 'info',
  icon: 'clock',
  head: 'Waiting',
  text: 'No callback with a result yet.',
}

/** What the shop shows for the state that the last callback reported. */
const outcomeOf = (order: Order): Outcome => outcomes[callbackState(order) ?? ''] ?? waiting

const outcomes: Record<string, Outcome> = {
  created: {
    tone: 'warn',
    icon: 'warning',
    head: 'Not paid in full',
    text: 'Part of the money has arrived. Do not ship yet.',
  },
  confirmed: {
    tone: 'ok',
    icon: 'check',
    head: 'Paid',
    text: 'A valid callback for the amount of this order has arrived: ship the goods.',
  },
  rejected: { tone: 'bad', icon: 'cross', head: 'Rejected', text: 'Do not ship.' },
  expired: {
    tone: 'warn',
    icon: 'clock',
    head: 'Expired',
    text: 'The time to pay has expired. A late payment may still confirm it.',
  },
  canceled: { tone: 'bad', icon: 'cross', head: 'Canceled', text: 'Do not ship.' },
  reversed: { tone: 'bad', icon: 'warning', head: 'Reversed', text: 'The bank took the money back.' },
}
