/** What the manual says of callbacks. Numbers come from the code that keeps to them. */

import { type EventType, eventTypes, isOptional } from '../../../domain/callbacks/callback.ts'
import { laneRules } from '../../../domain/callbacks/delivery/lane.ts'
import { attemptsMost, lifeMs, retryWaits } from '../../../domain/callbacks/delivery/retry-schedule.ts'
import { bounds } from '../../../platform/bounds.ts'
import { html, type Markup } from '../../web/html.ts'
import { callbackHeaders, eventMeanings } from '../callbacks/openapi.ts'
import type { OpenApiDocument } from './openapi.ts'
import { codeBlock, prose, snippetList, table } from './pieces.ts'
import { callbackExample, callbackSnippets } from './snippets.ts'

export const callbacks = (document: OpenApiDocument): Markup => html`
<section id="callbacks">
<h2>Callbacks</h2>
<p>Inlet sends a POST to your server whenever something happens to a deposit, so that you do not have to poll.</p>
<h3 id="when">When</h3>
${table(
  ['type', 'what happened'],
  eventTypes.map((type) => [
    html`<code>${type}</code>`,
    html`${eventMeanings[type]}${isOptional(type) && ' Optional: choose it in your console, under Settings.'}`,
  ]),
)}
<p>Creating a deposit is your own call and sends no event. Answer 2xx to a type that you do not know.
"Send test callback" in your console, under Callbacks, makes a test call and shows what your server answered: it is signed like
any other, has the type <code>test</code>, no <code>sequence</code> and no deposit.</p>
<h3 id="where">Where</h3>
<p>To <code>callback_url</code> of the request. Without it, to the address that you set in your console, under Callbacks:
immediately in test mode, after the operator's approval in live mode. Without either, the event waits ${lifeDays} days for an address; the <a href="#events">feed</a> has it immediately.</p>
<h3 id="what">What</h3>
<p>A <a href="#CallbackPayload">CallbackPayload</a> as JSON. <code>data</code> is the deposit as it was at that moment.</p>
${codeBlock(JSON.stringify(examplePayload(document, 'deposit.confirmed'), null, 2))}

<h3 id="verify">Verify</h3>
<p>Anybody can send a POST to your address. Accept only requests with a valid signature. It follows
<a href="https://www.standardwebhooks.com">Standard Webhooks</a>, so its libraries work too.</p>
${table(
  ['header', 'value'],
  callbackHeaders.map(({ name, description }) => [html`<code>${name}</code>`, prose(description)]),
)}
<ol>
<li>Take the raw body, before any parser.</li>
<li>Join <code>webhook-id</code>, <code>webhook-timestamp</code> and the body with dots.</li>
<li>The key is your callback secret without <code>whsec_</code>, decoded from base64. It is not your signing secret.</li>
<li>Compute the HMAC-SHA256, in base64, with <code>v1,</code> before it.</li>
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
slow work. The body of your answer does not matter; your console shows its beginning. A redirect is a failure: we
never follow one.</p>

<h3 id="retries">Retries</h3>
<p>Without a 2xx we send it again: ${attemptsMost} attempts in all. Each wait is up to 20 % shorter or longer.</p>
${table(['attempt', 'wait before it', 'since the first'], retryRows())}
<ul>
<li>Answer 429 or 503 with <code>Retry-After</code>, and we wait at least that long, up to 24 hours.</li>
<li>When your server fails for several deposits in a row, we stop and probe: after ${duration(laneRules.openFirstMs)}, then more
and more rarely, up to every ${duration(laneRules.openMostMs)}. Meanwhile the waiting callbacks use up no attempts.</li>
<li>After ${duration(laneRules.failingToPauseMs)} without a single success we pause. Nothing is lost: everything is sent when you resume in your console.</li>
<li>A callback is given up after its last attempt, or ${lifeDays} days after the event. Its state is then <code>failed</code>.</li>
</ul>
<h4 id="gone">410</h4>
<p>Answer 410 to get no more callbacks. From the <code>callback_url</code> of a request it ends this callback as <code>failed</code>. From
the address of your account it pauses that address: everything waits until you resume it in your console, or set another address there.</p>

<h3 id="order">Order and repeats</h3>
<ul>
<li>The same callback may arrive twice. Store <code>webhook-id</code>, and the second time only answer 2xx.</li>
<li>Callbacks of one deposit are sent in order. After 5 failures of one, the next is sent anyway.</li>
<li>So keep the highest <code>sequence</code> of each deposit, and ignore a lower one.</li>
<li>Between deposits there is no order.</li>
<li><code>sequence</code> counts all your events, without a gap. A missing number is in the <a href="#events">feed</a>. Only after the operator
has restored a backup it jumps once, to the next thousand million plus one.</li>
</ul>

<h3 id="replay">Replay</h3>
<p><a href="#listCallbacks">List</a> your callbacks to see what failed and why, and <a href="#replayCallback">replay</a> one when
your server works again. It has the same id and the same bytes, and a new time and signature. You can do
this for ${lifeDays} days.</p>

<h3 id="refused-addresses">Refused addresses</h3>
<p>An address is absolute, <code>http</code> or <code>https</code>, without a user name or a password. A live merchant uses
<code>https</code>, port 443 or 8443, and a host name instead of an IP address. Everything else is refused immediately:
<a href="/docs/errors#url_not_allowed">url_not_allowed</a>.</p>
<p>The host name is resolved at every connection. If any of its addresses is private, local or reserved, the attempt
fails. Your operator can allow exceptions.</p>
</section>`

const lifeDays = lifeMs / 86_400_000

const examplePayload = ({ webhooks }: OpenApiDocument, type: EventType): unknown =>
  webhooks[type].post.requestBody.content['application/json']!.example

const retryRows = () => {
  let since = 0
  return [0, ...retryWaits].map((wait, place) => {
    since += wait
    return [place + 1, wait ? duration(wait) : 'none', since ? duration(since) : '']
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
