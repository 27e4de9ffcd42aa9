/**
 * The reference for a merchant's developer: the OpenAPI document and the refusal registry as pages to read. What
 * is told about fields, answers and errors is taken from them; only the explanations are written here.
 */
import { signedFields } from '../../sdk/signature.ts'
import { bounds } from '../bounds.ts'
import { optionalEvents } from '../callbacks/callback.ts'
import { laneRules } from '../delivery/lane.ts'
import { attemptsMost, lifeMs, retryWaits } from '../delivery/retry-schedule.ts'
import { type EventType, eventTypes } from '../deposits/decide.ts'
import { type ActionName, type DepositState, depositStates, transitions } from '../deposits/deposit.ts'
import { type RefusalCode, refusals } from '../refusals.ts'
import { html, type Markup } from '../web/html.ts'
import { page, type Stylesheet } from '../web/page.ts'
import {
  callbackHeaders,
  eventMeanings,
  type Method,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Schema,
} from './openapi.ts'
import {
  callbackExample,
  callbackSnippets,
  curlExample,
  literalExample,
  literalSnippets,
  type Snippet,
  v2Example,
  v2Snippets,
} from './snippets.ts'

export function referencePage(document: OpenApiDocument, styles: Stylesheet) {
  const operations = operationsOf(document)
  const { schemas } = document.components
  const [server] = document.servers
  const body = shell({
    nav: html`<ul>
<li><a href="#start">Start</a></li>
<li><a href="#sign">Sign a request</a>
<ul class="sub"><li><a href="#literal">Literal</a></li><li><a href="#v2">v2</a></li><li><a href="#debug">Debug it</a></li></ul></li>
<li><a href="#operations">Operations</a>
<ul class="sub">${operations.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}</ul></li>
<li><a href="#records">Records</a>
<ul class="sub">${records.map((name) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></li>
<li><a href="#states">States</a></li>
<li><a href="#callbacks">Callbacks</a>
<ul class="sub"><li><a href="#verify">Verify</a></li><li><a href="#answer">Answer</a></li><li><a href="#retries">Retries</a></li><li><a href="#order">Order and repeats</a></li><li><a href="#replay">Replay</a></li><li><a href="#refused-addresses">Refused addresses</a></li></ul></li>
<li><a href="#events">Events feed</a></li>
<li><a href="#repeat">Repeat safely</a></li>
<li><a href="#rates">Rate limits</a></li>
<li><a href="#test-mode">Test mode</a></li>
<li><a href="/docs/errors">All errors</a></li>
</ul>`,
    main: html`
<h1>Deposit Request API</h1>
<p class="lead">${document.info.description}</p>
${start(server!.url)}
${signing(server!.url)}
<section id="operations">
<h2>Operations</h2>
${operations.map((operation) => operationSection(operation, schemas))}
</section>
<section id="records">
<h2>Records</h2>
${records.map((name) => schemaSection(name, schemas[name]!))}
</section>
${states()}
${callbacks(document)}
${eventsFeed()}
${repeating()}
${rates()}
${testMode()}`,
  })
  return page({ title: 'Deposit Request API · Inlet', lang: 'en', body, styles, isIndexed: true })
}

export function errorsPage(document: OpenApiDocument, styles: Stylesheet) {
  const codes = Object.keys(refusals) as RefusalCode[]
  const byStatus = [...Map.groupBy(codes, (code) => refusals[code].status)]
  const body = shell({
    nav: html`<ul>
<li><a href="/docs">Reference</a></li>
${byStatus.map(
  ([status, together]) =>
    html`<li><a href="#${together[0]}">${status}</a><ul class="sub">${together.map((code) => html`<li><a href="#${code}">${code}</a></li>`)}</ul></li>`,
)}
</ul>`,
    main: html`
<h1>Errors</h1>
<p class="lead">Every refusal has a code. A code never changes its meaning, so let your program read <code>code</code>
and <code>retryable</code>, and show <code>detail</code> to a person.</p>
<p>Retryable means: the same request, with the same order_id, may succeed later. When the answer has a
<code>Retry-After</code> header, wait that long.</p>
${codes.map((code) => errorArticle(code, isAnswered(document, code)))}`,
  })
  return page({ title: 'Errors · Inlet', lang: 'en', body, styles, isIndexed: true })
}

