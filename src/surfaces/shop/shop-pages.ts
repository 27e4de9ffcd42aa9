/** The pages of the demo shop: the counter with its orders, and one order with its callbacks. */

import type { ConsoleLanguage } from '../../domain/people/person.ts'
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
import { type ShopWords, shopWords } from './shop-words.ts'

/** Why the shop could not do it: a refusal of the API as it came, or one of the shop itself. */
export type ShopProblem = { code: string; detail: string; isOfApi: boolean }

type CounterView = {
  language: ConsoleLanguage
  basket: Basket
  orders: readonly Order[]
  refusedCallbacks: number
  problem: ShopProblem | null
}

export function counterPage(view: CounterView, styles: Stylesheet) {
  const { language, basket, orders, refusedCallbacks, problem } = view
  const words = shopWords[language]
  const body = html`
${testNote(words)}
<main class="counter">
<header>
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
</header>
${problem && problemBlock(problem, words)}
<form method="post" action="/demo/orders">
<nav class="currencies" aria-label="${words.currency}">
<strong>${words.currency}</strong>
${shopCurrencies.map((shopCurrency) => html`<a class="button plain" href="${`/demo?currency=${shopCurrency}`}" aria-current="${shopCurrency === basket.currency ? 'true' : 'false'}">${shopCurrency}</a>`)}
</nav>
<input type="hidden" name="currency" value="${basket.currency}">
<fieldset class="choices">
<legend>${words.what}</legend>
${entriesOf(products).map(([code, { cents }]) => {
  const price = priceText(cents[basket.currency], basket.currency, language)
  return choice('product', code, words.products[code], price, code === basket.product)
})}
</fieldset>
<label class="quantity">${words.quantity}
<input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="${bounds.demoShop.quantity}" required value="${basket.quantity}"></label>
<fieldset class="choices">
<legend>${words.payWith}</legend>
${waysIn(basket.currency).map((way) => {
  const { name, hint } = words.ways[way]
  return choice('way', way, name, hint, way === basket.way)
})}
</fieldset>
<button class="button primary" type="submit">${words.buy}</button>
</form>
<div>
<section>
<h2>${words.willHappen}</h2>
<ol class="steps">
${words.steps.map((step) => html`<li>${step}</li>`)}
</ol>
</section>
<section>
<h2>${words.orders}</h2>
${refusedCallbacks > 0 && html`<p class="status warn">${words.turnedAway(refusedCallbacks)}</p>`}
${orders.length === 0 && html`<p class="quiet">${words.noOrders}</p>`}
${orders.length > 0 && html`<ul class="ways">${orders.map((order) => orderLine(order, language))}</ul>`}
</section>
</div>
</main>
${foot(words)}`
  return page({ title: `${words.title} · Inlet`, lang: language, body, styles })
}

export function orderPage(order: Order, language: ConsoleLanguage, styles: Stylesheet) {
  const { id, basket, depositId, payPath, callbacks, returned } = order
  const { flow, paymentType } = ways[basket.way]
  const words = shopWords[language]
  const { tone, icon, head, text } = statusOf(order, words)
  const body = html`
${testNote(words)}
<main>
<nav aria-label="${words.wayBack}"><a href="/demo">${words.title}</a></nav>
<header>
<h1>${words.order} <span class="whole">${id}</span></h1>
</header>
<div class="status ${tone}">${icons[icon]}<p><strong>${head}</strong> <span>${text}</span></p></div>
<dl class="pairs">
<div><dt>${words.bought}</dt><dd>${boughtText(basket, words)}</dd></div>
<div><dt>${words.amount}</dt><dd>${priceText(totalOf(basket), basket.currency, language)}</dd></div>
<div><dt>${words.askedWith}</dt><dd><code>POST ${apiPath(`/requests/deposit/${flow}`)}</code> <code>${paymentType}</code></dd></div>
<div><dt>${words.deposit}</dt><dd><code>${depositId}</code></dd></div>
</dl>
<p class="acts"><a class="button primary" href="${payPath}">${words.paymentPage}</a> <a class="button plain" href="/demo/orders/${id}">${words.refresh}</a></p>
<section>
<h2>${words.callbacks}</h2>
<p class="quiet">${words.callbacksAre}</p>
${callbacks.length === 0 && html`<p>${words.noCallbacks}</p>`}
${callbacks.map((callback, index) => callbackBlock(callback, index, words))}
</section>
<section>
<h2>${words.returned}</h2>
<p class="quiet">${words.returnIs}</p>
${returned ? returnBlock(returned, words) : html`<p>${words.noReturn}</p>`}
</section>
</main>
${foot(words)}`
  const title = `${head} · ${words.order} ${id} · Inlet`
  return page({ title, lang: language, body, styles })
}

