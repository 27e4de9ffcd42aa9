import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { crc16, readBankLink } from './bank-link.ts'
import { checkRequisite, type RequisiteDraft } from './requisite.ts'

const id = 'AS10003P3RH0LJ2A9ROO038L6NT5RU1M'
const sbp = `https://qr.nspk.ru/${id}`
const oneTime =
  'https://qr.nspk.ru/AD10001246OADML79D5OP9279JLPI2V6?type=02&bank=100000000001&sum=253&cur=RUB'
const uz =
  '00020101021140440012qr-online.uz0118INLETTEST0000000010202115204531153038605802UZ5910INLET TEST6008Tashkent63043764'
const withCheckSum = (text: string) => `${text}6304${crc16(`${text}6304`)}`
const click = `https://my.click.uz/clickp2p/${'0123456789abcdef'.repeat(4)}`

test('the check sum is CRC-16/CCITT-FALSE', () => {
  assert.equal(crc16('123456789'), '29B1')
  assert.equal(crc16(oneTime), 'D959')
  assert.equal(crc16(uz.slice(0, -4)), '3764')
})

const cases: [text: string, answer: string][] = [
  [sbp, 'RUB link'],
  [`${sbp}?type=01&bank=100000000007`, 'RUB link'],
  [`${sbp}?type=01&bank=100000000007&crc=${crc16(`${sbp}?type=01&bank=100000000007`)}`, 'RUB link'],
  [`${sbp}?type=01&bank=100000000007&sum=0&cur=RUB`, 'RUB link'],
  [`${sbp}?type=01&bank=100000000007&crc=0000`, 'RUB link link_check_sum_unproven'],
  [`${sbp}?type=01&bank=100000000007&sum=10000&cur=RUB`, 'RUB link link_amount'],
  [`${oneTime}&crc=D959`, 'RUB link link_once'],
  [`${sbp}?type=02&bank=100000000007`, 'RUB link link_once'],
  [`https://qr.nspk.ru/${id.slice(1)}`, 'RUB link link_shape'],
  [`https://qr.nspk.ru/${id.toLowerCase()}`, 'RUB link link_shape'],
  [`${sbp}?bank=100000000007`, 'RUB link link_shape'],
  [`${sbp}?type=01&bank=100000000007&to=evil`, 'RUB link link_shape'],

  [uz, 'UZS code'],
  [`https://app.paynet.uz/qr-online/${encodeURIComponent(uz)}`, 'UZS link'],
  [uz.replace('TEST6008', 'TEXT6008'), 'UZS code link_check_sum'],
  [uz.slice(0, -1), 'UZS code link_shape'],
  [uz.slice(0, -8), 'UZS code link_shape'],
  [`${uz}0`, 'UZS code link_shape'],
  [withCheckSum(uz.slice(0, -8).replace('5303860', '5303840')), 'UZS code link_country'],
  [withCheckSum(uz.slice(0, -8).replace('5802UZ', '5802KZ')), 'UZS code link_country'],
  [withCheckSum(uz.slice(0, -8).replace('010211', '010212')), 'UZS code link_once'],
  [withCheckSum(`${uz.slice(0, -8)}54041000`), 'UZS code link_amount'],
  ['https://app.paynet.uz/qr-online/', 'UZS link link_shape'],
  ['https://app.paynet.uz/qr-online/%', 'UZS link link_shape'],
  [`https://app.paynet.uz/other/${uz.slice(0, 20)}`, 'UZS link link_shape'],

  [click, 'UZS link'],
  [click.slice(0, -1), 'UZS link link_shape'],
  [`${click}?amount=1`, 'UZS link link_shape'],
  ['https://pay.kaspi.kz/pay/a1b2c3d4', 'KZT link'],
  ['https://pay.kaspi.kz/pay/a1b2c3d4e', 'KZT link link_shape'],
  ['https://qr.kaspi.kz/A-token_1', 'KZT link'],
  ['https://qr.kaspi.kz/', 'KZT link link_shape'],

  ['', 'unknown'],
  ['https://qr.nspk.ru', 'unknown'],
  [sbp.replace('https', 'http'), 'unknown'],
  [sbp.replace('qr.nspk.ru', 'qr.nspk.ru.evil.example'), 'unknown'],
  [sbp.replace('qr.nspk.ru', 'evil.example'), 'unknown'],
  [sbp.replace('qr.nspk.ru', 'qr.nspk.ru:443'), 'unknown'],
  [sbp.replace('qr.nspk.ru', 'me@qr.nspk.ru'), 'unknown'],
  [sbp.replace('qr.nspk.ru', 'qr.nspk.ru@evil.example'), 'unknown'],
  [sbp.replace('qr.nspk.ru/', 'qr.nspk.ru\\'), 'unknown'],
  [sbp.replace('qr.nspk.ru', 'QR.NSPK.RU'), 'unknown'],
  [`${sbp}#top`, 'unknown'],
  [`${sbp}\n`, 'unknown'],
  ['bank100000000007://qr.nspk.ru/x', 'unknown'],
  ['javascript:alert(1)', 'unknown'],
  [`https://qr.kaspi.kz/${'a'.repeat(600)}`, 'unknown'],
]

test('a pasted link is one of a known scheme, whole, static and without an amount', () => {
  for (const [text, answer] of cases) {
    const read = readBankLink(text)
    const found = read
      ? [read.currency, read.href === undefined ? 'code' : 'link', ...read.findings].join(' ')
      : 'unknown'
    assert.equal(found, answer, text)
    if (read?.href !== undefined) assert.equal(read.href, text)
  }
})

test('whatever is pasted, only https links to the schemes’ own hosts can be opened', () => {
  const hosts = ['qr.nspk.ru', 'app.paynet.uz', 'my.click.uz', 'pay.kaspi.kz', 'qr.kaspi.kz']
  const pieces = [...'@:/\\?# \t.', 'https://', 'http://', 'evil.example', ...hosts]
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 }))), (parts) => {
      const href = readBankLink(parts.join(''))?.href
      if (href === undefined) return
      const { protocol, host, username, hash } = new URL(href)
      assert.deepEqual([protocol, hosts.includes(host), username, hash], ['https:', true, '', ''])
    }),
  )
})

const card: RequisiteDraft = {
  kind: 'card',
  currency: 'RUB',
  number: '2200000000000004',
  holder: 'Иван П.',
  bankName: 'Банк',
}
const account: RequisiteDraft = {
  kind: 'account_ru',
  currency: 'RUB',
  number: '40702810300000000042',
  holder: 'ООО "Пример"',
  bankName: 'Банк',
  bic: '044525999',
  corrAccount: '30101810600000000999',
}

test('a link fits the currency and the kind of its requisite', () => {
  const codes = (draft: RequisiteDraft) => checkRequisite(draft).findings.map(({ code }) => code)
  assert.deepEqual(codes({ ...card, link: sbp }), [])
  assert.equal(checkRequisite({ ...card, link: ` ${sbp}\n` }).requisite.link, sbp)
  assert.equal(checkRequisite({ ...card, link: ' ' }).requisite.link, undefined)
  assert.deepEqual(codes({ ...card, link: uz }), ['link_currency'])
  assert.deepEqual(codes({ ...card, link: 'https://example.com/pay' }), ['link_unknown'])
  // A transfer by link would arrive without the reference by which deposits on an account are distinguished.
  assert.deepEqual(codes({ ...account, link: sbp }), ['link_kind'])
})