const shell = ({ nav, main }: { nav: Markup; main: Markup }): Markup => html`
<a class="skip" href="#main">Skip to the text</a>
<div class="shell">
<nav class="rail" aria-label="Contents">
<a class="brand" href="/docs">Inlet</a>
${nav}
</nav>
<main id="main" class="prose">${main}
<footer><a href="/openapi.json">openapi.json</a> · <a href="/docs/errors">All errors</a></footer>
</main>
</div>`

// ── Explanations ────────────────────────────────────────────────────────────────────────────────────────────

const start = (url: string): Markup => html`
<section id="start">
<h2>Start</h2>
<p>All addresses begin with <code>${url}</code>. The machine-readable form of this page is
<a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<ol class="steps">
<li>Your operator gives you a merchant id, a key id, a signing secret and a callback secret. Begin with a test-mode
merchant.</li>
<li>Sign a request and <a href="#createDeposit">create a deposit</a>.</li>
<li>Show <code>payment_data</code> to your customer, or lead the customer to <code>payment_data.url</code>.</li>
<li>Wait for <a href="#callbacks">the callback</a>, and verify it. When <code>state</code> is <code>confirmed</code> and
amount and currency are those of your order, the order is paid.</li>
</ol>
<p>Bodies are one flat object in UTF-8, as <code>application/json</code> or
<code>application/x-www-form-urlencoded</code>, at most ${bounds.bodyBytes / 1024} KiB. Each field stands once.
Unknown fields, <code>null</code>, booleans, arrays and control characters are refused. Amounts are whole minor
units: 3 units 12 is <code>312</code>.</p>
</section>`

const signing = (url: string): Markup => html`
<section id="sign">
<h2>Sign a request</h2>
<p>A signature proves that a request is yours. It is an HMAC-SHA256. Its key is your signing secret exactly as it was
shown to you: its UTF-8 bytes, not decoded from hex or base64. It travels in the header <code>X-Signature</code>.
There are two forms.</p>
<table class="fields">
<thead><tr><th>form</th><th>covers</th><th>for</th></tr></thead>
<tbody>
<tr><td data-label="form"><a href="#literal">literal</a></td><td data-label="covers">the values of the fields</td><td data-label="for">create, limit</td></tr>
<tr><td data-label="form"><a href="#v2">v2</a></td><td data-label="covers">time, method, address and every byte of the body</td><td data-label="for">everything; all but create and limit take only this</td></tr>
</tbody>
</table>
<p>Wrong, missing or malformed, an unknown merchant, an ended key: the answer is always the same
<a href="/docs/errors#signature_invalid">signature_invalid</a>.</p>

<h3 id="literal">Literal</h3>
<p>Take the values of the fields that you send. Put them in this order. Join them with <code>::</code>. Sign the text.</p>
${fieldOrder('Create', signedFields.create)}
${fieldOrder('Limit', signedFields.limit)}
<ul>
<li>A field that you do not send is not in the text.</li>
<li>A field that you send empty is in the text, as the empty text it is.</li>
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
<li>the SHA-256 of the raw body in lower-case hex; without a body, that of nothing</li>
</ol>
<p>The header is <code>X-Signature: t=TIME,kid=KEY_ID,v2=HEX</code>: in this order, without spaces. If the body has a
<code>merchant</code>, it must be the owner of the key. Sign the bytes that you send; do not serialise the body twice.</p>
<h4>Example</h4>
<dl class="pairs">
<div><dt>secret</dt><dd><code>${v2Example.secret}</code></dd></div>
<div><dt>body</dt><dd><code>${v2Example.body}</code></dd></div>
<div><dt>text</dt><dd><pre><code>${['v2', v2Example.t, v2Example.method, v2Example.target, v2Example.sha256].join('\n')}</code></pre></dd></div>
<div><dt>X-Signature</dt><dd><code>${v2Example.header}</code></dd></div>
</dl>
${snippetList(v2Snippets)}

<h3 id="debug">Debug it</h3>
<p>A test-mode merchant that gets <code>signature_invalid</code> also gets <code>signature_string</code>: the text that we
signed. Send your own text in the header <code>X-Signature-String</code>, in base64, and
<code>first_difference</code> names the first field where the two part. When it is <code>null</code> the texts are equal:
then the secret is wrong. A live merchant never sees these members.</p>
</section>`

