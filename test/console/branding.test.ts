/** A merchant gives its payment page a colour and a logo: who may, what is refused, and what customers get. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readAlarms } from '../../src/domain/alarms/store.ts'
import { removeMembership } from '../../src/domain/people/store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sleep } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { until } from '../support/delivery.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { atOneMoment } from '../support/one-moment.ts'
import { joined } from '../support/person.ts'
import { readPicture, writePicture } from '../support/picture.ts'
import { RawConnection } from '../support/raw-connection.ts'

type Member = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let owner: Member
let page: string
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  page = new URL((await shop.create({})).body.payment_data.url).pathname
})

const here = (merchant = shop.merchant) => `/console/${merchant}/settings/branding`
const picture = (width: number, height: number, ...colour: number[]) =>
  writePicture({
    width,
    height,
    data: new Uint8Array(width * height * 4).map((_, at) => colour[at % 4]!),
  })
const red = picture(300, 60, 200, 30, 30, 255)
const send = (file: Uint8Array, accent = '', { browser } = owner, path = here()) =>
  browser.upload(path, { accent }, new Blob([Uint8Array.from(file)]), 'logo.png', 'logo')
const nothing = Buffer.alloc(0)

const shown = async (path = page) => {
  const answer = await fetch(gateway.url + path)
  return { csp: answer.headers.get('content-security-policy')!, html: await answer.text() }
}
const logoIn = (html: string) => /src="(\/logo\/[^"]+)"/.exec(html)?.[1]

const lastEntry = async () => {
  const [row] = await gateway.database.owner.query<{ act: string; before: string; after: string }>(sql`
    select act, before, after from audit_entries order by place desc limit 1`)
  return { act: row!.act, before: JSON.parse(row!.before), after: JSON.parse(row!.after) }
}

test('a colour and a logo appear on the open page and in the audit log', async () => {
  assert.equal(logoIn((await shown()).html), undefined)
  const saved = await send(red, '5B3FD6')
  assert.equal(saved.location, `/console/${shop.merchant}/settings/branding?done=saved`)
  const { html, csp } = await shown()
  assert.match(html, /background:#5b3fd6/)
  assert.match(csp, /style-src 'sha256-\S+' 'sha256-\S+';/)
  const address = logoIn(html)!
  const { act, before, after } = await lastEntry()
  assert.equal(act, 'merchant_branding')
  assert.deepEqual(before, { accent: null, logo: null })
  assert.deepEqual(after, { accent: '#5b3fd6', logo: address.slice(6, -4) })
  const answer = await fetch(gateway.url + address)
  assert.deepEqual(
    ['content-type', 'cache-control', 'x-content-type-options', 'content-security-policy'].map((name) =>
      answer.headers.get(name),
    ),
    ['image/png', 'public, max-age=31536000, immutable', 'nosniff', "default-src 'none'"],
  )
  const read = readPicture(await answer.bytes())
  assert.deepEqual([read.width, read.height, ...read.data.subarray(0, 4)], [300, 60, 200, 30, 30, 255])
})

test('only the pixels of a file are served', async () => {
  const trailer = Buffer.from('<script>alert(1)</script>')
  await send(Buffer.concat([red, trailer]))
  const answer = await fetch(gateway.url + logoIn((await shown()).html)!)
  assert.equal(Buffer.from(await answer.arrayBuffer()).includes('script'), false)
})

test('without a file the logo stays; a button removes it from the page', async () => {
  await send(picture(40, 40, 1, 2, 3, 255), '#111111')
  const address = logoIn((await shown()).html)!
  await send(nothing, '')
  const { html } = await shown()
  assert.equal(logoIn(html), address)
  assert.doesNotMatch(html, /#111111/)
  const removed = await owner.browser.post(`${here()}/remove-logo`)
  assert.equal(removed.location, `/console/${shop.merchant}/settings/branding?done=removed`)
  assert.equal(logoIn((await shown()).html), undefined)
  assert.equal((await lastEntry()).after.logo, null)
})

const refused: [name: string, file: Uint8Array, accent: string, sentence: RegExp][] = [
  [
    'no PNG',
    Buffer.from('GIF89a'),
    '',
    /id="logo-error">This file is not a PNG\. Save the logo as PNG, at most 512/,
  ],
  [
    'many pixels',
    picture(600, 20, 1, 1, 1, 255),
    '',
    /id="logo-error">This picture is too large\. Make it at most 512/,
  ],
  [
    'a large file',
    Buffer.alloc(bounds.logoBytes + 1),
    '',
    /id="logo-error">This file is too large\. Save the logo as PNG of at most 64 KB/,
  ],
  ['no colour', nothing, 'red', /id="accent-error">Enter a colour such as #0a5c55/],
]
for (const [name, file, accent, sentence] of refused)
  test(`${name}: refused beside its field; the entered text stays, and nothing is saved`, async () => {
    await send(nothing, '#0a5c55')
    const { status, text } = await send(file, accent || '#222222')
    assert.equal(status, 422)
    assert.match(text, sentence)
    assert.ok(text.includes(`name="accent" type="text" value="${accent || '#222222'}"`))
    assert.match((await shown()).html, /background:#0a5c55/)
  })

test('a file above the read limit, a form without a file, and a form of another kind are refused', async () => {
  assert.equal((await send(Buffer.alloc(bounds.logoReadBytes + 20_000))).status, 413)
  assert.equal((await owner.browser.post(here(), { accent: '#123456' })).status, 415)
  const form = new FormData()
  form.set('csrf', owner.browser.csrf)
  const headers = { cookie: owner.browser.cookie, 'sec-fetch-site': 'same-origin' }
  const empty = await fetch(gateway.url + here(), { method: 'POST', body: form, headers, redirect: 'manual' })
  assert.equal(empty.status, 422)
})

test('only an owner of this merchant changes it, with a token and a fresh proof; everybody else sees it', async () => {
  const viewer = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const developer = await joined(gateway, { merchantId: shop.merchant, role: 'developer' })
  const other = await openShop(gateway)
  const stranger = await joined(gateway, { merchantId: other.merchant, role: 'owner' })
  await send(red, '#5b3fd6')
  const { html } = await shown()
  for (const person of [viewer, developer]) {
    const { text } = await person.browser.get(`/console/${shop.merchant}/settings`)
    assert.match(text, /#5b3fd6.*\/logo\//s)
    assert.equal(text.includes(here()), false, 'nobody is led to a page that refuses them')
    assert.equal((await send(nothing, '#000000', person)).status, 403)
    assert.equal((await person.browser.post(`${here()}/remove-logo`)).status, 403)
  }
  assert.equal((await stranger.browser.get(here())).status, 404)
  assert.equal((await send(nothing, '#000000', stranger)).status, 404)
  assert.equal((await stranger.browser.post(`${here()}/remove-logo`)).status, 404)
  // Their own page stays as it is.
  const theirs = new URL((await other.create({ order_id: 'other' })).body.payment_data.url).pathname
  assert.equal(logoIn((await shown(theirs)).html), undefined)
  const { csrf } = owner.browser
  owner.browser.csrf = 'forged'
  assert.equal((await send(nothing, '#000000')).status, 403)
  owner.browser.csrf = csrf
  const tired = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  await gateway.database.owner.query(sql`
    update sessions set proved_at = proved_at - interval '1 hour' where person_id = ${tired.person.id}`)
  assert.match((await send(nothing, '#000000', tired)).location!, /^\/sign-in\/again/)
  assert.equal((await shown()).html.split('<main')[0], html.split('<main')[0])
})

test('saving what is saved already is no entry of the audit log, so it raises no alarm', async () => {
  const entries = async () =>
    (
      await gateway.database.owner.one<{ count: number }>(
        sql`select count(*)::int as count from audit_entries where act = 'merchant_branding'`,
      )
    ).count
  await send(red, '#111111')
  await owner.browser.post(`${here()}/remove-logo`)
  const before = await entries()
  await owner.browser.post(`${here()}/remove-logo`)
  await send(nothing, '#111111')
  assert.equal(await entries(), before)
  await send(red, '#5b3fd6')
  await send(red, '5B3FD6')
  assert.equal(await entries(), before + 1)
})

test('the operator gets an alarm when the page of a live merchant looks different, and not of a test merchant', async () => {
  const kinds = async () => (await readAlarms(gateway.db)).map(({ kind, detail }) => `${kind}: ${detail}`)
  assert.equal(
    (await kinds()).some((kind) => kind.startsWith('branding_changed')),
    false,
  )
  const live = await openShop(gateway, { mode: 'live' })
  const person = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  await send(red, '#5b3fd6', person, here(live.merchant))
  assert.equal((await kinds()).filter((kind) => kind.startsWith('branding_changed')).length, 1)
  // A name is on the page as well.
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const name = 'Pay to another card'
  await admin.browser.post(`/operator/merchants/${live.merchant}/page`, { name, reason: 'As agreed' })
  const named = (await kinds()).filter((kind) => kind.startsWith('branding_changed'))
  assert.equal(named.length, 2)
  assert.ok(named.some((kind) => kind.includes(name)))
})

test('unknown logos are one 404, and guessing them is limited', async () => {
  const statuses = new Set<number>()
  for (let guess = 0; guess < 80; guess++)
    statuses.add((await fetch(`${gateway.url}/logo/${String(guess).padStart(22, 'a')}.png`)).status)
  assert.deepEqual(statuses, new Set([404, 429]))
})

test('the database takes nothing but a colour and a whole logo', async () => {
  for (const set of [
    "accent = 'red'",
    "accent = '#FFFFFF'",
    "logo = decode(repeat('00', 65537), 'hex')",
    'logo = null',
    "logo_tone = 'grey'",
    'logo_width = 0',
  ])
    await assert.rejects(
      gateway.database.owner.run({
        name: '',
        text: `update merchants set ${set} where id = $1`,
        values: [shop.merchant],
      }),
      /merchant_brand_/,
      set,
    )
})

test('a merchant that sends logo after logo waits, and its colour can still be changed', async () => {
  const busy = await openShop(gateway)
  const person = await joined(gateway, { merchantId: busy.merchant, role: 'owner' })
  const statuses: number[] = []
  await atOneMoment(async () => {
    for (let turn = 0; turn < 12; turn++)
      statuses.push((await send(Buffer.from('GIF89a'), '', person, here(busy.merchant))).status)
  })
  assert.equal(statuses[0], 422)
  assert.equal(statuses.at(-1), 429)
  assert.equal((await send(nothing, '#123456', person, here(busy.merchant))).status, 303)
})

/** A form whose file never ends, or ends with `rest`: the received part is kept in memory. */
function beginSending({ browser }: Member, merchant: string, accent = '', rest?: string): RawConnection {
  const part = (name: string, text: string) =>
    `--cut\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
  const form = `${part('csrf', browser.csrf)}${part('accent', accent)}${part('logo', '').replace('"logo"', '"logo"; filename="a.png"')}`
  const connection = new RawConnection(gateway)
  connection.write(
    `POST ${here(merchant)} HTTP/1.1\r\nHost: x\r\ncookie: ${browser.cookie}\r\nsec-fetch-site: same-origin\r\n` +
      `content-type: multipart/form-data; boundary=cut\r\ncontent-length: ${rest === undefined ? 1e6 : form.length + rest.length}\r\n\r\n${form}`,
  )
  return connection
}

/** The answers of those that are not read to their end. */
async function refusedOf(connections: readonly RawConnection[], count: number): Promise<number[]> {
  const statuses = () => connections.flatMap((connection) => connection.answers().map(({ status }) => status))
  await until(`${count} are refused`, () => statuses().length >= count)
  return statuses()
}

test('an owner who is removed while the form arrives changes nothing', async () => {
  const left = await openShop(gateway)
  await joined(gateway, { merchantId: left.merchant, role: 'owner' })
  for (const [isRemoved, status] of [
    [false, 303],
    [true, 404],
  ] as const) {
    const person = await joined(gateway, { merchantId: left.merchant, role: 'owner' })
    const rest = '--cut--\r\n'
    const connection = beginSending(person, left.merchant, '#123456', rest)
    // Waits until the session was read.
    await sleep(500)
    if (isRemoved) await gateway.db.transaction((tx) => removeMembership(tx, person.person.id, left.merchant))
    connection.write(rest)
    const [answer] = await connection.settle(1)
    assert.equal(answer?.status, status)
  }
})

test('a person who sends many logos at once is refused before they fill the memory; others, and later ones, are not', async () => {
  const busy = await openShop(gateway)
  const person = await joined(gateway, { merchantId: busy.merchant, role: 'owner' })
  const { ofOwner } = bounds.logosAtOnce
  const sending = Array.from({ length: ofOwner + 3 }, () => beginSending(person, busy.merchant))
  assert.deepEqual(await refusedOf(sending, 3), [503, 503, 503])
  assert.equal((await send(nothing, '#123456')).status, 303)
  for (const connection of sending) connection.close()
  await until('their places are free', async () => {
    const { status } = await send(nothing, '#123456', person, here(busy.merchant))
    return status === 303
  })
})

test('a merchant with many owners leaves room for the logos of others', async () => {
  const busy = await openShop(gateway)
  const { ofOwner, atOnce } = bounds.logosAtOnce
  const owners = await Promise.all(
    Array.from({ length: atOnce / ofOwner }, () =>
      joined(gateway, { merchantId: busy.merchant, role: 'owner' }),
    ),
  )
  const sending = owners.flatMap((person) =>
    Array.from({ length: ofOwner }, () => beginSending(person, busy.merchant)),
  )
  assert.deepEqual(new Set(await refusedOf(sending, atOnce - ofOwner)), new Set([503]))
  assert.equal((await send(nothing, '#123456')).status, 303)
  for (const connection of sending) connection.close()
})

test('many people together fill no more memory than a few', async () => {
  const { ofOwner, atOnce } = bounds.logosAtOnce
  const crowd = await Promise.all(
    Array.from({ length: atOnce / ofOwner + 1 }, async () => {
      const { merchant } = await openShop(gateway)
      return { merchant, person: await joined(gateway, { merchantId: merchant, role: 'owner' }) }
    }),
  )
  const sending = crowd.flatMap(({ merchant, person }) =>
    Array.from({ length: ofOwner }, () => beginSending(person, merchant)),
  )
  assert.equal((await refusedOf(sending, sending.length - atOnce)).length, sending.length - atOnce)
  for (const connection of sending) connection.close()
})
