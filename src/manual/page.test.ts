import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { refusals } from '../refusals.ts'
import { plainStyles } from '../web/assets.ts'
import { render } from '../web/html.ts'
import { openApiDocument } from './openapi.ts'
import { errorsPage, referencePage } from './page.ts'
import { literalExample, literalSnippets, v2Example, v2Snippets } from './snippets.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/signature.json', import.meta.url), 'utf8'),
)
const folder = mkdtempSync(join(tmpdir(), 'inlet-snippets-'))
after(() => rmSync(folder, { recursive: true }))

test('the worked examples are the published vectors', () => {
  const [literal] = vectors.literal
  const { secret, fields, string, signature } = literal
  assert.deepEqual(literalExample, { secret, fields, string, signature })
  const { kid, t, method, target, body, sha256, header } = vectors.v2[0]
  assert.deepEqual(v2Example, { secret, kid, t, method, target, body, sha256, header })
})

const programs: Record<string, { command: string; file: string }> = {
  'Bash and openssl': { command: 'bash', file: 'sign.sh' },
  PHP: { command: 'php', file: 'sign.php' },
  Python: { command: 'python3', file: 'sign.py' },
  TypeScript: { command: process.execPath, file: 'sign.ts' },
}

for (const [form, snippets, expected] of [
  ['literal', literalSnippets, literalExample.signature],
  ['v2', v2Snippets, v2Example.header],
] as const) {
  for (const { language, code } of snippets) {
    const { command, file } = programs[language]!
    const tools = language.startsWith('Bash') ? ['bash', 'openssl'] : [command]
    const missing = tools.find((tool) => spawnSync(tool, ['--version']).error)
    test(`the ${form} snippet in ${language} prints the vector's signature`, {
      skip: missing && `no ${missing} here`,
    }, () => {
      const path = join(folder, `${form}-${file}`)
      writeFileSync(path, code)
      const { stdout, stderr } = spawnSync(command, [path], { encoding: 'utf8' })
      assert.equal(stdout.trim(), expected, stderr)
    })
  }
}

const document = openApiDocument({ publicUrl: 'https://inlet.example' })
const reference = render(referencePage(document, plainStyles).markup)
const errors = render(errorsPage(document, plainStyles).markup)
const ids = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map((found) => found[1]!)

test('every code has its anchor, and every link inside the manual leads to one', () => {
  assert.deepEqual(
    ids(errors).filter((id) => id !== 'main'),
    Object.keys(refusals),
  )
  assert.equal(new Set(ids(reference)).size, ids(reference).length)
  for (const text of [reference, errors]) {
    for (const [, link] of text.matchAll(/href="([^"]+)"/g)) {
      if (link!.startsWith('data:') || link === '/openapi.json' || link === '/docs') continue
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