const fieldOrder = (name: string, fields: readonly string[]): Markup => html`
<p class="order"><strong>${name}:</strong> ${fields.map((field, place) => [place > 0 && ' · ', html`<code>${field}</code>`])}</p>`

const snippetList = (snippets: readonly Snippet[]): Markup[] =>
  snippets.map(
    ({ language, code }) =>
      html`<details class="snippet"><summary>${language}</summary>${codeBlock(code)}</details>`,
  )

const states = (): Markup => html`
<section id="states">
<h2>States</h2>
<table class="fields">
<thead><tr><th>state</th><th>final</th><th>what is true</th></tr></thead>
<tbody>${depositStates.map((state) => {
  const { truth, final } = stateNotes[state]
  const next = statesAfter(state)
  return html`
<tr><td data-label="state"><code>${state}</code></td><td data-label="final">${final}</td><td data-label="truth">${truth}${next.length > 0 && html` Next: ${codeList(next)}.`}</td></tr>`
})}
</tbody>
</table>
<p>Treat only <code>confirmed</code> as paid. Expect states and labels that you do not know yet.</p>
<h3 id="actions">What moves a deposit</h3>
<table class="fields">
<thead><tr><th>action</th><th>from</th><th>to</th><th>what happens</th></tr></thead>
<tbody>${(Object.keys(transitions) as ActionName[]).map((action) => {
  const { from, to } = transitions[action]
  return html`
<tr><td data-label="action"><code>${action}</code></td><td data-label="from">${codeList(from)}</td><td data-label="to">${to === 'same' ? 'stays' : codeList([to])}</td><td data-label="what">${prose(actionNotes[action])}</td></tr>`
})}
</tbody>
</table>
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
  created: { truth: 'Requisites are issued and money is awaited.', final: 'no' },
  confirmed: { truth: 'The money is there.', final: 'yes, save a reversal' },
  rejected: { truth: 'It was refused, or the customer gave up.', final: 'yes' },
  expired: {
    truth: 'The deadline passed without enough money. Late money may still confirm it.',
    final: 'when is_final is true',
  },
  canceled: { truth: 'You withdrew it.', final: 'yes' },
  reversed: { truth: 'The bank took back money that had been confirmed.', final: 'yes' },
}

const actionNotes: Record<ActionName, string> = {
  choose_method: 'The customer chooses a method on the payment page; requisites are issued.',
  claim: 'The customer says that the money was sent. Near the deadline this buys time, once.',
  receive: 'Money was seen. When it suffices, `confirm` follows at once.',
  confirm: 'The money is there, or the operator says so.',
  reject: 'The operator refuses it, or the customer gives up.',
  cancel: 'You withdraw it. Only while no money is seen.',
  expire: 'The deadline passed.',
  reverse: 'The bank took the money back.',
}

const codeList = (names: readonly string[]): Markup[] =>
  names.map((name, place) => html`${place > 0 && ', '}<code>${name}</code>`)

const callbacks = (document: OpenApiDocument): Markup => html`
<section id="callbacks">
<h2>Callbacks</h2>
<p>We tell you what happens to a deposit, with a POST to your server. So you need not ask.</p>
<h3 id="when">When</h3>
<table class="fields">
<thead><tr><th>type</th><th>what happened</th></tr></thead>
<tbody>${eventTypes.map(
  (type) => html`
<tr><td data-label="type"><code>${type}</code></td><td data-label="what">${eventMeanings[type]}${optionalEvents.includes(type) && ' Optional: ask your operator for it.'}</td></tr>`,
)}
</tbody>
</table>
<p>Creating a deposit is your own call and is no event. Answer 2xx to a type that you do not know.
Your operator can send you a test call: it is signed like any other, has the type <code>test</code>, no <code>sequence</code>
and no deposit.</p>
<h3 id="where">Where</h3>
<p>To <code>callback_url</code> of the request. Without it, to the address of your account, which your operator sets.
Without either, the event waits ${lifeDays} days for an address; the <a href="#events">feed</a> has it at once.</p>
<h3 id="what">What</h3>
<p>A <a href="#CallbackPayload">CallbackPayload</a> as JSON. <code>data</code> is the deposit as it was at that moment.</p>
${codeBlock(JSON.stringify(examplePayload(document, 'deposit.confirmed'), null, 2))}

