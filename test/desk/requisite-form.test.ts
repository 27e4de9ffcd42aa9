/**
 * The form of a new requisite asks for what its kind has, in the currency of the account, also without scripts. One wrong
 * digit is corrected where it stands; warnings are confirmed once there are some.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Currency } from '../../src/domain/money.ts'
import { addAccount } from '../../src/domain/requisites/add-requisite.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

let gateway: TestGateway
let browser: PersonsBrowser
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  browser = (await joined(gateway, { operatorRole: 'operator' })).browser
})

const add = '/operator/requisites/add'
const newAccount = async (currency: Currency) =>
  (
    await addAccount(gateway.db, {
      ...{ mode: 'test', currency, merchantId: null, label: 'Account', addedBy: 'test' },
      ...{ ownerLegalName: 'ООО «Ромашка»', ownerPublicName: 'Ромашка', ownerTaxId: '7707083893' },
      ownerAgreement: '17',
    })
  ).id

async function formOf(currency: Currency, kind = '') {
  const account = await newAccount(currency)
  const { text } = await browser.get(`${add}?${new URLSearchParams({ account, kind })}`)
  assert.match(text, new RegExp(`<option value="${account}" selected>`))
  const names = [...text.matchAll(/<input id="[\w-]+" name="(\w+)"/g)].map(([, name]) => name!)
  const [, options] = /<select[^>]* name="kind"[^>]*>([\s\S]*?)<\/select>/.exec(text)!
  const kinds = [...options!.matchAll(/<option value="(\w+)"/g)].map(([, name]) => name!)
  return { kinds, details: names.filter((name) => details.includes(name)) }
}

const details = ['bic', 'corrAccount', 'taxId', 'kpp', 'kbe', 'knp']

for (const [currency, kind, kinds, shown] of [
  ['RUB', 'card', ['card', 'phone', 'account_ru'], []],
  ['RUB', 'phone', ['card', 'phone', 'account_ru'], []],
  ['RUB', 'account_ru', ['card', 'phone', 'account_ru'], ['bic', 'corrAccount', 'taxId', 'kpp']],
  ['KZT', 'account_kz', ['card', 'phone', 'account_kz'], ['bic', 'taxId', 'kbe', 'knp']],
  ['UZS', 'account_uz', ['card', 'phone', 'account_uz'], ['bic', 'taxId']],
  ['TJS', 'account_tj', ['card', 'phone', 'account_tj'], ['bic']],
] as const) {
  test(`${currency}, ${kind}: ${shown.join(', ') || 'no details of an account'}`, async () => {
    assert.deepEqual(await formOf(currency, kind), { kinds: [...kinds], details: [...shown] })
  })
}

const fieldOf = (text: string, name: string) =>
  new RegExp(`<input id="add-${name}" name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1]

test('one wrong digit is said beside the number, and everything else stays as it was typed', async () => {
  const account = await newAccount('RUB')
  const card = { account, kind: 'card', holder: 'PETROVA OLGA', bankName: 'Bank X' }
  const typed = { ...card, number: '4111 1111 1111 1112', daily: '5000', reason: 'One more' }
  const refused = await browser.post(add, typed)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /id="add-number-error">The check digit of the card number/)
  for (const name of ['number', 'holder', 'bankName', 'daily', 'reason'] as const)
    assert.equal(fieldOf(refused.text, name), typed[name], name)
  assert.match(refused.text, new RegExp(`<option value="${account}" selected>`))
  assert.match(refused.text, /<option value="card" selected>/)
  // Folded as long as nothing in it was typed or is wrong.
  assert.match(refused.text, /<details open><summary>Limits/)
  assert.match(refused.text, /<details ><summary>More/)
  const asked = await browser.post(add, { ...typed, number: '4111111111111111' })
  assert.equal(asked.location, '/operator/requisites?done=proposed', asked.text)
})

test('the tick that confirms warnings appears with them', async () => {
  const account = await newAccount('RUB')
  const card = { account, kind: 'card', number: '9911000000000001', holder: 'PETROVA OLGA', bankName: 'X' }
  assert.doesNotMatch((await browser.get(add)).text, /name="confirmed"/)
  const warned = await browser.post(add, { ...card, reason: 'One more' })
  assert.equal(warned.status, 409)
  assert.match(warned.text, /Check the warnings beside the fields/)
  assert.match(warned.text, /id="add-number-error">/)
  assert.match(warned.text, /name="confirmed"/)
  const asked = await browser.post(add, { ...card, reason: 'One more', confirmed: 'on' })
  assert.equal(asked.location, '/operator/requisites?done=proposed', asked.text)
})

test('a list of requisites says what each may take, as the allocation says it', async () => {
  const listed = async () => (await browser.get('/operator/requisites?currency=RUB&mode=test')).text
  const id = /href="\/operator\/requisites\/([0-9a-f-]{36})"/.exec(await listed())![1]!
  const rowOf = async () => {
    const text = await listed()
    return text.slice(text.indexOf(`/operator/requisites/${id}"`)).split('</tr>')[0]!
  }
  assert.match(await rowOf(), />Yes</)
  await gateway.database.owner.script(`
    update requisites set open_deposits = 1 where id = '${id}';
    update requisite_loads set open_deposits = 1 where requisite_id = '${id}'`)
  assert.match(await rowOf(), /Open deposits: limit reached/)
  await gateway.database.owner.script(`
    update requisites set open_deposits = null, daily_cents = 5, min_cents = 6 where id = '${id}'`)
  assert.match(await rowOf(), /Day limit reached/)
  await gateway.database.owner.script(`
    update requisites set daily_cents = null where id = '${id}';
    update receiving_accounts set enabled = false where id = (select account_id from requisites where id = '${id}')`)
  assert.match(await rowOf(), /Account is off/)
})
