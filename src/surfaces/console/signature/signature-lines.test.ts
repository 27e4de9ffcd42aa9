/** What the signature debugger prints signs as the SDK does, and runs as it stands. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { signLiteral } from '../../../../sdk/signature.ts'
import { type Asked, curlLine, headerOf, type Prepared, prepare, programs } from './signature-lines.ts'

const secret = 'test_secret_0123456789abcdef'
const t = 1_794_700_000
const kid = 'key_1'
const body =
  '{"cents":150000,"currency":"RUB","customer":"O\'Neil \\\\ \\"x\\" ü","merchant":"m","order_id":"A-1"}'

const run = (code: string) =>
  execFileSync(process.execPath, ['--input-type=module-typescript', '-e', code.replaceAll('sk_…', secret)])
    .toString()
    .trim()

test('both rules: the printed program prints the signature', () => {
  const cases: Asked[] = [
    { scheme: 'literal', operation: 'create', body },
    { scheme: 'v2', method: 'POST', target: '/api/v1/requests/deposit/create', body },
    { scheme: 'v2', method: 'GET', target: '/api/v1/events?after=0', body: 'not sent' },
  ]
  for (const asked of cases) {
    const prepared = prepare(asked, t) as Prepared
    const header =
      asked.scheme === 'v2'
        ? headerOf(prepared, { t, kid, secret })
        : signLiteral(secret, asked.operation, prepared.values)
    const { code } = programs(asked, prepared, { t, kid }).find(
      (program) => program.language === 'TypeScript',
    )!
    assert.equal(run(code), header)
    assert.ok(!JSON.stringify(programs(asked, prepared, { t, kid })).includes(secret))
  }
})

test('a shell gets the body as it is', () => {
  const prepared = prepare({ scheme: 'literal', operation: 'create', body }, t) as Prepared
  const line = curlLine(prepared, { publicUrl: 'https://inlet.example', header: 'ab' })
  const words = execFileSync('sh', ['-c', line.replace('curl', "printf '%s\\n'")])
    .toString()
    .split('\n')
  assert.ok(words.includes(body))
  assert.ok(words.includes('X-Signature: ab'))
})

test('a request that cannot be signed is refused with the reason', () => {
  const cases: [asked: Asked, kind: string][] = [
    [{ scheme: 'literal', operation: 'create', body: '[]' }, 'json'],
    [{ scheme: 'literal', operation: 'create', body: '{"customer":"a::b"}' }, 'separator'],
    [{ scheme: 'v2', method: 'GET', target: '//evil.example', body: '' }, 'path'],
    [{ scheme: 'v2', method: 'GET', target: 'https://evil.example', body: '' }, 'path'],
    [{ scheme: 'v2', method: 'GET', target: '/a b', body: '' }, 'path'],
  ]
  for (const [asked, kind] of cases) assert.equal((prepare(asked, t) as { kind: string }).kind, kind)
})