<h3 id="verify">Verify</h3>
<p>Anybody can send a POST to your address. Believe only what has our signature. It follows
<a href="https://www.standardwebhooks.com">Standard Webhooks</a>, so its libraries work too.</p>
<table class="fields">
<thead><tr><th>header</th><th>value</th></tr></thead>
<tbody>${callbackHeaders.map(
  ({ name, description }) => html`
<tr><td data-label="header"><code>${name}</code></td><td data-label="value">${prose(description)}</td></tr>`,
)}
</tbody>
</table>
<ol>
<li>Take the raw body, before any parser.</li>
<li>Join <code>webhook-id</code>, <code>webhook-timestamp</code> and the body with dots.</li>
<li>The key is your callback secret without <code>whsec_</code>, decoded from base64. It is not your signing secret.</li>
<li>Make the HMAC-SHA256, in base64, with <code>v1,</code> before it.</li>
<li>One of the signatures in <code>webhook-signature</code> must be equal to it. While a secret is being replaced there are two.</li>
<li>The time must be within 300 seconds of yours.</li>
<li>Compare <code>amount_cents</code> and <code>amount_currency</code> with your own order.</li>
</ol>
<h4>Example</h4>
<dl class="pairs">
<div><dt>secret</dt><dd><code>${callbackExample.secret}</code></dd></div>
<div><dt>webhook-id</dt><dd><code>${callbackExample.id}</code></dd></div>
<div><dt>webhook-timestamp</dt><dd><code>${callbackExample.timestamp}</code></dd></div>
<div><dt>body</dt><dd><code>${callbackExample.body}</code></dd></div>
<div><dt>webhook-signature</dt><dd><code>${callbackExample.signature}</code></dd></div>
</dl>
<p>The body is shortened. Each of these programs prints <code>genuine</code>; change a character and it prints
<code>refused</code>.</p>
${snippetList(callbackSnippets)}

<h3 id="answer">Answer</h3>
<p>Answer with any 2xx status within ${bounds.delivery.requestMs / 1000} seconds. Store the event first, then answer, then do
slow work. The body of your answer does not matter; its beginning is kept for your operator to see. A redirect is a
failure: we never follow one.</p>

<h3 id="retries">Retries</h3>
<p>Without a 2xx we send it again: ${attemptsMost} attempts in all. Each wait is up to 20 % shorter or longer.</p>
<table class="fields">
<thead><tr><th>attempt</th><th>wait before it</th><th>since the first</th></tr></thead>
<tbody>${retryRows().map(
  ({ attempt, wait, since }) => html`
<tr><td data-label="attempt">${attempt}</td><td data-label="wait">${wait}</td><td data-label="since first">${since}</td></tr>`,
)}
</tbody>
</table>
<ul>
<li>Answer 429 or 503 with <code>Retry-After</code>, and we wait at least that long, up to 24 hours.</li>
<li>When your server fails for several deposits in a row, we stop and probe: after ${duration(laneRules.openFirstMs)}, then more
and more rarely, up to every ${duration(laneRules.openMostMs)}. Meanwhile the waiting callbacks use up no attempts.</li>
<li>After ${duration(laneRules.failingToPauseMs)} without a single success we pause. Everything is held until your operator resumes it.</li>
<li>A callback is given up after its last attempt, or ${lifeDays} days after the event. Its state is then <code>failed</code>.</li>
</ul>
<h4 id="gone">410</h4>
<p>Answer 410 to say: never again. From <code>callback_url</code> of a request it ends this callback as <code>failed</code>. From
the address of your account it pauses that address: everything is held until your operator resumes it or sets another address.</p>

