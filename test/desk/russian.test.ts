/** A person who chose Russian reads Russian at the desk: also what verbs, readers of files and the books say in English. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { requisitesEn } from '../../src/domain/messages/requisites.ts'
import type { Currency } from '../../src/domain/money.ts'
import { checkRequisite, type RequisiteKind } from '../../src/domain/requisites/requisite.ts'
import { sql } from '../../src/platform/db.ts'
import { requisitesRu } from '../../src/surfaces/staff/sentences/ru-requisites.ts'
import { accountOf, transferTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
let browser: PersonsBrowser
let email: string
let person: { name: string }
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  ;({ browser, email, person } = await joined(gateway, { operatorRole: 'admin' }))
  await browser.post('/account/preferences', { language: 'ru', zone: 'Europe/Moscow' })
})

const english = Object.values(requisitesEn)
const add = '/operator/requisites/add'

const accountIn = async (currency: Currency) => {
  const owner = { owner: 'ООО «Пример»', taxId: '7700000009', agreement: 'Договор 7' }
  const added = await browser.post('/operator/accounts/add', { mode: 'test', currency, ...owner })
  return added.location!.split('?', 1)[0]!.split('/').at(-1)!
}

type Draft = Record<'kind' | 'number' | 'holder' | 'bankName', string> & Record<string, string>

/** A form full of mistakes, by currency. */
const wrong: [Currency, Draft][] = [
  ['RUB', { kind: 'card', number: '22AA', holder: '\u202eХ', bankName: 'Б' }],
  ['RUB', { kind: 'card', number: '2200000000000005', holder: 'Х'.repeat(161), bankName: 'Б'.repeat(101) }],
  ['RUB', { kind: 'phone', number: '123', holder: 'Иван', bankName: 'Банк', kpp: '1', link: 'http://x' }],
  [
    'RUB',
    {
      ...{ kind: 'account_ru', number: '1', holder: 'ООО', bankName: 'Б'.repeat(46), bic: '9' },
      ...{ corrAccount: '1', taxId: '1', kpp: '1', link: 'https://qr.nspk.ru/AS1' },
    },
  ],
  [
    'RUB',
    {
      ...{ kind: 'account_ru', number: '40702810400000000042', holder: 'ООО', bankName: 'Банк' },
      ...{ bic: '044525999', corrAccount: '30101810600000000998', taxId: '7700000008' },
    },
  ],
  [
    'KZT',
    {
      ...{ kind: 'account_kz', number: 'KZ1', holder: 'ТОО', bankName: 'Банк' },
      ...{ bic: '1', taxId: '1', kbe: '1', knp: '1' },
    },
  ],
  ['UZS', { kind: 'account_uz', number: '1', holder: 'MChJ', bankName: 'Bank', bic: '1', taxId: '1' }],
  ['TJS', { kind: 'account_tj', number: '1', holder: 'ҶДММ', bankName: 'Бонк', bic: '1' }],
]

test('findings about a requisite are in Russian, each under the name of its field', async () => {
  const read = new Set<string>()
  for (const [currency, draft] of wrong) {
    const account = await accountIn(currency)
    const refused = await browser.post(add, { ...draft, account, reason: 'Нужен ещё один' })
    assert.equal(refused.status, 422)
    const { findings } = checkRequisite({ ...draft, kind: draft.kind as RequisiteKind, currency })
    const hard = findings.filter(({ severity }) => severity === 'hard')
    assert.ok(hard.length > 0)
    for (const { code } of hard) {
      assert.ok(refused.text.includes(requisitesRu[code]), `${code}: ${refused.text}`)
      read.add(code)
    }
    assert.deepEqual(
      english.filter((text) => refused.text.includes(text)),
      [],
    )
  }
  assert.ok(read.size > 25, [...read].join())
})

