import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventTypes } from '../../../domain/callbacks/callback.ts'
import { labels, transitions } from '../../../domain/deposits/deposit.ts'
import { type RefusalCode, refusals } from '../../../platform/refusals.ts'
import { plainStyles } from '../../web/assets.ts'
import { render } from '../../web/html.ts'
import { guides } from './guide.ts'
import { openApiDocument } from './openapi.ts'
import { errorsPage, referencePage } from './page.ts'
import {
  callbackExample,
  callbackSnippets,
  literalExample,
  literalSnippets,
  v2Example,
  v2Snippets,
} from './snippets.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/signature.json', import.meta.url), 'utf8'),
)
const folder = mkdtempSync(join(tmpdir(), 'inlet-snippets-'))
after(() => rmSync(folder, { recursive: true }))

test('the worked examples are the published vectors', () => {
  const [literal] = vectors.literal
  const { secret, fields, string, signature } = literal
  assert.deepEqual(literalExample, { secret, fields, string, signature })
  const { kid, t, method, target, body, sha256, header } = vectors.v2[0]
  assert.deepEqual(v2Example, { secret, kid, t, method, target, body, sha256, header })
  const [{ name: _, string: signed, ...callback }] = vectors.callback
  assert.deepEqual(callbackExample, callback)
  assert.equal(signed, `${callback.id}.${callback.timestamp}.${callback.body}`)
})

const programs: Record<string, { command: string; file: string }> = {
  'Bash and openssl': { command: 'bash', file: 'sign.sh' },
  PHP: { command: 'php', file: 'sign.php' },
  Python: { command: 'python3', file: 'sign.py' },
  TypeScript: { command: process.execPath, file: 'sign.ts' },
}

/** What a program prints, from a file as a merchant would have it. */
function printed(language: string, code: string): string {
  const { command, file } = programs[language]!
  const path = join(folder, file)
  writeFileSync(path, code)
  const { stdout, stderr } = spawnSync(command, [path], { encoding: 'utf8' })
  return stdout.trim() || stderr
}

function missingFor(language: string): string | undefined {
  const tools = language.startsWith('Bash') ? ['bash', 'openssl'] : [programs[language]!.command]
  const missing = tools.find((tool) => spawnSync(tool, ['--version']).error)
  return missing && `no ${missing} here`
}

for (const [form, snippets, expected] of [
  ['literal', literalSnippets, literalExample.signature],
  ['v2', v2Snippets, v2Example.header],
] as const) {
  for (const { language, code } of snippets) {
    test(`the ${form} snippet in ${language} prints the vector's signature`, {
      skip: missingFor(language),
    }, () => {
      assert.equal(printed(language, code), expected)
    })
  }
}

const { signature } = callbackExample
const nowAt = (seconds: number) => (code: string) =>
  code.replace(/(now ?= ?)1794700000/, (_, before) => `${before}${1794700000 + seconds}`)

/** What arrives, and what a receiver must think of it. */
const arrivals: [string, (code: string) => string, 'genuine' | 'refused'][] = [
  ['the vector', (code) => code, 'genuine'],
  ['beside another secret’s', (code) => code.replace(signature, `v1,AAAA= ${signature}`), 'genuine'],
  ['at the edge of the time', nowAt(300), 'genuine'],
  ['too old', nowAt(301), 'refused'],
  ['from the future', nowAt(-301), 'refused'],
  ['another body', (code) => code.replace('"is_final":true', '"is_final":false'), 'refused'],
  ['another id', (code) => code.replace(callbackExample.id, callbackExample.id.replace('0', '1')), 'refused'],
  ['another secret', (code) => code.replace('whsec_AAEC', 'whsec_AAED'), 'refused'],
  ['no signature', (code) => code.replace(signature, ''), 'refused'],
  ['a part of it', (code) => code.replace(signature, signature.slice(0, -4)), 'refused'],
  ['another scheme', (code) => code.replace(signature, signature.replace('v1', 'v2')), 'refused'],
]

for (const { language, code } of callbackSnippets) {
  test(`the callback snippet in ${language} accepts genuine callbacks and refuses the rest`, {
    skip: missingFor(language),
  }, () => {
    for (const [name, change, expected] of arrivals) {
      assert.ok(name === 'the vector' || change(code) !== code, name)
      assert.equal(printed(language, change(code)), expected, name)
    }
  })
}

const document = openApiDocument({ publicUrl: 'https://inlet.example' })
const reference = render(referencePage(document, plainStyles).markup)
const errors = render(errorsPage(document, plainStyles).markup)
const ids = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map((found) => found[1]!)