<h3 id="order">Order and repeats</h3>
<ul>
<li>The same callback may arrive twice. Keep <code>webhook-id</code>, and do nothing the second time but answer 2xx.</li>
<li>Callbacks of one deposit come in order. After 5 failures of one, the next is sent nevertheless.</li>
<li>So keep the highest <code>sequence</code> of each deposit, and ignore a lower one.</li>
<li>Between deposits there is no order.</li>
<li><code>sequence</code> counts all your events, without a gap. A missing number is in the <a href="#events">feed</a>.</li>
</ul>

<h3 id="replay">Replay</h3>
<p><a href="#listCallbacks">List</a> your callbacks to see what failed and why, and <a href="#replayCallback">replay</a> one when
your server is well again. It comes with the same id and the same bytes, and with a new time and signature. You can do
this for ${lifeDays} days.</p>

<h3 id="refused-addresses">Refused addresses</h3>
<p>An address is absolute, <code>http</code> or <code>https</code>, without a user name or a password. A live merchant uses
<code>https</code>, port 443 or 8443, and a host name instead of a number. Everything else is refused at once:
<a href="/docs/errors#url_not_allowed">url_not_allowed</a>.</p>
<p>We look where a name leads each time we connect. A name that leads to a private, local or reserved address, if only
with one of its addresses, gets nothing: the attempt fails. Your operator can allow exceptions.</p>
</section>`

const lifeDays = lifeMs / 86_400_000

const examplePayload = ({ webhooks }: OpenApiDocument, type: EventType): unknown =>
  webhooks[type].post.requestBody.content['application/json']!.example

const retryRows = () => {
  let since = 0
  return [0, ...retryWaits].map((wait, place) => {
    since += wait
    return { attempt: place + 1, wait: wait ? duration(wait) : 'none', since: since ? duration(since) : '' }
  })
}

/** In the two largest units; exact to the second below an hour. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const from = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(from, from + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

const eventsFeed = (): Markup => html`
<section id="events">
<h2>Events feed</h2>
<p>The same events, for you to fetch: <a href="#readEvents">read the feed</a>. Use it after an outage, to check that nothing
is missing, or when you cannot take callbacks.</p>
<ol>
<li>Begin with <code>after=0</code>.</li>
<li>Handle <code>events</code> in order. They are byte for byte the bodies of the callbacks.</li>
<li>Keep <code>next_after</code>, and ask again with it. When <code>events</code> is empty you have everything.</li>
</ol>
<p>The feed has an event even when no address is set. Events are kept for 30 days at least. If you ask for older ones:
<strong>410</strong> <a href="/docs/errors#events_gone">events_gone</a>, and <code>oldest_sequence</code> says where the
feed begins now. The feed never skips a number silently.</p>
</section>`

const repeating = (): Markup => html`
<section id="repeat">
<h2>Repeat safely</h2>
<p>An <code>order_id</code> names one deposit, for ever. So a lost answer is no problem: send the same request again.</p>
<ul>
<li>New order: <strong>201</strong> and the new deposit.</li>
<li>Same order, same data: <strong>200</strong>, the deposit as it is now, and the header <code>Idempotent-Replayed: true</code>.
JSON or form, literal or v2, makes no difference.</li>
<li>Same order, other data: <strong>422</strong> <a href="/docs/errors#order_id_reused">order_id_reused</a>. Nothing changes.</li>
<li>After 408, 409, 429, 500, 503 or no answer at all: repeat the same request. You never get two deposits.</li>
</ul>
</section>`

const rates = (): Markup => html`
<section id="rates">
<h2>Rate limits</h2>
<p>Each merchant has a budget of requests per second with a burst, 100 and 400 unless your operator set others. Requests
without a signature are counted per address, failed signatures too. The header <code>RateLimit</code> says what
remains. Above it: <strong>429</strong> <a href="/docs/errors#rate_limited">rate_limited</a> with <code>Retry-After</code>
in seconds.</p>
</section>`

const testMode = (): Markup => html`
<section id="test-mode">
<h2>Test mode</h2>
<p>A test-mode merchant has keys, requisites and deposits of its own; no real account ever appears. The API is the same,
with three differences: <code>http</code> addresses are accepted, a wrong signature is <a href="#debug">explained</a>, and
the payment page says that it is a test.</p>
</section>`

// ── From the document ───────────────────────────────────────────────────────────────────────────────────────

type Named = { path: string; method: Method; operation: Operation }

const operationsOf = ({ paths }: OpenApiDocument): Named[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method as Method, operation })),
  )

function operationSection({ path, method, operation }: Named, schemas: Record<string, Schema>): Markup {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const entries = Object.entries(responses)
  const successes = entries.filter(([, { content }]) => !content?.['application/problem+json'])
  const problems = entries.filter(([, { content }]) => content?.['application/problem+json'])
  return html`
