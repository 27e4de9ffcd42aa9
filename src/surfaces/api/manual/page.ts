/**
 * The reference for a merchant's developer: the OpenAPI document and the refusal registry as pages to read. What
 * is said about fields, answers and errors is taken from them; only the explanations are written, beside this file.
 */
import { type RefusalCode, refusals } from '../../../platform/refusals.ts'
import { html, type Markup } from '../../web/html.ts'
import { page, type Stylesheet } from '../../web/page.ts'
import type { Method, Operation, Parameter, Schema } from '../operation.ts'
import { callbacks } from './callbacks.ts'
import {
  eventsFeed,
  paymentPage,
  rates,
  repeating,
  signing,
  start,
  states,
  testMode,
} from './explanations.ts'
import type { OpenApiDocument } from './openapi.ts'
import { codeBlock, prose, shell, table } from './pieces.ts'

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
<li><a href="#states">States</a>
<ul class="sub"><li><a href="#labels">Labels</a></li><li><a href="#actions">What moves a deposit</a></li></ul></li>
<li><a href="#page">The payment page</a>
<ul class="sub"><li><a href="#return">The way back</a></li><li><a href="#bill">The bill</a></li></ul></li>
<li><a href="#callbacks">Callbacks</a>
<ul class="sub"><li><a href="#verify">Verify</a></li><li><a href="#answer">Answer</a></li><li><a href="#retries">Retries</a></li><li><a href="#order">Order and repeats</a></li><li><a href="#replay">Replay</a></li><li><a href="#refused-addresses">Refused addresses</a></li></ul></li>
<li><a href="#events">Events feed</a></li>
<li><a href="#repeat">Repeat safely</a></li>
<li><a href="#rates">Rate limits</a></li>
<li><a href="#test-mode">Test mode</a></li>
<li><a href="/docs/errors">All errors</a></li>
<li><a href="/docs/guides/merchants">Guide for merchants</a></li>
<li><a href="/docs/guides/operators">Guide for operators</a></li>
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
${paymentPage(server!.url)}
${callbacks(document)}
${eventsFeed()}
${repeating()}
${rates()}
${testMode()}`,
  })
  return page({ title: 'Deposit Request API · Inlet', lang: 'en', body, styles, isIndexed: true })
}

export function errorsPage(document: OpenApiDocument, styles: Stylesheet) {
  const codes = (Object.keys(refusals) as RefusalCode[]).sort(
    (left, right) => refusals[left].status - refusals[right].status,
  )
  const byStatus = [...Map.groupBy(codes, (code) => refusals[code].status)]
  const body = shell({
    nav: html`<ul>
<li><a href="/docs">Reference</a></li>
${byStatus.map(
  ([status, together]) =>
    html`<li><a href="#${together[0]}">${status}</a><ul class="sub">${together.map((code) => html`<li><a href="#${code}">${code.split('_').map((part, place) => html`${place > 0 && html`_<wbr>`}${part}`)}</a></li>`)}</ul></li>`,
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
  const names = security.flatMap((item) => Object.keys(item))
  const isOptional = security.some((item) => Object.keys(item).length === 0)
  if (names.length === 0) return html`No signature.`
  if (names[0] === 'bank') return html`Authorization: the token of a bank source.`
  const forms = names.map((name, index) => [index > 0 && ' or ', html`<a href="#${name}">${name}</a>`])
  return isOptional ? html`Signature: none, or ${forms}.` : html`Signature: ${forms}.`
}

const schemaLink = (schema: Schema | undefined): Markup | null => {
  const name = schema?.$ref?.split('/').at(-1)
  return name && records.includes(name) ? html` <a href="#${name}">${name}</a>` : null
}

/** The first of several shapes; the text beside it describes the others. */
const resolved = (schema: Schema, schemas: Record<string, Schema>): Schema => {
  const { $ref } = schema.anyOf?.[0] ?? schema
  return $ref ? schemas[$ref.split('/').at(-1)!]! : schema
}

const schemaSection = (name: string, schema: Schema): Markup => html`
<article id="${name}">
<h3>${name}</h3>
<p>${schemaNotes[name]}</p>
${fieldTable(schema)}
</article>`

/** The shapes that have a place of their own; the others are shown by their example. */
const records = [
  'DepositRecord',
  'BuildAnswer',
  'PaymentData',
  'CallbackPayload',
  'CallbackRecord',
  'SandboxTransfer',
  'Problem',
]

const schemaNotes: Record<string, string> = {
  DepositRecord: 'What every operation on deposits answers with. Fields may be added later.',
  BuildAnswer: 'What building a payment page answers with. Read later, the deposit is a DepositRecord.',
  PaymentData:
    'What the customer needs for the transfer. Cards (any_bank and the types of one bank): number, name, bank_name. sbp: number is a phone. account_number: bic and payment_reason too.',
  CallbackPayload: 'What a callback carries and what the events feed lists. Fields may be added later.',
  CallbackRecord: 'How the delivery of one event goes.',
  SandboxTransfer: 'Test mode: what the fake bank sent, and what became of it.',
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
    parameters.map(({ name, schema, required, description, in: index }) => ({
      name,
      required,
      schema: { ...schema, description: index === 'query' ? description : `In the ${index}. ${description}` },
    })),
  )

type Row = { name: string; schema: Schema; required: boolean }

const rowsTable = (rows: readonly Row[]): Markup =>
  table(
    ['name', 'type', 'required', 'rules'],
    rows.map(({ name, schema, required }) => [
      html`<code>${name}</code>`,
      typeOf(schema),
      required ? 'yes' : 'no',
      rulesOf(schema),
    ]),
  )

function typeOf(schema: Schema): string | Markup | (string | Markup)[] {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!
    return html`<a href="#${name}">${name}</a>`
  }
  if (schema.anyOf)
    return schema.anyOf.flatMap((item, index) => [index > 0 ? ' or ' : '', typeOf(item)].flat())
  if (schema.type === 'array') return ['list of ', typeOf(schema.items!)].flat()
  if (schema.format) return formatNames[schema.format] ?? schema.format
  return schema.type ?? 'string'
}

const formatNames: Record<string, string> = {
  uuid: 'UUID',
  uri: 'URL',
  'date-time': 'time (RFC 3339)',
  int32: 'integer',
  int64: 'integer',
}

function rulesOf(schema: Schema): Markup[] {
  const whole = schema.anyOf?.find((item) => item.description) ?? schema
  const rules = [
    schema.description ?? whole.description,
    whole.enum && `One of ${whole.enum.map((item) => `\`${item}\``).join(', ')}.`,
    whole.const !== undefined && `Always \`${whole.const}\`.`,
    whole.examples && `For example ${whole.examples.map((item) => `\`${item}\``).join(', ')}.`,
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

const problemTable = (codes: readonly RefusalCode[]): Markup =>
  table(
    ['status', 'code', 'retryable', 'meaning'],
    codes.map((code) => {
      const { status, retryable, title } = refusals[code]
      const named = html`<a href="/docs/errors#${code}"><code>${code}</code></a>`
      return [status, named, retryable ? 'yes' : 'no', `${title}.`]
    }),
  )

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
