/** What the manual explains besides the operations: the first steps, signing, states, the payment page, repeating. */

import { signedFields } from '../../../../sdk/signature.ts'
import {
  type ActionName,
  type DepositState,
  depositStates,
  type Label,
  labels,
  transitions,
} from '../../../domain/deposits/deposit.ts'
import { bounds } from '../../../platform/bounds.ts'
import { html, type Markup } from '../../web/html.ts'
import { signatureCauses } from '../refused-signature.ts'
import { codeBlock, codeList, prose, snippetList, table } from './pieces.ts'
import { curlExample, literalExample, literalSnippets, v2Example, v2Snippets } from './snippets.ts'

export const start = (url: string): Markup => html`
<section id="start">
<h2>Start</h2>
<p>All URLs start with <code>${url}</code>. The machine-readable form of this page is
<a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<ol class="steps">
<li>Your operator opens a test-mode merchant for you and sends you a link to its console. There you create a key, which is a
key id and a signing secret, and under Callbacks set your callback URL and create a callback secret.</li>
<li>Sign a request and <a href="#createDeposit">create a deposit</a>, or <a href="#buildDeposit">build a payment page</a> where
the customer chooses the method.</li>
<li>Show <code>payment_data</code> to your customer, or send the customer to <code>payment_data.url</code>: <a href="#page">the payment
page</a>.</li>
<li>Wait for <a href="#callbacks">the callback</a>, and verify it. When <code>state</code> is <code>confirmed</code> and
amount and currency are those of your order, the order is paid.</li>
</ol>
<p>Bodies are one flat object in UTF-8, as <code>application/json</code> or
<code>application/x-www-form-urlencoded</code>, at most ${bounds.bodyBytes / 1024} KiB. Send each field once.
Unknown fields, <code>null</code>, booleans, arrays and control characters are refused. Amounts are whole minor
units: 3.12 is <code>312</code>.</p>
</section>`

export const signing = (url: string): Markup => html`
<section id="sign">
<h2>Sign a request</h2>
<p>A signature proves that a request is yours. It is an HMAC-SHA256. Its key is your signing secret exactly as it was
shown to you: its UTF-8 bytes, not decoded from hex or base64. It travels in the header <code>X-Signature</code>.
There are two forms.</p>
${table(
  ['form', 'covers', 'for'],
  [
    [html`<a href="#literal">literal</a>`, 'the values of the fields', 'create, build, limit'],
    [
      html`<a href="#v2">v2</a>`,
      'time, method, path with query and every byte of the body',
      'everything; all but create, build and limit accept only this',
    ],
  ],
)}
<p>For a wrong, missing or malformed signature, an unknown merchant or an expired key the answer is always the same
<a href="/docs/errors#signature_invalid">signature_invalid</a>.</p>

<h3 id="literal">Literal</h3>
<p>Take the values of the fields that you send. Put them in this order. Join them with <code>::</code>. Sign the text.</p>
${fieldOrder('Create', signedFields.create)}
${fieldOrder('Build', signedFields.build)}
${fieldOrder('Limit', signedFields.limit)}
<ul>
<li>A field that you do not send is not in the text.</li>
<li>A field that you send empty is in the text as an empty value.</li>
<li><code>cents</code> is written in digits, however you send it.</li>
<li>A value must not contain <code>::</code> nor begin or end with <code>:</code>. If yours may, use <a href="#v2">v2</a>.</li>
<li>The result is 64 hex digits. Write it in the header <code>X-Signature</code>. A client that cannot set headers may
send it as the body field <code>signature</code>, which is not signed itself.</li>
</ul>
<h4>Example</h4>
<dl class="pairs">
<div><dt>secret</dt><dd><code>${literalExample.secret}</code></dd></div>
<div><dt>text</dt><dd><code>${literalExample.string}</code></dd></div>
<div><dt>X-Signature</dt><dd><code>${literalExample.signature}</code></dd></div>
</dl>
<p>Each of these programs prints that signature.</p>
${snippetList(literalSnippets)}
<p>Sent with curl:</p>
${codeBlock(curlExample(url))}

<h3 id="v2">v2</h3>
<p>Write five lines, joined by a line feed, without one at the end. Sign the text.</p>
<ol>
<li>the word <code>v2</code></li>
<li>the unix time in seconds; it may differ from our clock by ${bounds.signatureToleranceSeconds} seconds</li>
<li>the method, in capitals</li>
<li>the path with its query, exactly as you send it</li>
<li>the SHA-256 of the raw body in lower-case hex; without a body, the SHA-256 of an empty string</li>
</ol>
<p>The header is <code>X-Signature: t=TIME,kid=KEY_ID,v2=HEX</code>: in this order, without spaces. If the body has a
<code>merchant</code>, it must be the owner of the key. Sign the bytes that you send; do not serialise the body twice.</p>
<p>A request that is not safe to repeat (replaying a callback, test money, the test clock) is accepted once per
signature. Sent again unchanged, it gets <strong>409</strong> <a href="/docs/errors#request_repeated">request_repeated</a>:
it has already been carried out. To repeat it, sign it again. Two equal requests in the same second have the same signature: sign the second one
for the next second, or repeat it a second later.</p>
<h4>Example</h4>
<dl class="pairs">
<div><dt>secret</dt><dd><code>${v2Example.secret}</code></dd></div>
<div><dt>body</dt><dd><code>${v2Example.body}</code></dd></div>
<div><dt>text</dt><dd><pre><code>${['v2', v2Example.t, v2Example.method, v2Example.target, v2Example.sha256].join('\n')}</code></pre></dd></div>
<div><dt>X-Signature</dt><dd><code>${v2Example.header}</code></dd></div>
</dl>
${snippetList(v2Snippets)}

<h3 id="debug">Debug it</h3>
<p>A test-mode merchant that gets <code>signature_invalid</code> gets the reason: <code>cause</code> names it,
<code>detail</code> explains it, and <code>signature_string</code> is the text that we signed. Send your own text in the header
<code>X-Signature-String</code>, in base64, and <code>first_difference</code> names the first field where the two differ. When
it is <code>null</code> the texts are equal: then the secret is wrong. A live merchant never sees these members; nor does, in
production, a request that names neither merchant nor key.</p>
${table(
  ['cause', 'what is wrong'],
  Object.entries(signatureCauses).map(([cause, what]) => [html`<code>${cause}</code>`, what]),
)}
</section>`