<article class="operation" id="${operationId}">
<h3>${summary}</h3>
<p class="address"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></p>
<p>${prose(description)} ${signedHow(operation)}</p>
${requestBody && html`<h4>Fields</h4><p>${requestBody.description}</p>${fieldTable(resolved(requestBody.content['application/json']!.schema, schemas))}`}
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(parameters)}`}
<h4>Answers</h4>
${successes.map(
  ([status, { description: what, content }]) => html`
<p><strong>${status}</strong> ${prose(what)}${schemaLink(content?.['application/json']?.schema)}</p>
${content?.['application/json']?.example !== undefined && html`<details class="snippet"><summary>Example</summary>${codeBlock(JSON.stringify(content['application/json'].example, null, 2))}</details>`}`,
)}
${problems.length > 0 && html`<h4>Errors</h4>${problemTable(problems.flatMap(([, { content }]) => Object.keys(content!['application/problem+json']!.examples!) as RefusalCode[]))}`}
</article>`
}

function signedHow({ security }: Operation): Markup | null {
  const names = security.flatMap((one) => Object.keys(one))
  const isOptional = security.some((one) => Object.keys(one).length === 0)
  if (names.length === 0) return html`No signature.`
  const forms = names.map((name, place) => [place > 0 && ' or ', html`<a href="#${name}">${name}</a>`])
  return isOptional ? html`Signature: none, or ${forms}.` : html`Signature: ${forms}.`
}

const schemaLink = (schema: Schema | undefined): Markup | null => {
  const name = schema?.$ref?.split('/').at(-1)
  return name && records.includes(name) ? html` <a href="#${name}">${name}</a>` : null
}

const resolved = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref ? schemas[schema.$ref.split('/').at(-1)!]! : schema

const schemaSection = (name: string, schema: Schema): Markup => html`
<article id="${name}">
<h3>${name}</h3>
<p>${schemaNotes[name]}</p>
${fieldTable(schema)}
</article>`

/** The shapes that have a place of their own; the others are told by their example. */
const records = ['DepositRecord', 'PaymentData', 'CallbackPayload', 'CallbackRecord', 'Problem']

const schemaNotes: Record<string, string> = {
  DepositRecord: 'What every operation on deposits answers with. Fields may be added later.',
  PaymentData:
    'What the customer needs for the transfer. Cards (any_bank and the types of one bank): number, name, bank_name. sbp: number is a phone. account_number: bic and payment_reason too.',
  CallbackPayload: 'What a callback carries and what the events feed lists. Fields may be added later.',
  CallbackRecord: 'How the delivery of one event goes.',
  Problem:
    'Every refusal, as application/problem+json (RFC 9457). All field problems of a request come together.',
}

function fieldTable({ properties = {}, required = [] }: Schema): Markup {
  return rowsTable(
    Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) })),
  )
}