const testNote = ({ testMode }: ShopWords) => html`<header class="test-mode">${testMode}</header>`

const foot = ({ reference, footer: [before, between, after] }: ShopWords) => html`
<footer>
<p class="small"><a href="/docs">${reference}</a> · ${before}<code>src/surfaces/shop/shop-routes.ts</code>${between}<code>demo.json</code>${after}</p>
</footer>`

const entriesOf = <Table extends object>(table: Table) =>
  Object.entries(table) as { [Key in keyof Table]: [Key, Table[Key]] }[keyof Table][]

const choice = (field: string, value: string, name: string, hint: string | null, isChosen: boolean): Markup =>
  html`
<label class="choice">
<input type="radio" name="${field}" value="${value}" required ${flag('checked', isChosen)}>
<span><strong>${name}</strong>${hint && html` <small>${hint}</small>`}</span>
</label>`

const boughtText = ({ product, quantity }: Basket, { products: names }: ShopWords) =>
  quantity === 1 ? names[product] : `${names[product]} × ${quantity}`

function problemBlock({ code, detail, isOfApi }: ShopProblem, words: ShopWords): Markup {
  return html`
<div class="status bad" role="alert">${icons.cross}<p><strong>${isOfApi ? html`${words.apiRefused}: <code>${code}</code>` : words.didNotWork}</strong>
<span>${isOfApi ? detail : (words.problems[code] ?? detail)} ${code === 'no_requisite_available' && words.anotherQuantity}</span>
${isOfApi && html`<a href="/docs/errors#${code}">${words.meaning}</a>`}</p></div>`
}

function orderLine(order: Order, language: ConsoleLanguage): Markup {
  const { id, basket } = order
  const words = shopWords[language]
  const { tone, head } = statusOf(order, words)
  return html`
<li><a href="/demo/orders/${id}">${boughtText(basket, words)}</a> <span class="badge ${tone}">${head}</span>
<small class="quiet">${priceText(totalOf(basket), basket.currency, language)} · ${ways[basket.way].flow} · <span class="whole">${id}</span></small></li>`
}

function callbackBlock({ event, headers, times }: ReceivedCallback, index: number, words: ShopWords): Markup {
  return html`
<details class="snippet" ${flag('open', index === 0)}>
<summary><span class="badge ok">${words.verified}</span> <code>${event.type}</code>${times > 1 && html` <span class="quiet">${words.times(times)}</span>`}</summary>
<pre class="code">${headers.map(([name, value]) => `${name}: ${value}\n`)}
${JSON.stringify(event, null, 2)}</pre>
</details>`
}

function returnBlock({ fields, holds }: BrowserReturned, words: ShopWords): Markup {
  return html`
<p><span class="badge ${holds ? 'ok' : 'bad'}">${holds ? words.verified : words.notVerified}</span></p>
<pre class="code">${returnFields.map((name) => `${name}=${foreignText(fields[name], 128)}\n`)}</pre>`
}

type Look = { tone: 'info' | 'ok' | 'warn' | 'bad'; icon: keyof typeof icons }

/** What the shop shows for the state that the last callback reported. */
function statusOf(order: Order, words: ShopWords) {
  const state = callbackState(order)
  const look = state === null ? undefined : looks[state]
  const outcome = state === null ? undefined : words.outcomes[state]
  return look && outcome ? { ...look, ...outcome } : { ...waiting, ...words.waiting }
}

const waiting: Look = { tone: 'info', icon: 'clock' }

const looks: Record<string, Look> = {
  created: { tone: 'warn', icon: 'warning' },
  confirmed: { tone: 'ok', icon: 'check' },
  rejected: { tone: 'bad', icon: 'cross' },
  expired: { tone: 'warn', icon: 'clock' },
  canceled: { tone: 'bad', icon: 'cross' },
  reversed: { tone: 'bad', icon: 'warning' },
}
