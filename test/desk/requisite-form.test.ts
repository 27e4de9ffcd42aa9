/** The form of a new requisite asks for what its kind has, in the currency of the account, also without scripts. */
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

async function formOf(currency: Currency, kind = '') {
  const { id } = await addAccount(gateway.db, {
    mode: 'test',
    currency,
    merchantId: null,
    label: 'Account',
    ownerLegalName: 'ООО «Ромашка»',
    ownerPublicName: 'Ромашка',
    ownerTaxId: '7707083893',
    ownerAgreement: '17',
    addedBy: 'test',
  })
  const page = `/operator/requisites/${id}`
  const { text } = await browser.get(kind ? `${page}?kind=${kind}` : page)
  const form = text.slice(text.indexOf('id="add"'))
  const names = [...form.matchAll(/<input id="(\w+)"/g)].map(([, name]) => name!)
  const kinds = [...form.matchAll(/\?kind=(\w+)#add" aria-current="(\w+)"/g)].map(([, name, isHere]) =>
    isHere === 'page' ? `[${name}]` : name,
  )
  return { page, kinds, details: names.filter((name) => details.includes(name)) }
}

const details = ['bic', 'corrAccount', 'taxId', 'kpp', 'kbe', 'knp']

for (const [currency, kind, kinds, shown] of [
  ['RUB', '', ['[card]', 'phone', 'account_ru'], []],
  ['RUB', 'phone', ['card', '[phone]', 'account_ru'], []],
  ['RUB', 'account_ru', ['card', 'phone', '[account_ru]'], ['bic', 'corrAccount', 'taxId', 'kpp']],
  ['RUB', 'account_kz', ['[card]', 'phone', 'account_ru'], []],
  ['KZT', 'account_kz', ['card', 'phone', '[account_kz]'], ['bic', 'taxId', 'kbe', 'knp']],
  ['UZS', 'account_uz', ['card', 'phone', '[account_uz]'], ['bic', 'taxId']],
  ['TJS', 'account_tj', ['card', 'phone', '[account_tj]'], ['bic']],
] as const) {
  test(`${currency}, ${kind || 'nothing chosen'}: ${shown.join(', ') || 'no details of an account'}`, async () => {
    const form = await formOf(currency, kind)
    assert.deepEqual(form.kinds, kinds)
    assert.deepEqual(form.details, shown)
  })
}

test('the form of a card creates a proposal', async () => {
  const { page } = await formOf('RUB', 'card')
  const card = { kind: 'card', number: '4111111111111111', holder: 'PETROVA OLGA', bankName: 'Bank X' }
  const asked = await browser.post(`${page}/propose`, { ...card, confirmed: 'on', reason: 'One more' })
  assert.equal(asked.location, `${page}?notice=proposed`, asked.text)
})
