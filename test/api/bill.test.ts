/** The bill as a picture: what a phone reads from it, how long it may be kept, and whom it is shown to. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { confirmDeposit, type DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { addAccount, addRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { sql } from '../../src/platform/db.ts'
import { gostBytes } from '../../src/surfaces/pay/bill/gost.ts'
import { languages, messages } from '../../src/surfaces/web/messages/languages.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { readCode, readPicture } from '../support/picture.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  // Without workers: each test says itself when the clock acts.
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

async function look(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url, { headers, method })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, text: Buffer.from(bytes).toString() }
}
const asSvg = (url: string) => url.replace(/png$/, 'svg')
const codeIn = (bytes: Uint8Array) => Buffer.from(readCode(readPicture(bytes))!.bytes).toString()

test('payment_bill_url is a PNG whose code fills in the transfer to a Russian account', async (t) => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 1_500_50 })
  assert.match(body.payment_bill_url, /\/bill\/[A-Za-z0-9_-]{30}\.png$/)
  const started = performance.now()
  const { status, headers, bytes } = await look(body.payment_bill_url)
  t.diagnostic(`first picture: ${(performance.now() - started).toFixed(0)} ms, ${bytes.length} bytes`)
  assert.equal(status, 200)
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  assert.equal(headers.get('content-type'), 'image/png')
  assert.equal(headers.get('cache-control'), 'private, no-cache')
  assert.equal(headers.get('vary'), 'accept-language')
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
  const reference = body.payment_data.payment_reason.split(' ')[1]
  assert.equal(headers.get('content-disposition'), `inline; filename="bill-${reference}.png"`)
  const picture = readPicture(bytes)
  assert.equal(picture.width, 960)
  const code = readCode(picture)!
  assert.ok(code.width >= 200)
  assert.deepEqual(
    code.bytes,
    gostBytes([
      ['Name', body.payment_data.name],
      ['PersonalAcc', body.payment_data.number],
      ['BankName', body.payment_data.bank_name],
      ['BIC', body.payment_data.bic],
      ['CorrespAcc', '30101810600000000999'],
      ['PayeeINN', '7700000009'],
      ['Sum', '150050'],
      ['Purpose', body.payment_data.payment_reason],
    ]),
  )
  const again = performance.now()
  await look(body.payment_bill_url)
  t.diagnostic(`the same once more: ${(performance.now() - again).toFixed(0)} ms`)
})

test('other requisites lead to the payment page, or to what the bank itself gave', async () => {
  const card = await shop.create({ payment_type: 'any_bank', cents: 700_100 })
  assert.equal(codeIn((await look(card.body.payment_bill_url)).bytes), card.body.payment_data.url)

  const own = await openShop(gateway)
  const account = await addAccount(gateway.db, {
    mode: 'test',
    currency: 'RUB',
    merchantId: own.merchant,
    label: 'Linked',
    ownerLegalName: 'ООО "Пример"',
    ownerPublicName: 'Пример',
    ownerTaxId: '7700000009',
    ownerAgreement: 'No. 1',
    addedBy: 'test',
  })
  const link = 'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M'
  const { id } = await addRequisite(gateway.db, {
    accountId: account.id,
    draft: { kind: 'phone', number: '+79123456789', holder: 'Иван П.', bankName: 'Банк', link },
    bankCode: null,
    limits: { minCents: 111_100n, maxCents: 111_100n, dailyCents: null, openDeposits: null },
    confirmed: false,
  })
  // The demo phones are equally free: only one that is alone is sure to be chosen.
  await gateway.database.owner.script(
    `update requisites set enabled = false where kind = 'phone' and id <> '${id}'`,
  )
  const phone = await own.create({ payment_type: 'sbp', cents: 111_100 })
  const [row] = await gateway.db.query<{ link: string }>(
    sql`select shown->>'link' as link from deposits where id = ${phone.body.id}`,
  )
  assert.equal(row!.link, link)
  assert.equal(JSON.stringify(phone.body).includes('nspk'), false) // Not the merchant's.
  assert.equal(codeIn((await look(phone.body.payment_bill_url)).bytes), link)
})

test('a picture that still holds is not sent again; a new state is a new picture with its stamp', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 1_500_60 })
  const url = body.payment_bill_url
  const first = await look(url)
  const tag = first.headers.get('etag')!
  assert.match(tag, /^"[A-Za-z0-9_-]{22}-png"$/)
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const same = await look(url, { 'if-none-match': known })
    assert.equal(same.status, 304)
    assert.equal(same.headers.get('etag'), tag)
    assert.equal(same.bytes.length, 0)
  }
  assert.equal((await look(url, { 'if-none-match': '"other"' })).status, 200)
  const svgTag = (await look(asSvg(url))).headers.get('etag')!
  assert.notEqual(svgTag, tag)

  await confirmDeposit(context, { depositId: body.id, actor: 'operator:test', reason: 'seen' })
  const paid = await look(url, { 'if-none-match': tag })
  assert.equal(paid.status, 200)
  assert.notEqual(paid.headers.get('etag'), tag)
  assert.equal(readCode(readPicture(paid.bytes)), undefined)
  const { text } = await look(asSvg(url))
  assert.ok(text.includes(messages.ru.bill.stamps.success))
  assert.equal(text.includes('4070 2810'), false)
})

test('the deadline itself changes the picture, before the sweep has seen it', async () => {
  const { body } = await shop.create({ payment_type: 'any_bank', cents: 700_200 })
  const tag = (await look(body.payment_bill_url)).headers.get('etag')!
  await gateway.database.owner.script(
    `update deposits set expires_at = created_at + interval '1 millisecond' where id = '${body.id}'`,
  )
  const late = await look(body.payment_bill_url, { 'if-none-match': tag })
  assert.equal(late.status, 200)
  assert.equal(readCode(readPicture(late.bytes)), undefined)
  assert.ok((await look(asSvg(body.payment_bill_url))).text.includes(messages.ru.bill.stamps.expired))
})

test('the language is the address’s, else the browser’s, else the merchant’s, else Russian', async () => {
  const own = await openShop(gateway)
  const { body } = await own.create({ payment_type: 'account_number', cents: 1_500_70 })
  const svg = asSvg(body.payment_bill_url)
  const speaks = async (query: string, accept?: string) => {
    const { text } = await look(svg + query, { 'accept-language': accept ?? '' })
    return /xml:lang="(..)"/.exec(text)![1]
  }
  assert.equal(await speaks('?lang=kk', 'en'), 'kk')
  assert.equal(await speaks('?lang=xx&v=2', 'en-GB,ru;q=0.5'), 'en')
  assert.equal(await speaks('', 'tg'), 'tg')
  assert.equal(await speaks('', 'fr'), 'ru')
  await gateway.database.owner.script(`update merchants set language = 'uz' where id = '${own.merchant}'`)
  assert.equal(await speaks('', 'fr'), 'uz')
  assert.equal(await speaks('', 'en'), 'en')

  const tags = new Set<string>()
  for (const language of languages) {
    const { status, headers } = await look(`${svg}?lang=${language}`)
    assert.equal(status, 200)
    tags.add(headers.get('etag')!)
  }
  assert.equal(tags.size, languages.length)
})

test('hostile order ids and shop names are drawn, not obeyed', async () => {
  const own = await openShop(gateway)
  const hostile = '</text><script>1</script><image href="https://evil.example/x"/>&x;'
  await gateway.database.owner.script(`update merchants set name = '${hostile}' where id = '${own.merchant}'`)
  const { body } = await own.create({ order_id: `${hostile}漢😀`, cents: 1_500_90 })
  const png = await look(body.payment_bill_url)
  assert.equal(png.status, 200)
  assert.match(codeIn(png.bytes), /^ST00012\|/)
  const { text, headers } = await look(asSvg(body.payment_bill_url))
  assert.equal(headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; style-src 'none'")
  assert.doesNotMatch(text, /<script|<image/)
})

test('unknown and malformed names are the same 404', async () => {
  const nobody = 'AAAAAAAAAAAAAAAAAAAAAA'
  const names = [
    `${nobody}.png`,
    `${nobody}.svg`,
    nobody,
    `${nobody}.gif`,
    'x.png',
    '..%2f.png',
    `${nobody}.png.svg`,
  ]
  const answers = await Promise.all(names.map((name) => look(`${gateway.url}/bill/${name}`)))
  const seen = answers.map(({ status, headers, text }) => {
    const kept = [...headers].filter(([name]) => !['date', 'request-id', 'ratelimit'].includes(name))
    return JSON.stringify([status, kept, { ...JSON.parse(text), request_id: '' }])
  })
  assert.equal(new Set(seen).size, 1)
  assert.equal(answers[0]!.status, 404)
  assert.equal(JSON.parse(answers[0]!.text).code, 'not_found')
})