const fieldOrder = (name: string, fields: readonly string[]): Markup => html`
<p class="order"><strong>${name}:</strong> ${fields.map((field, place) => [place > 0 && ' · ', html`<code>${field}</code>`])}</p>`

export const states = (): Markup => html`
<section id="states">
<h2>States</h2>
${table(
  ['state', 'final', 'what is true'],
  depositStates.map((state) => {
    const { truth, final } = stateNotes[state]
    const next = statesAfter(state)
    const leadsTo = next.length > 0 && html` Next: ${codeList(next)}.`
    return [html`<code>${state}</code>`, final, html`${truth}${leadsTo}`]
  }),
)}
<p>Treat only <code>confirmed</code> as paid. Expect states and labels that you do not know yet.</p>
<h3 id="labels">Labels</h3>
<p>The state is the progress of a deposit; its <code>labels</code> show what is special about the money. Labels can be combined.</p>
${table(
  ['label', 'what is true'],
  labels.map((label) => [html`<code>${label}</code>`, prose(labelNotes[label])]),
)}
<h3 id="actions">What moves a deposit</h3>
${table(
  ['action', 'from', 'to', 'what happens'],
  (Object.keys(transitions) as ActionName[]).map((action) => {
    const { from, to } = transitions[action]
    const leadsTo = to === 'same' ? 'stays' : codeList([to])
    return [html`<code>${action}</code>`, codeList(from), leadsTo, prose(actionNotes[action])]
  }),
)}
<p>From <code>expired</code> an action is possible while <code>is_final</code> is false. What is not in the table is
refused: <a href="/docs/errors#state_conflict">state_conflict</a>.</p>
</section>`

const statesAfter = (state: DepositState): DepositState[] => {
  const leaving = Object.values(transitions).filter(({ from }) =>
    (from as readonly DepositState[]).includes(state),
  )
  return depositStates.filter((next) => leaving.some(({ to }) => to === next))
}

const stateNotes: Record<DepositState, { truth: string; final: string }> = {
  builded: { truth: 'A payment page exists; the customer has not chosen a method yet.', final: 'no' },
  created: { truth: 'Requisites are issued; the deposit awaits payment.', final: 'no' },
  confirmed: { truth: 'The money has arrived.', final: 'yes, except for a reversal' },
  rejected: { truth: 'It was rejected, or the customer canceled.', final: 'yes' },
  expired: {
    truth: 'The deadline passed without enough money. Late money may still confirm it.',
    final: 'when is_final is true',
  },
  canceled: { truth: 'You canceled it.', final: 'yes' },
  reversed: { truth: 'The bank took back money that had been confirmed.', final: 'yes' },
}

const labelNotes: Record<Label, string> = {
  underpaid: 'Less money has arrived than requested: see `received_cents`.',
  overpaid: 'More money has arrived than requested.',
  late: 'The money arrived after `expires_at`.',
  review:
    'Money has arrived, and the operator decides whether it counts: somebody else paid, the bank took part of it back, or the amount is too low, too high or late and your settings say "Manual review". Do not fulfil or reject the order meanwhile, and do not ask the customer to pay again. The deposit does not expire while it waits, and the label is removed with the decision: `deposit.confirmed`, `deposit.rejected`, or `deposit.reversed` for one that had been confirmed.',
  manual: 'The operator confirmed it manually.',
}

const actionNotes: Record<ActionName, string> = {
  choose_method: 'The customer chooses a method on the payment page; requisites are issued.',
  claim: 'The customer reports that the money was sent. Near the deadline this extends it once.',
  receive: 'Money arrived. If it is enough, `confirm` follows immediately.',
  confirm: 'The money arrived, or the operator confirmed it.',
  reject: 'The operator rejects it, or the customer cancels.',
  cancel: 'You cancel it. Only possible while no money has arrived.',
  expire: 'The deadline passed.',
  reverse: 'The bank took the money back.',
}

