/** The pages of the demo shop: the counter with its orders, and one order with all that the shop was told. */
import { bounds } from '../bounds.ts'
import { foreignText, moneyText } from '../web/format.ts'
import { flag, html, type Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { page, type Stylesheet } from '../web/page.ts'
import {
  type Basket,
  type BrowserReturned,
  type Order,
  products,
  type ReceivedCallback,
  returnFields,
  shopCurrencies,
  toldState,
  totalOf,
  type Way,
  ways,
} from './shop.ts'

/** Why the shop could not do it: a refusal of the API as it came, or one of the shop itself. */
export type ShopProblem = { code: string; detail: string; isOfApi: boolean }

export type CounterView = {
  basket: Basket
  orders: readonly Order[]
  refusedCallbacks: number
  problem: ShopProblem | null
}

export function counterPage({ basket, orders, refusedCallbacks, problem }: CounterView, styles: Stylesheet) {
  const body = html`
${testNote}
<main class="counter">
<header>
<h1>Demo shop</h1>
<p class="lead">This page plays a merchant: it asks Inlet for a deposit through the real API, sends you to the payment page, and shows the callback that comes back.</p>
</header>
${problem && problemBlock(problem)}
<form class="sheet" method="post" action="/demo/orders">
<fieldset>
<legend>What would you like?</legend>
${entriesOf(products).map(([code, { name, cents }]) => {
  const prices = shopCurrencies.map((one) => moneyText(cents[one], one, 'en')).join(' or ')
  return choice('product', code, name, prices, code === basket.product)
})}
<label class="row">How many
<input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="${bounds.demoShop.quantity}" required value="${basket.quantity}"></label>
</fieldset>
<fieldset class="pair">
<legend>Currency</legend>
${shopCurrencies.map((one) => choice('currency', one, one, null, one === basket.currency))}
</fieldset>
<fieldset>
<legend>Pay with</legend>
${entriesOf(ways).map(([code, { name }]) => choice('way', code, name, wayHints[code], code === basket.way))}
</fieldset>
<button class="button primary" type="submit">Buy</button>
</form>
<div class="beside">
<section>
<h2>What will happen</h2>
<ol class="steps">
<li>The shop signs a request and gets a deposit with a link to its payment page.</li>
<li>Your browser goes there. At the foot of the page you play the bank: the exact amount, too little, too late.</li>
<li>Inlet calls the shop back, signed. The payment page brings you to your order.</li>
<li>The order shows every callback as it came.</li>
</ol>
</section>
<section>
<h2>Orders</h2>
${refusedCallbacks > 0 && html`<p class="note warn">Callbacks turned away because they did not hold: ${refusedCallbacks}. Were the keys of the demo merchant changed since demo.json was written?</p>`}
${orders.length === 0 && html`<p class="quiet">None yet.</p>`}
${orders.length > 0 && html`<ul class="orders">${orders.map(orderLine)}</ul>`}
</section>
</div>
</main>
${foot}`
  return page({ title: 'Demo shop · Inlet', lang: 'en', body, styles })
}

export function orderPage(order: Order, styles: Stylesheet) {
  const { id, basket, depositId, payPath, callbacks, returned } = order
  const { flow, paymentType } = ways[basket.way]
  const { tone, icon, head, text } = told(order)
  const body = html`
${testNote}
<main>
<nav aria-label="Way back"><a href="/demo">Demo shop</a></nav>
<header>
<h1>Order <span class="whole">${id}</span></h1>
</header>
<div class="status ${tone}">${icons[icon]}<p><strong>${head}</strong> <span>${text}</span></p></div>
<dl class="sheet pairs">
<div><dt>Bought</dt><dd>${boughtText(basket)}</dd></div>
<div><dt>Amount</dt><dd>${moneyText(totalOf(basket), basket.currency, 'en')}</dd></div>
<div><dt>Asked with</dt><dd><code>POST /api/v1/requests/deposit/${flow}</code> <code>${paymentType}</code></dd></div>
<div><dt>Deposit</dt><dd><code>${depositId}</code></dd></div>
</dl>
<p class="acts"><a class="button primary" href="${payPath}">Payment page</a> <a class="button plain" href="/demo/orders/${id}">Refresh</a></p>
<section>
<h2>Callbacks</h2>
<p class="quiet">The truth about this order. One whose signature does not hold is answered with 400 and never gets here.</p>
${callbacks.length === 0 && html`<p class="note sunken">None yet. Inlet sends one when the deposit’s outcome changes: play the bank on the payment page, then refresh.</p>`}
${callbacks.map(callbackBlock)}
</section>
<section>
<h2>The browser’s return</h2>
<p class="quiet">A hint for what to show first, never proof of payment: the return is in the customer’s hands, the callback is the truth.</p>
${returned ? returnBlock(returned) : html`<p class="note sunken">Not yet. The payment page leads back here once the deposit is paid or rejected.</p>`}
</section>
</main>
${foot}`
  return page({ title: `${head} · order ${id} · Inlet demo shop`, lang: 'en', body, styles })
}

const testNote = html`<header class="test-mode">Test mode: no money moves here</header>`

const foot = html`
<footer>
<p><a href="/docs">API reference</a> · The shop keeps its orders in memory until Inlet stops. Its code is <code>src/sandbox/shop-routes.ts</code>, its keys are in <code>demo.json</code> of the data folder.</p>
</footer>`

const wayHints: Record<Way, string> = {
  card: 'Direct: the shop asks for a card',
  phone: 'Direct: a transfer by phone number, in RUB only',
  account: 'Direct: a transfer to an account, with a reference',
  choose: 'Selection: the shop does not ask, the payment page does',
}

const entriesOf = <Table extends object>(table: Table) =>
  Object.entries(table) as { [Key in keyof Table]: [Key, Table[Key]] }[keyof Table][]

const choice = (field: string, value: string, name: string, hint: string | null, isChosen: boolean): Markup =>
  html`
<label class="choice">
<input type="radio" name="${field}" value="${value}" required ${flag('checked', isChosen)}>
<span><strong>${name}</strong>${hint && html` <small>${hint}</small>`}</span>
</label>`

const boughtText = ({ product, quantity }: Basket) =>
  quantity === 1 ? products[product].name : `${products[product].name} × ${quantity}`

function problemBlock({ code, detail, isOfApi }: ShopProblem): Markup {
  return html`
<div class="status bad" role="alert">${icons.cross}<p><strong>${isOfApi ? 'The API refused' : 'This did not work'}: <code>${code}</code></strong>
<span>${detail} ${code === 'no_requisite_available' && 'In this demo each card and phone takes one open deposit of the same amount: another quantity helps.'}</span>
${isOfApi && html`<a href="/docs/errors#${code}">What it means</a>`}</p></div>`
}

function orderLine(order: Order): Markup {
  const { id, basket } = order
  const { tone, head } = told(order)
  return html`
<li><a href="/demo/orders/${id}">${boughtText(basket)}</a> <span class="badge ${tone}">${head}</span>
<small><span>${moneyText(totalOf(basket), basket.currency, 'en')}</span> · ${ways[basket.way].flow} · <span class="whole">${id}</span></small></li>`
}

function callbackBlock({ event, headers, times }: ReceivedCallback, index: number): Markup {
  return html`
<details class="sheet" ${flag('open', index === 0)}>
<summary><span class="badge ok">Signature verified</span> <code>${event.type}</code>${times > 1 && html` <span class="quiet">came ${times} times</span>`}</summary>
<pre>${headers.map(([name, value]) => `${name}: ${value}\n`)}
${JSON.stringify(event, null, 2)}</pre>
</details>`
}

function returnBlock({ fields, holds }: BrowserReturned): Markup {
  return html`
<div class="sheet">
<p class="mark">${holds ? html`<span class="badge ok">Signature verified</span>` : html`<span class="badge bad">Signature does not hold</span>`}</p>
<pre>${returnFields.map((name) => `${name}=${foreignText(fields[name], 128)}\n`)}</pre>
</div>`
}

type Told = { tone: 'info' | 'ok' | 'warn' | 'bad'; icon: keyof typeof icons; head: string; text: string }

/** What the shop makes of the state that it was told. */
function told(order: Order): Told {
  const state = toldState(order)
  return (state === null ? undefined : outcomes[state]) ?? waiting
}

const waiting: Told = {
  tone: 'info',
  icon: 'clock',
  head: 'Waiting',
  text: 'No callback has told of an outcome yet.',
}

const outcomes: Record<string, Told> = {
  created: {
    tone: 'warn',
    icon: 'warning',
    head: 'Not paid in full',
    text: 'Some money has arrived, the rest is awaited. Nothing goes out yet.',
  },
  confirmed: {
    tone: 'ok',
    icon: 'check',
    head: 'Paid',
    text: 'A verified callback said so, for the amount of this order: the goods may go out.',
  },
  rejected: { tone: 'bad', icon: 'cross', head: 'Rejected', text: 'Nothing goes out.' },
  expired: {
    tone: 'warn',
    icon: 'clock',
    head: 'Expired',
    text: 'The customer’s time is over. Money that comes late may still confirm it.',
  },
  canceled: { tone: 'bad', icon: 'cross', head: 'Canceled', text: 'Nothing goes out.' },
  reversed: { tone: 'bad', icon: 'warning', head: 'Reversed', text: 'The bank took the money back.' },
}
