/** Why a signature is refused: explained in test mode, cause by cause; a live merchant gets the one answer, to the byte. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, beforeEach, test } from 'node:test'
import { signatureString, signLiteral, signV2 } from '../../sdk/signature.ts'
import { rotateKey } from '../../src/domain/merchants/rotate-key.ts'
import {
  call,
  createPath,
  type Fields,
  nowSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'

const environment = { INLET_ROLES: 'api', INLET_TRUSTED_PROXIES: '127.0.0.1,::1' }
const eventsPath = '/api/v1/events'
const unknown = '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647'

let development: TestGateway
let production: TestGateway
/** Of test mode in both, and a live merchant. */
let shop: Shop
let other: Shop
let live: Shop
before(async () => {
  development = await startGateway({ environment, demo: false })
  shop = await openShop(development)
  other = await openShop(development)
  live = await openShop(development, { mode: 'live' })
  for (const merchantShop of [shop, live]) await rotate(merchantShop.merchant, 0)
  const settings = { NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' }
  production = await startGateway({ beside: development, environment: { ...environment, ...settings } })
})
let tests = 0
beforeEach(() => tests++)

const ended: Record<string, Pick<Shop, 'keyId' | 'secret'>> = {}

/** The shop signs with the new key from now on; `ended` keeps the old one. */
async function rotate(merchantId: string, overlapDays: number) {
  const signer = shop.merchant === merchantId ? shop : live
  ended[merchantId] = { keyId: signer.keyId, secret: signer.secret }
  const key = await rotateKey(development.db, development.vault, {
    merchantId,
    purpose: 'request',
    overlapDays,
    v2Only: false,
  })
  Object.assign(signer, { keyId: key.id, secret: key.secret })
}

type Wrong = { target: string; fields?: Fields; headers: Record<string, string> }

/** Every way to get it wrong, by the cause that test mode names; `of` is who does. */
function mistakes(signer: Shop): Record<string, Wrong> {
  const fields = signer.order({ callback_url: 'https://shop.example/cb' })
  const text = textOf(fields)
  const right = signLiteral(signer.secret, 'create', text)
  const asSent = Object.values(text).join('::')
  const create = (signature: string, more: Fields = {}, headers = {}): Wrong => ({
    target: createPath,
    fields: { ...fields, ...more },
    headers: signature === '' ? headers : { 'x-signature': signature, ...headers },
  })
  const v2 = (key: Pick<Shop, 'keyId' | 'secret'>, target: string, body = Buffer.alloc(0), method = 'GET') =>
    signV2({ secret: key.secret, kid: key.keyId, t: nowSeconds(), method, target, body })
  const own = (string: string) => ({ 'x-signature-string': Buffer.from(string).toString('base64') })
  const old = ended[signer.merchant]!
  const bytes = Buffer.from(JSON.stringify(fields))
  return {
    'signature_missing, literal': create(''),
    'not_hex, base64': create(Buffer.from(right, 'hex').toString('base64')),
    'not_hex, with a prefix': create(`sha256=${right}`),
    'v2_malformed, in base64': {
      target: eventsPath,
      headers: {
        'x-signature': `t=${nowSeconds()},kid=${signer.keyId},v2=${Buffer.from(right, 'hex').toString('base64')}`,
      },
    },
    'key_ended, v2': { target: eventsPath, headers: { 'x-signature': v2(old, eventsPath) } },
    'key_ended, literal': create(signLiteral(old.secret, 'create', text)),
    'key_unknown, beside a merchant': create(
      v2({ keyId: 'key_nobody', secret: 'x' }, createPath, bytes, 'POST'),
    ),
    'other_merchant, signed': create(
      v2(signer, createPath, Buffer.from(JSON.stringify({ ...fields, merchant: other.merchant })), 'POST'),
      {
        merchant: other.merchant,
      },
    ),
    'v2_in_body, of a right key': create('', { signature: v2(signer, createPath, bytes, 'POST') }),
    'order_of_fields, as sent': create(signLiteral('x', 'create', text), {}, own(asSent)),
    'order_of_fields, seen by us': create(hmacOf(signer.secret, asSent)),
    'string_differs, currency': create(
      'f'.repeat(64),
      {},
      own(signatureString('create', { ...text, currency: 'rub' })),
    ),
    'secret_wrong, equal strings': create('f'.repeat(64), {}, own(signatureString('create', text))),
    'no_match, literal': create('f'.repeat(64)),
    'no_match, v2': {
      target: eventsPath,
      headers: { 'x-signature': v2({ ...signer, secret: 'x' }, eventsPath) },
    },
  }
}

/** Requests that name nobody: no merchant, no key. */
const ofNobody = (): Record<string, Wrong> => ({
  'signature_missing, v2': { target: eventsPath, headers: {} },
  'v2_required, literal': { target: eventsPath, headers: { 'x-signature': 'a'.repeat(64) } },
  'not_hex, v2': { target: eventsPath, headers: { 'x-signature': Buffer.alloc(32, 1).toString('base64') } },
  'key_unknown, v2': {
    target: eventsPath,
    headers: {
      'x-signature': signV2({
        secret: 'x',
        kid: 'key_nobody',
        t: nowSeconds(),
        method: 'GET',
        target: eventsPath,
        body: Buffer.alloc(0),
      }),
    },
  },
  'merchant_unknown, literal': {
    target: createPath,
    fields: live.order({ merchant: unknown }),
    headers: { 'x-signature': 'f'.repeat(64) },
  },
})

const hmacOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

const send = async ({ url }: TestGateway, { target, fields, headers }: Wrong, place: number) => {
  const from = { 'x-forwarded-for': `10.${tests}.${place}.1` }
  return call(url, target, {
    headers: { ...from, ...headers, ...(fields && { 'content-type': 'application/json' }) },
    ...(fields && { method: 'POST', body: JSON.stringify(fields) }),
  })
}

test('test mode: every cause is named, with a sentence, and no secret is in it', async () => {
  let place = 0
  for (const gateway of [development, production]) {
    for (const [name, wrong] of Object.entries(mistakes(shop))) {
      const { status, body } = await send(gateway, wrong, ++place)
      assert.deepEqual([status, body.code, body.cause], [401, 'signature_invalid', name.split(',')[0]], name)
      assert.notEqual(body.detail, plainDetail, name)
      for (const { secret } of [shop, other, live, ended[shop.merchant]!])
        assert.ok(!JSON.stringify(body).includes(secret), name)
    }
  }
})

test('the sentences say what to do: base64, when the key ended, the order of the fields, where the strings part', async () => {
  const all = mistakes(shop)
  const problemOf = async (name: string) => (await send(development, all[name]!, 200)).body
  assert.match((await problemOf('not_hex, base64')).detail, /looks like base64/)
  assert.doesNotMatch((await problemOf('not_hex, with a prefix')).detail, /looks like base64/)
  for (const name of ['key_ended, v2', 'key_ended, literal']) {
    const { detail } = await problemOf(name)
    assert.ok(detail.includes(ended[shop.merchant]!.keyId), detail)
    assert.match(detail, /ended at 20\d\d-\d\d-\d\dT[\d:.]+Z\./)
  }
  const reordered = await problemOf('order_of_fields, as sent')
  assert.match(reordered.detail, /It is callback_url, cents, currency, customer, .*success_url/)
  assert.equal(reordered.first_difference, 'callback_url')
  assert.equal((await problemOf('string_differs, currency')).first_difference, 'currency')
  assert.equal((await problemOf('secret_wrong, equal strings')).first_difference, null)
  assert.ok((await problemOf('no_match, literal')).signature_string)
})

test('a request without a merchant gets the reason in development only', async () => {
  for (const [place, [name, wrong]] of Object.entries(ofNobody()).entries()) {
    const open = await send(development, wrong, place)
    assert.deepEqual([open.status, open.body.cause], [401, name.split(',')[0]], name)
    assert.deepEqual(plain((await send(production, wrong, place + 100)).body), plainAnswer(production), name)
  }
})

test('a live merchant gets the one answer for every mistake, byte for byte, in development too', async () => {
  let place = 0
  for (const gateway of [development, production]) {
    for (const [name, wrong] of Object.entries(mistakes(live))) {
      const { status, body } = await send(gateway, wrong, ++place)
      assert.equal(status, 401, name)
      assert.equal(JSON.stringify(plain(body)), JSON.stringify(plainAnswer(gateway)), name)
    }
  }
})

const plain = ({ request_id: _id, ...body }: Record<string, unknown>) => body

const plainDetail =
  'Check the merchant id, the secret, the order of the fields and their exact values. A test-mode merchant gets the string that we signed.'

const plainAnswer = ({ config }: TestGateway) => ({
  type: `${config.publicUrl}/docs/errors#signature_invalid`,
  title: 'The signature is missing or does not match',
  status: 401,
  code: 'signature_invalid',
  detail: plainDetail,
  retryable: false,
  errors: [],
})