const parameterTable = (parameters: readonly Parameter[]): Markup =>
  rowsTable(
    parameters.map(({ name, schema, required, description, in: place }) => ({
      name,
      required,
      schema: { ...schema, description: place === 'query' ? description : `In the ${place}. ${description}` },
    })),
  )

type Row = { name: string; schema: Schema; required: boolean }

const rowsTable = (rows: readonly Row[]): Markup => html`
<table class="fields">
<thead><tr><th>name</th><th>type</th><th>required</th><th>rules</th></tr></thead>
<tbody>${rows.map(
  ({ name, schema, required }) => html`
<tr><td data-label="name"><code>${name}</code></td><td data-label="type">${typeOf(schema)}</td><td data-label="required">${required ? 'yes' : 'no'}</td><td data-label="rules">${rulesOf(schema)}</td></tr>`,
)}
</tbody>
</table>`

function typeOf(schema: Schema): string | Markup | (string | Markup)[] {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!
    return html`<a href="#${name}">${name}</a>`
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one, place) => [place > 0 ? ' or ' : '', typeOf(one)].flat())
  if (schema.type === 'array') return ['list of ', typeOf(schema.items!)].flat()
  if (schema.format) return formatNames[schema.format] ?? schema.format
  return schema.type ?? 'string'
}

const formatNames: Record<string, string> = { uuid: 'UUID', uri: 'URL', 'date-time': 'time (RFC 3339)' }

function rulesOf(schema: Schema): Markup[] {
  const whole = schema.anyOf?.find((one) => one.description) ?? schema
  const rules = [
    schema.description ?? whole.description,
    whole.enum && `One of ${whole.enum.map((one) => `\`${one}\``).join(', ')}.`,
    whole.const !== undefined && `Always \`${whole.const}\`.`,
    whole.examples && `For example ${whole.examples.map((one) => `\`${one}\``).join(', ')}.`,
    whole.maxLength !== undefined && `At most ${whole.maxLength} characters.`,
    whole.minimum !== undefined &&
      (whole.maximum === undefined
        ? `At least ${whole.minimum}.`
        : `From ${whole.minimum} to ${whole.maximum}.`),
    whole.default !== undefined && `Without it: ${whole.default}.`,
    whole.pattern && `Form: \`${whole.pattern}\``,
  ]
  return rules.filter((rule) => typeof rule === 'string').map((rule) => html`${prose(rule)} `)
}

const problemTable = (codes: readonly RefusalCode[]): Markup => html`
<table class="fields">
<thead><tr><th>status</th><th>code</th><th>retryable</th><th>meaning</th></tr></thead>
<tbody>${codes.map((code) => {
  const { status, retryable, title } = refusals[code]
  return html`
<tr><td data-label="status">${status}</td><td data-label="code"><a href="/docs/errors#${code}"><code>${code}</code></a></td><td data-label="retryable">${retryable ? 'yes' : 'no'}</td><td data-label="meaning">${title}.</td></tr>`
})}
</tbody>
</table>`

/** A few refusals belong to the operator's command line and never come over the API. */
const isAnswered = ({ components }: OpenApiDocument, code: RefusalCode): boolean =>
  code in components.examples || code === 'not_found' || code === 'method_not_allowed'

const errorArticle = (code: RefusalCode, isAnswer: boolean): Markup => {
  const { status, title, retryable, advice } = refusals[code]
  return html`
<article class="error" id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p class="facts"><span class="badge">${status}</span> ${retryable ? html`<span class="badge ok">retryable</span>` : html`<span class="badge">not retryable</span>`}${!isAnswer && html` <span class="badge">operator’s commands only</span>`}</p>
<p><strong>${title}.</strong> ${advice}</p>
</article>`
}

/** Text whose `marked` words are code. */
const prose = (text: string): (string | Markup)[] =>
  text.split('`').map((piece, place) => (place % 2 === 1 ? html`<code>${piece}</code>` : piece))

const codeBlock = (code: string): Markup => html`<pre class="code"><code>${code}</code></pre>`
