/** A gateway whose every field that somebody else can fill holds a payload; and where all of it is read back. */

import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { fromAnywhere, inTurns } from './attempts.ts'
import { accountOf, depositContextOf, requisiteOf, today } from './bank.ts'
import { consolePages } from './console-scenes.ts'
import { until } from './delivery.ts'
import { call, openShop, signedPost, type TestGateway } from './gateway.ts'
import { demoAccount } from './one-c.ts'
import { type PayloadName, payloads } from './payloads.ts'
import { joined } from './person.ts'
import { startReceiver } from './receiver.ts'

/** One text that was sent, where it went, and whether it was taken. */
type Planted = { mark: string; field: string; payload: PayloadName; taken: boolean }
type Page = { path: string; cookie: string }
export type PayloadWorld = Awaited<ReturnType<typeof plant>>

export async function plant(gateway: TestGateway, names: readonly PayloadName[]) {
  const planted: Planted[] = []
  const shop = await openShop(gateway)
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const receiver = await startReceiver()
  const deposits: string[] = []
  const payPages: string[] = []
  const transfers: string[] = []
  const otherPages: string[] = []

  /** A text with a new mark, noted under its field when it was sent. */
  const text = (
    field: string,
    payload: PayloadName,
  ): { value: string; note: (taken: boolean) => unknown } => {
    const mark = `q${(planted.length + 1).toString(36)}z`
    const entry: Planted = { mark, field, payload, taken: false }
    planted.push(entry)
    return { value: payloads[payload](mark), note: (taken) => Object.assign(entry, { taken }) }
  }
  const { token } = await addSource(gateway.db, { name: 'Bank', mode: 'test' })
  const push = (fields: Record<string, unknown>) =>
    call(gateway.url, '/api/v1/bank/transfers', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...fromAnywhere() },
      body: JSON.stringify({
        ...{
          id: newId(),
          account: demoAccount,
          cents: 31_337,
          currency: 'RUB',
          booked_on: today(),
          purpose: 'x',
        },
        ...fields,
      }),
    })
  const finish = (page: string, play: string) =>
    fetch(`${gateway.url}${page}/play`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin', ...fromAnywhere() },
      body: new URLSearchParams({ play }),
    })
  const base = `/console/${shop.merchant}`

  for (const name of names) {
    // By the merchant's server.
    for (const field of ['customer', 'order_id']) {
      const { value, note } = text(`create ${field}`, name)
      const { status, body } = await shop.createV2(shop.order({ [field]: value }))
      note(status === 201)
      if (status !== 201) continue
      deposits.push(body.id)
      payPages.push(new URL(body.payment_data.url).pathname)
    }
    for (const field of ['success_url', 'reject_url', 'callback_url']) {
      const { value, note } = text(field, name)
      const { status, body } = await shop.createV2(
        shop.order({ [field]: `https://shop.example/?a=${value}` }),
      )
      note(status === 201)
      if (status !== 201) continue
      const page = new URL(body.payment_data.url).pathname
      payPages.push(page)
      // The way back is shown at the end.
      await finish(page, field === 'reject_url' ? 'reject' : 'exact')
    }
    // By the merchant's answer to a callback.
    const answer = text('answer to a callback', name)
    receiver.answer(`/${name}`, () => ({ status: 200, body: answer.value }))
    const created = (await shop.create({ callback_url: receiver.url(`/${name}`) })).body
    deposits.push(created.id)
    await signedPost(gateway, shop, `/api/v1/requests/deposit/${created.id}/cancel`)
    // By a bank.
    for (const field of [
      'payer_name',
      'purpose',
      'payer_bank',
      'payer_account',
      'payer_tax_id',
      'document_number',
      'id',
    ]) {
      const { value, note } = text(`push ${field}`, name)
      const sent = await push({ [field]: value })
      note(sent.status === 200 && sent.body.taken === 1)
    }
    // By people.
    const form = async (
      who: typeof owner,
      field: string,
      path: string,
      fields: (value: string) => Record<string, string>,
    ) => {
      const { value, note } = text(field, name)
      const { status } = await who.browser.post(path, fields(value), fromAnywhere())
      note(status < 400)
    }
    await form(owner, 'member name', `${base}/people/invite`, (value) => ({
      email: `${newId()}@example.com`,
      name: value,
      role: 'viewer',
    }))
    await form(owner, 'member email', `${base}/people/invite`, (value) => ({
      email: `${value}@example.com`,
      name: 'x',
      role: 'viewer',
    }))
    await form(admin, 'merchant name', '/operator/merchants/create', (value) => ({
      name: value,
      mode: 'test',
      callback: '',
    }))
    await form(admin, 'list value', '/operator/lists/add', (value) => ({
      'new-list': 'watch',
      'new-kind': 'customer',
      value,
      reason: 'x',
    }))
    await form(admin, 'list reason', '/operator/lists/add', (value) => ({
      'new-list': 'watch',
      'new-kind': 'customer',
      value: newId(),
      reason: value,
    }))
    const { id: accountId } = await gateway.db.one<{ id: string }>(
      sql`select id from receiving_accounts where mode = 'test' and number = ${demoAccount}`,
    )
    await form(admin, 'source name', '/operator/sources/add', (value) => ({
      name: value,
      account: accountId,
      reason: 'x',
    }))
    await form(admin, 'account label', '/operator/accounts/add', (value) => ({
      ...{ mode: 'test', currency: 'TJS', label: value },
      ...{ owner: value, taxId: '123456789', agreement: value },
    }))
    await form(admin, 'colleague name', '/operator/people/invite', (value) => ({
      email: `${newId()}@example.com`,
      name: value,
      role: 'auditor',
    }))
    const { id } = (await shop.create()).body
    await admin.browser.post(`/operator/deposits/${id}/take`, {}, fromAnywhere())
    await form(admin, 'reason', `/operator/deposits/${id}/reject`, (value) => ({ reason: value }))
    deposits.push(id)
    // By a file.
    const cell = text('statement cell', name)
    const file = text('statement name', name)
    const csv = `Дата;Номер;Приход;Назначение\r\n14.11.2026;1;1,00;"${cell.value.replaceAll('"', '""')}"\r\n`
    const sent = await admin.browser.upload(
      '/operator/statements/upload',
      { mode: 'test' },
      new Blob([csv]),
      `${file.value}.csv`,
    )
    cell.note(sent.status === 303)
    file.note(sent.status === 303)
    if (sent.location) otherPages.push(sent.location)
    answer.note(true)
    // In the address of a page.
    const asked = encodeURIComponent(text('question', name).value)
    otherPages.push(
      `${base}?q=${asked}`,
      `/operator/deposits?q=${asked}`,
      `/operator?payer=${asked}&amount=${asked}`,
      `/sign-in?to=${asked}`,
    )
    otherPages.push(
      `/operator/lists?q=${asked}`,
      `/operator/statements/mappings/${asked}`,
      `${base}/bank?deposit=${asked}`,
      `${base}?notice=${asked}&lang=${asked}`,
    )
  }
  const rows = await gateway.database.owner.query<{ id: string }>(
    sql`select id from transfers where cents = 31337 order by id`,
  )
  transfers.push(...rows.map(({ id }) => id))
  // Transfers that wait for a refund are exported to a file of their own.
  await inTurns(transfers, (transferId) =>
    setAside(depositContextOf(gateway), { transferId, actor: 'operator:x', reason: 'x' }).catch(() => {}),
  )
  const events = await answeredCallbacks()
  const sample = <Item>(items: readonly Item[]) =>
    items.filter((_, at) => at % Math.ceil(items.length / 20) === 0)
  const accountId = await accountOf(gateway, deposits[0]!)
  const consoleOnes = Object.values(await consolePages(gateway, shop.merchant, deposits[0]!)).map(
    (path) => base + path,
  )
  const deskOnes = [
    ...[
      '',
      '/approvals',
      '/deposits',
      '/transfers',
      '/refunds',
      '/statements',
      '/statements/upload',
      '/statements/mappings',
      '/requisites',
      '/lists',
    ],
    ...['/merchants', '/payment-types', '/sources', '/people', '/settings', '/audit'],
    ...[
      `/accounts/${accountId}`,
      `/requisite/${await requisiteOf(gateway, deposits[0]!)}`,
      `/merchants/${shop.merchant}`,
    ],
  ].map((path) => `/operator${path}`)
  const pages: Page[] = [
    ...[
      ...consoleOnes,
      ...events.map((number) => `${base}/callbacks/${number}`),
      ...sample(deposits).map((id) => `${base}/deposits/${id}`),
    ].map((path) => ({
      path,
      cookie: owner.browser.cookie,
    })),
    ...[
      ...deskOnes,
      ...sample(deposits).map((id) => `/operator/deposits/${id}`),
      ...sample(transfers).map((id) => `/operator/transfers/${id}`),
      ...otherPages.filter((path) => !path.startsWith('/console')),
    ].map((path) => ({ path, cookie: admin.browser.cookie })),
    ...otherPages
      .filter((path) => path.startsWith('/console'))
      .map((path) => ({ path, cookie: owner.browser.cookie })),
    ...sample(payPages).flatMap((path) => [
      { path, cookie: '' },
      { path: `${path.replace('/pay/', '/bill/')}.svg`, cookie: '' },
    ]),
    { path: '/account', cookie: owner.browser.cookie },
  ]
  return { planted, shop, owner, admin, pages, base, deposits }

  /** The numbers of the callbacks whose answer is stored: one for each payload. */
  async function answeredCallbacks(): Promise<string[]> {
    let found: { sequence: string }[] = []
    await until('the answers to callbacks are stored', async () => {
      found = await gateway.database.owner.query(sql`
        select distinct c.sequence::text as sequence
        from delivery_attempts a
        join events c on c.id = a.event_id
        where a.status = 200`)
      return found.length >= names.length
    })
    return found.map(({ sequence }) => sequence)
  }
}