export const paymentPage = (url: string): Markup => html`
<section id="page">
<h2>The payment page</h2>
<p><code>payment_data.url</code> of either flow opens it. It says what to transfer, to whom and until when, in Russian,
Uzbek, Kazakh, Tajik or English, and updates by itself when the money arrives. Send the customer there with a plain
link or a redirect; it does not work inside a frame. Add this line to your own page to make it open faster:</p>
${codeBlock(`<link rel="preconnect" href="${url}">`)}
<p>After <a href="#buildDeposit">build</a> the customer first chooses a method. The page offers every payment type that is available
to you in this currency, matches the amount and has a free requisite. Opening the page, or a robot that previews the link,
reserves nothing.</p>
<h3 id="return">The way back</h3>
<p>The page has a button to <code>success_url</code> once the deposit is confirmed, and to <code>reject_url</code> once it is
rejected, canceled, expired or reversed. A customer who saw it become confirmed or rejected returns after 20 seconds, and may
stay. If the request had no such URLs, those from your settings at the time of the request are used. The URL contains <code>id</code>, <code>order_id</code>, <code>state</code>, <code>ts</code> (unix seconds) and
<code>signature</code>: the HMAC-SHA256, in hex, of the word <code>return</code> and these four values joined by
<code>::</code>, with your newest signing secret.</p>
<p>A return is a hint for the page that you show, never proof of payment: a customer may close the browser, or open the
URL again. Only <a href="#callbacks">the callback</a> and <a href="#readDeposit">reading the deposit</a> are proof.</p>
<h3 id="bill">The bill</h3>
<p><code>payment_bill_url</code> is a picture (PNG; <code>.svg</code> works too) to show or to send: requisites, amount,
reference, deadline and a QR code. For a Russian account the code fills in the transfer in a bank's app; otherwise it
opens the payment page, and says so. The picture shows the current state: once the deposit is paid or expired, it says so. Add
<code>?lang=en</code> (ru, uz, kk, tg) for another language.</p>
</section>`

export const eventsFeed = (): Markup => html`
<section id="events">
<h2>Events feed</h2>
<p>The same events, for you to fetch: <a href="#readEvents">read the feed</a>. Use it after an outage, to check that nothing
is missing, or when you cannot receive callbacks.</p>
<ol>
<li>Start with <code>after=0</code>.</li>
<li>Handle <code>events</code> in order. They are byte for byte the bodies of the callbacks.</li>
<li>Store <code>next_after</code>, and use it for the next request. When <code>events</code> is empty you have everything.</li>
</ol>
<p>The feed has an event even if no callback URL is set. Events are kept for at least 30 days. If you request older ones:
<strong>410</strong> <a href="/docs/errors#events_gone">events_gone</a>, and <code>oldest_sequence</code> says where the
feed starts now. The feed never skips a number silently.</p>
</section>`

export const repeating = (): Markup => html`
<section id="repeat">
<h2>Repeat safely</h2>
<p>An <code>order_id</code> identifies one deposit forever. So a lost answer is no problem: send the same request again.</p>
<ul>
<li>New order: <strong>201</strong> and the new deposit.</li>
<li>Same order, same data: <strong>200</strong>, the deposit as it is now, and the header <code>Idempotent-Replayed: true</code>.
JSON or form, literal or v2, makes no difference.</li>
<li>Same order, other data: <strong>422</strong> <a href="/docs/errors#order_id_reused">order_id_reused</a>. Nothing changes.</li>
<li>After 408, 409, 429, 500, 503 or no answer at all: repeat the same request. You never get two deposits.</li>
</ul>
</section>`

export const rates = (): Markup => html`
<section id="rates">
<h2>Rate limits</h2>
<p>Each merchant has a budget of requests per second with a burst, 100 and 400 unless your operator set others. Requests
without a signature are counted per address (of IPv6 per /64), failed signatures too. The header <code>RateLimit</code> says what
remains. Above it: <strong>429</strong> <a href="/docs/errors#rate_limited">rate_limited</a> with <code>Retry-After</code>
in seconds.</p>
</section>`

export const testMode = (): Markup => html`
<section id="test-mode">
<h2>Test mode</h2>
<p>A test-mode merchant has keys, requisites and deposits of its own; no real account ever appears. The API is the same,
with three differences: <code>http</code> addresses are accepted, a wrong signature is <a href="#debug">explained</a>, and
the payment page says that it is a test and lets you simulate the bank: pay the exact amount, less, more, late, twice, or reject.</p>
<p>Your own tests can simulate the bank with <a href="#sandboxTransfer">send test money</a>: any amount, purpose and day, the same
entry twice, an entry revoked. The money is matched like a real bank's, and the answer says by which rule. With
<a href="#sandboxClock">let time pass</a> you bring the deadlines of your open deposits closer: after 31 minutes an unpaid one expires within
seconds. <a href="#sandboxStatement">The statement</a> has the same transfers as a file of a bank, in the format you choose.</p>
</section>`