test('every code has its anchor, and every link inside the manual leads to one', () => {
  const listed = ids(errors).filter((id) => id !== 'main') as RefusalCode[]
  assert.deepEqual(listed.toSorted(), Object.keys(refusals).sort())
  const statuses = listed.map((code) => refusals[code].status)
  assert.deepEqual(
    statuses,
    statuses.toSorted((left, right) => left - right),
  )
  assert.equal(new Set(ids(reference)).size, ids(reference).length)
  for (const text of [reference, errors]) {
    for (const [, link] of text.matchAll(/href="([^"]+)"/g)) {
      if (link!.startsWith('data:') || link === '/openapi.json' || link === '/docs') continue
      if (link === 'https://www.standardwebhooks.com') continue
      if (guides.some((name) => link === `/docs/guides/${name}`)) continue
      const [path, anchor] = link!.split('#') as [string, string | undefined]
      const target = path === '/docs/errors' ? errors : text
      if (anchor !== undefined) assert.ok(ids(target).includes(anchor), link)
      else assert.equal(path, '/docs/errors')
    }
  }
})

test('the reference names every operation, every field and the exact order of signing', () => {
  for (const part of [
    '/api/v1/requests/deposit/create',
    '/api/v1/requests/deposit/{id}',
    '/api/v1/requests/deposit/{id}/cancel',
    '/api/v1/events',
    '/api/v1/callbacks/{id}/replay',
    '/health/ready',
    'customer_phone_number',
    'X-Signature-String',
    'received_cents',
  ])
    assert.ok(reference.includes(part), part)
  const order = /<strong>Create:<\/strong>(.*?)<\/p>/s.exec(reference)![1]!
  assert.deepEqual(
    [...order.matchAll(/<code>(.*?)<\/code>/g)].map((found) => found[1]),
    [
      'callback_url',
      'cents',
      'currency',
      'customer',
      'customer_phone_number',
      'merchant',
      'order_id',
      'payment_type',
      'reject_url',
      'success_url',
    ],
  )
})

const rowOf = (first: string) =>
  [
    ...new RegExp(`<tr><td[^>]*>(?:<code>)?${first}<.*?</tr>`)
      .exec(reference)![0]
      .matchAll(/<td[^>]*>(.*?)<\/td>/g),
  ].map(([, cell]) => cell!.replace(/<[^>]+>/g, ''))

test('the states and what moves them are those of the table', () => {
  for (const [action, { from, to }] of Object.entries(transitions)) {
    assert.deepEqual(rowOf(action).slice(0, 3), [action, from.join(', '), to === 'same' ? 'stays' : to])
  }
  assert.match(rowOf('created')[2]!, / Next: confirmed, rejected, expired, canceled\.$/)
  assert.doesNotMatch(rowOf('canceled')[2]!, /Next/)
})

test('the manual has every event and the whole retry schedule', () => {
  for (const type of eventTypes) assert.equal(rowOf(type)[0], type)
  assert.deepEqual(rowOf('1'), ['1', 'none', ''])
  assert.deepEqual(rowOf('4'), ['4', '2 min', '2 min 35 s'])
  assert.deepEqual(rowOf('13'), ['13', '24 h', '75 h 42 min'])
})

/** Everything that a merchant reads about the API, as running text. */
const documented = [
  ['/docs', reference.replace(/<[^>]+>/g, '')] as const,
  ['openapi.json', JSON.stringify(document)] as const,
  ...['docs/merchants.md', 'sdk/README.md', 'README.md'].map(
    (name) => [name, readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8')] as const,
  ),
].map(([name, text]) => [name, text.replace(/\s+/g, ' ')] as const)

test('the manual does not attribute to the operator what merchants do themselves', () => {
  const byOperator =
    /operator(['’]s)? (sets|sends|can send|test call|resumes|to see)|ask(ed)? your operator for it/
  for (const [name, text] of documented) assert.doesNotMatch(text, byOperator, name)
})

test('every label is explained in a table and at its field, and review wherever a merchant reads', () => {
  const { description } = document.components.schemas.DepositRecord!.properties!.labels!
  for (const label of labels) {
    assert.match(rowOf(label)[1]!, /^[A-Z].+\.$/)
    assert.ok(description!.includes(`\`${label}\`: `), label)
  }
  const guide = documented.filter(([name]) => name !== 'README.md')
  for (const [name, text] of guide) assert.match(text, /\breview\b.{0,200}the operator decides/, name)
})