test('a warning is in Russian for the person who confirms it and for the approver', async () => {
  const account = await accountIn('TJS')
  const draft = { account, kind: 'card', number: '5058270000000004', holder: 'NEW HOLDER', bankName: 'Банк' }
  const asked = await browser.post(add, { ...draft, reason: 'Нужен ещё один' })
  assert.equal(asked.status, 409)
  assert.match(asked.text, /id="add-number-error">По первым цифрам Inlet не узнаёт платёжную систему/)
  await browser.post(add, { ...draft, reason: 'Нужен ещё один', confirmed: 'on' })
  const [proposal] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where kind = 'requisite.add'`,
  )
  const { text } = await browser.get(`/operator/approvals/${proposal!.id}`)
  for (const code of ['card_brand_unknown', 'card_check_digit_unproven'] as const)
    assert.ok(text.includes(requisitesRu[code]), code)
  const own = await browser.post(`/operator/approvals/${proposal!.id}/approve`, { reason: 'Сам себе' })
  assert.match(own.text, /<div role="alert">.*Автор запроса не может его согласовать/s)
  const page = `/operator/accounts/${account}`
  const on = () => browser.post(`${page}/on`, { reason: 'Пора' })
  assert.equal((await on()).status, 409)
  await browser.post(`${page}/stop`)
  assert.equal((await on()).status, 303)
  assert.match((await on()).text, /Такой же запрос уже ждёт решения/)
})

test('who created a deposit, and what the matcher decided, is said in Russian', async () => {
  const ids = [
    (await shop.create({ cents: 910_000 })).body.id,
    (await shop.create({ cents: 910_000 })).body.id,
  ]
  const deposit = await browser.get(`/operator/deposits/${ids[0]}`)
  assert.match(deposit.text, />мерчант</)
  const transfer = await transferTo(gateway, await accountOf(gateway, ids[0]), { cents: 910_000n })
  const { text } = await browser.get(`/operator/transfers/${transfer}`)
  assert.match(text, /У депозитов на эту сумму есть номера, а в назначении номера нет\./)
})

test('a row is read by its code, whatever its English is, and a row without a code as it was written', async () => {
  const { owner } = gateway.database
  const { body } = await shop.create({ cents: 920_000 })
  const transfer = await transferTo(gateway, await accountOf(gateway, body.id), { cents: 920_000n })
  const page = async () => (await browser.get(`/operator/transfers/${transfer}`)).text
  const [row] = await owner.query<{ message: unknown }>(
    sql`select message from transfer_decisions where transfer_id = ${transfer}`,
  )
  assert.deepEqual(row!.message, { code: 'match_reference_missing' })
  const russian = /У депозитов на эту сумму есть номера, а в назначении номера нет\./
  await owner.query(
    sql`update transfer_decisions set reason = 'Another sentence.' where transfer_id = ${transfer}`,
  )
  assert.match(await page(), russian)
  await owner.query(sql`update transfer_decisions set message = null where transfer_id = ${transfer}`)
  assert.match(await page(), /Another sentence\./)
})

test('problems of a file are in Russian, also in the download', async () => {
  const upload = (text: string) =>
    browser.upload('/operator/statements/upload', { mode: 'test' }, new Blob([text]), 'файл.txt')
  const settled = async (page: string) => {
    for (let tries = 0; tries < 1_000; tries++) {
      const { text } = await browser.get(page)
      if (!text.includes('data-under-way')) return text
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('It is still being read.')
  }
  const pdf = await upload('%PDF-1.7')
  assert.match(
    await settled(pdf.location!),
    /Строка 1: Это не выписка в поддерживаемом формате: обмен с 1С, camt/,
  )
  const account = '40702810300000000042'
  const document = ['СекцияДокумент=Платежное поручение', 'Номер=1', 'Дата=31.02.2026', 'Сумма=10.00']
  const lines = [
    ...['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${account}`],
    ...['СекцияРасчСчет', `РасчСчет=${account}`, 'ВсегоПоступило=99.00', 'КонецРасчСчет'],
    ...[...document, `ПолучательСчет=${account}`, 'КонецДокумента', 'КонецФайла'],
  ]
  const page = (await upload(lines.join('\r\n'))).location!
  const expected = 'В поле Дата стоит «31.02.2026»: нужен день в виде dd.mm.yyyy.'
  assert.ok((await settled(page)).includes(expected))
  const { text } = await browser.get(`${page}/bad.csv`)
  assert.deepEqual(text.trim().split('\r\n').slice(1), [`9;${expected};Дата`])
})

test('the record names acts, what they were about and who did them in Russian', async () => {
  const { text } = await browser.get('/operator/audit')
  assert.match(text, />Счёт добавлен\. Теперь добавьте реквизиты</)
  assert.match(text, /Запрошено: Добавить реквизит/)
  assert.match(text, /по коду/)
  assert.ok(text.includes(`<bdi title="${email}">${person.name}</bdi>`))
})

test('payment types have their names, not their codes', async () => {
  const { body } = await shop.create({ payment_type: 'account_number', cents: 77_000 })
  const list = '/operator/deposits'
  const why = `/operator/merchants/${shop.merchant}/why`
  for (const path of [list, `${list}/${body.id}`, '/operator/payment-types', why]) {
    const { text } = await browser.get(path)
    assert.match(text, /Банковский счёт/, path)
    if (path !== '/operator/payment-types') assert.doesNotMatch(text, /[>(]account_number[<)]/, path)
  }
  await gateway.database.owner.query(
    sql`update payment_types set name = 'Счёт ООО' where code = 'account_number'`,
  )
  assert.match((await browser.get(list)).text, /Счёт ООО/)
})
