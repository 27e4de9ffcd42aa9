/** A day at the consoles, with something of everything: for tests that look at the pages, and for pictures of them. */
import { setApprovalSettings } from '../../src/domain/approvals/change-settings.ts'
import { claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { addToList } from '../../src/domain/rules/change-list.ts'
import { saveMapping } from '../../src/domain/statements/store.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, importBytes, requisiteOf, today, transferTo } from './bank.ts'
import { openShop, type TestGateway } from './gateway.ts'
import { askAs, officeContextOf } from './office.ts'
import { oneCOf } from './one-c.ts'
import { joined } from './person.ts'
import { suspectedOn } from './suspects.ts'

export type DeskScenes = Awaited<ReturnType<typeof deskScenes>>

/** Every page of the desk by its name, seen best by the admin; one transfer is unclear between two deposits. */
export async function deskScenes(gateway: TestGateway) {
  const shop = await openShop(gateway)
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const operator = await joined(gateway, { operatorRole: 'operator' })
  const created = async (cents: number, customer: string) =>
    (await shop.create({ cents, customer })).body.id as string
  const deposits = [await created(1_500_050, 'Иванов Иван'), await created(1_500_050, 'customer-17')]
  const accountId = await accountOf(gateway, deposits[0]!)
  const facts = {
    cents: 1_500_050n,
    payerName: 'ИВАНОВ ИВАН ИВАНОВИЧ',
    purpose: 'Перевод по договору 17 от 03.11.2026, НДС не облагается',
    payerBank: 'ПАО Сбербанк',
  }
  const transfer = await transferTo(gateway, accountId, { ...facts, payerName: 'ПЕТРОВ П. П.' })
  await transferTo(gateway, accountId, { cents: 77_700n, purpose: 'Возврат долга' })
  const claimed = await created(250_000, 'Ольга')
  await claimPayment(depositContextOf(gateway), { depositId: claimed, actor: 'customer' })
  const _by = { personId: operator.person.id, email: operator.email, requestId: null }
  const card = {
    kind: 'card',
    number: '4111111111111111',
    holder: 'PETROVA OLGA',
    bankName: 'Bank X',
  } as const
  const limits = { min: '100', max: '300000', daily: '1000000', open: '40' }
  const add = { account: accountId, ...card, bankCode: 'bankx', ...limits, confirmed: 'on' }
  const why = 'The old cards are full by noon'
  const proposal = await askAs(officeContextOf(gateway), operator, 'requisite.add', null, add, why)
  await askAs(officeContextOf(gateway), operator, 'deposit.confirm', claimed, {}, 'Seen in the bank’s app')
  const done = await created(99_000, 'Пётр')
  await setApprovalSettings(gateway.db, { RUB: '1000000' })
  await admin.browser.post(`/operator/deposits/${done}/take`)
  await admin.browser.post(`/operator/deposits/${done}/confirm`, { reason: 'The bank’s letter of today' })
  await admin.browser.post(`/operator/deposits/${deposits[0]}/take`)
  const sent = await admin.browser.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    new Blob(['no statement']),
    'mail.txt',
  )
  const aside = await transferTo(gateway, accountId, { ...facts, cents: 41_000n, purpose: 'За услуги' })
  await setAside(depositContextOf(gateway), {
    transferId: aside,
    actor: `operator:${operator.email}`,
    reason: 'No such order',
  })
  await admin.browser.post(`/operator/refunds/${aside}/take`)
  const { body } = await shop.create({ cents: 63_000, payment_type: 'account_number' })
  const { payment_reason } = body.payment_data
  await transferTo(gateway, await accountOf(gateway, body.id), {
    ...facts,
    cents: 64_500n,
    purpose: payment_reason,
  })
  await addToList(gateway.db, {
    list: 'block',
    kind: 'payer',
    value: 'Сидоров Пётр',
    reason: 'Two chargebacks in October',
    addedBy: operator.email,
    merchantId: null,
  })
  await admin.browser.post(`/operator/accounts/${accountId}/limits`, {
    ...{ day: '1000000', month: '20000000', open: '500', silent: '24', reason: 'The agreement' },
  })
  const requisite = `/operator/requisites/${await requisiteOf(gateway, body.id)}`
  await admin.browser.post(`${requisite}/limits`, {
    ...{
      min: '500',
      max: '150000',
      daily: '900000',
      open: '200',
      reason: 'The agreement',
    },
  })
  const query = new URLSearchParams({
    type: 'any_bank',
    currency: 'RUB',
    amount: '15000.50',
    customer: 'Иванов',
  })
  const source = await addSource(gateway.db, {
    name: 'Kapital bank',
    mode: 'test',
    accounts: [accountId],
    networks: ['203.0.113.0/24', '2001:db8:5::/48'],
  })
  await addSource(gateway.db, { name: 'Orient bank', mode: 'test' })
  await saveMapping(gateway.db, 'kapital', {
    encoding: 'windows-1251',
    separator: ';',
    skipRows: 2,
    header: ['Дата', 'Номер', 'Приход', 'Расход', 'Плательщик', 'Назначение'],
    dateFormat: 'dd.mm.yyyy',
    account: '40702810300000000042',
    columns: { date: 0, documentNumber: 1, credit: 2, debit: 3, payerName: 4, purpose: [5] },
  })
  const csv = await admin.browser.upload(
    '/operator/statements/upload',
    { mode: 'test' },
    new Blob([
      'Выписка по счёту\r\nДата;Номер;Приход;Расход;Плательщик;Назначение\r\n',
      '14.11.2026;117;1 500,50;;ИВАНОВ ИВАН ИВАНОВИЧ;Перевод по договору 17\r\n'.repeat(12),
    ]),
    'november.csv',
  )
  while ((await admin.browser.get(csv.location!)).text.includes('data-under-way'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  const outgoing = oneCOf([
    { cents: 120_000n, purpose: 'Комиссия за ноябрь', number: '201', out: true },
    { cents: 45_050n, purpose: 'Аренда', number: '202', out: true },
  ])
  const { statement } = await importBytes(depositContextOf(gateway), outgoing, {
    name: 'kl_to_1c.txt',
    by: `operator:${operator.email}`,
  })
  const { suspected } = await suspectedOn(gateway, accountId, {
    ...{ ...facts, cents: 188_000n, payerAccount: '4081…0777', payerName: 'СИДОРОВА ОЛЬГА' },
  })
  await admin.browser.post(`/operator/transfers/${suspected}/take`)
  const [row] = await gateway.database.owner.query<{ id: string }>(sql`
    insert into report_rows (statement_id, place, line, account_id, booked_on, cents, names, facts, parked_at)
    values (${statement}, 9, 9, ${accountId}, ${today()}, 41000, '{}', '{}', inlet_now())
    returning statement_id || ':' || place as id`)
  const [entry] = await gateway.db.query<{ id: string }>(sql`select id from list_entries limit 1`)
  const pages: Record<string, string> = {
    overview: '/operator/overview',
    queue: '/operator',
    days: '/operator/held-days',
    day: `/operator/held-days/${accountId}:${today()}`,
    parked: '/operator/parked',
    'parked-row': `/operator/parked/${row!.id}`,
    'queue-transfer': `/operator/queue/transfers/${transfer}`,
    'queue-deposit': `/operator/queue/deposits/${claimed}`,
    'queue-filtered': `/operator?account=${accountId}&amount=100${encodeURIComponent('–')}20000`,
    'transfer-suspected': `/operator/transfers/${suspected}`,
    transfer: `/operator/transfers/${transfer}`,
    deposit: `/operator/deposits/${deposits[0]}`,
    'deposit-done': `/operator/deposits/${done}`,
    approvals: '/operator/approvals',
    proposal: `/operator/approvals/${proposal}`,
    deposits: '/operator/deposits',
    transfers: '/operator/transfers',
    refunds: '/operator/refunds',
    reports: '/operator/reports',
    refund: `/operator/refunds/${aside}`,
    statements: '/operator/statements',
    statement: `/operator/statements/${statement}`,
    'statement-rows': `/operator/statements/rows?statement=${statement}`,
    'new-statement': '/operator/statements/upload',
    upload: sent.location!,
    'upload-columns': csv.location!,
    mappings: '/operator/statements/mappings',
    mapping: '/operator/statements/mappings/kapital',
    requisites: '/operator/requisites',
    'new-requisite': `/operator/requisites/add?account=${accountId}`,
    accounts: '/operator/accounts',
    account: `/operator/accounts/${accountId}`,
    requisite,
    lists: '/operator/lists',
    entry: `/operator/lists/${entry!.id}`,
    merchants: '/operator/merchants',
    merchant: `/operator/merchants/${shop.merchant}`,
    why: `/operator/merchants/${shop.merchant}/why?${query}`,
    types: '/operator/payment-types',
    type: '/operator/payment-types/any_bank',
    sources: '/operator/sources',
    source: `/operator/sources/${source.id}`,
    people: '/operator/people',
    person: `/operator/people/${operator.person.id}`,
    settings: '/operator/settings',
    audit: '/operator/audit?check=on',
    act: '/operator/audit/1',
  }
  return { shop, admin, operator, pages, transfer, deposits }
}

/** Every page of a merchant's console, below its address. */
export async function consolePages(
  { database }: TestGateway,
  merchantId: string,
  depositId: string,
): Promise<Record<string, string>> {
  const { key, person, endpoint } = await database.owner.one<{
    key: string
    person: string
    endpoint: string
  }>(sql`
    select
      (select id from api_keys where merchant_id = ${merchantId} and purpose = 'request' limit 1) as key,
      (select person_id from memberships where merchant_id = ${merchantId} limit 1) as person,
      (select id::text from endpoints where merchant_id = ${merchantId} limit 1) as endpoint`)
  return {
    overview: '/overview',
    deposits: '/deposits',
    'nothing-found': '/deposits?q=none',
    deposit: `/deposits/${depositId}`,
    callbacks: '/callbacks',
    callback: '/callbacks/1',
    'resend-failed': '/callbacks/replay-failed',
    endpoints: '/endpoints',
    endpoint: `/endpoints/${endpoint}`,
    address: '/settings/callback',
    secret: '/keys/secret',
    keys: '/keys',
    'new-key': '/keys/rotate',
    key: `/keys/${key}`,
    limits: '/limits',
    bank: '/bank',
    settings: '/settings',
    returns: '/settings/returns',
    branding: '/settings/branding',
    people: '/people',
    person: `/people/${person}`,
  }
}
