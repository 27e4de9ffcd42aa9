import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Shown } from '../../../domain/deposits/deposit.ts'
import { gostBytes, gostPayload } from './gost.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)

const shown: Shown = {
  kind: 'account_ru',
  number: '40702810300000000042',
  name: 'ООО "Пример"',
  bank_name: 'Банк "Тест"',
  bic: '044525999',
  corr_account: '30101810600000000999',
  tax_id: '7700000009',
  payment_reason: 'Пополнение KT48219034',
  seller: 'ООО "Пример"',
}
const payload = (changes: Partial<Shown> = {}, cents = 150_050n) =>
  gostPayload({ shown: { ...shown, ...changes }, currency: 'RUB' }, cents)

test('vector A: the example of the standard', () => {
  const bytes = gostBytes([
    ['Name', 'ООО «Три кита»'],
    ['PersonalAcc', '40702810138250123017'],
    ['BankName', 'ОАО "БАНК"'],
    ['BIC', '044525225'],
    ['CorrespAcc', '30101810400000000225'],
    ['PayeeINN', '6200098765'],
    ['LastName', 'Иванов'],
    ['FirstName', 'Иван'],
    ['MiddleName', 'Иванович'],
    ['Purpose', 'Оплата членского взноса'],
    ['PayerAddress', 'г.Рязань ул.Ленина д.10 кв.15'],
    ['Sum', '100000'],
  ])!
  assert.equal(bytes.length, 359)
  assert.equal(sha256(bytes), '3c979eb9ec2858d0ccdbfdd23b0d7438a65cee85607f7aba1656ac9b411e1468')
})

test('vector B: a deposit on a Russian account', () => {
  const bytes = payload()!
  assert.equal(
    text(bytes),
    'ST00012|Name=ООО "Пример"|PersonalAcc=40702810300000000042|BankName=Банк "Тест"|BIC=044525999' +
      '|CorrespAcc=30101810600000000999|PayeeINN=7700000009|Sum=150050|Purpose=Пополнение KT48219034',
  )
  assert.equal(bytes.length, 213)
  assert.equal(sha256(bytes), '421c4f2157ad23c4880c8ecf801007030429e23c845dfbfa83d4545f61af3c03')
})

test('vector C: a separator that stands in no value', () => {
  const bytes = payload({ payment_reason: 'Счёт A|B KT48219034' })!
  assert.match(text(bytes)!, /^ST00012~Name=/)
  assert.equal(bytes.length, 205)
  assert.equal(sha256(bytes), '8adf4fa80aac45cdff2e82b33f9985555360bf3ec1aa12d3f3b4b6266ef436b7')
})

test('the separators are tried in the order of the standard; none free is no code', () => {
  const order = '|~_#$^&*/`@%'
  for (let used = 0; used < order.length; used++) {
    assert.match(
      text(payload({ name: `А${order.slice(0, used)}` }))!,
      new RegExp(`^ST00012${RegExp.escape(order[used]!)}Name=`),
    )
  }
  assert.equal(payload({ name: `А${order}` }), undefined)
})

test('existing details are written in the standard’s order', () => {
  assert.match(text(payload({ kpp: '770001001' }))!, /\|PayeeINN=7700000009\|KPP=770001001\|Sum=/)
  const { tax_id: _, ...without } = shown
  assert.doesNotMatch(text(gostPayload({ shown: without, currency: 'RUB' }, 100n))!, /INN|KPP/)
})

test('a unit of the Bank of Russia has no correspondent account; any other bank’s must be known', () => {
  const { corr_account: _, ...without } = shown
  const at = (bic: string) => text(gostPayload({ shown: { ...without, bic }, currency: 'RUB' }, 100n))
  assert.match(at('040305000')!, /\|CorrespAcc=0\|/)
  assert.equal(at('044525999'), undefined)
})

const none: [why: string, changes: Partial<Shown>, cents?: bigint][] = [
  ['another kind', { kind: 'account_uz' }],
  ['a name too long', { name: 'я'.repeat(161) }],
  ['a bank’s name too long', { bank_name: 'я'.repeat(46) }],
  ['a purpose too long', { payment_reason: 'я'.repeat(211) }],
  ['an account with a space', { number: '40702810 300000000042' }],
  ['an account with a letter', { number: '40702A10300000000042' }],
  ['a BIC too short', { bic: '04452599' }],
  ['a line break in a name', { name: 'ООО\nSum=1' }],
  ['an invisible character', { name: 'ООО\u202e' }],
  ['nothing to pay', {}, 0n],
  ['more than paid', {}, -1n],
  ['an amount too long', {}, 10n ** 18n],
]

test('a payment that does not fit the standard has no code', () => {
  for (const [why, changes, cents] of none) assert.equal(payload(changes, cents), undefined, why)
  assert.ok(
    payload(
      { name: 'я'.repeat(160), bank_name: 'я'.repeat(45), payment_reason: 'я'.repeat(210) },
      10n ** 18n - 1n,
    ),
  )
  assert.equal(gostPayload({ shown, currency: 'KZT' }, 100n), undefined)
  assert.equal(gostPayload({ shown: null, currency: 'RUB' }, 100n), undefined)
})
