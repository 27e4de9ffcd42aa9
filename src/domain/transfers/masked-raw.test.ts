import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskedAccount } from '../requisites/masked-account.ts'
import { maskedRaw } from './masked-raw.ts'

const ours = '40702810300000000042'
const payer = '40817810512345678901'
const kazakh = 'KZ86125KZT5004100100'
const isOurs = (account: string) => account === ours

for (const [title, text, by, expected] of [
  ['as it is', `ПлательщикСчет=${payer}`, payer, 'ПлательщикСчет=4081…8901'],
  ['wherever it stands', `<Id>${payer}</Id> ${payer}`, payer, '<Id>4081…8901</Id> 4081…8901'],
  ['grouped by spaces', `"4081 7810 5123 4567 8901";5`, payer, '"4081…8901";5'],
  ['behind an escaped line break', `"a\\n${payer}"`, payer, '"a\\n4081…8901"'],
  ['grouped as on paper', '40817-810-5-12345678901', payer, '4081…8901'],
  [
    'ours stays',
    `ПолучательСчет=${ours}\nПлательщикСчет=${payer}`,
    payer,
    `ПолучательСчет=${ours}\nПлательщикСчет=4081…8901`,
  ],
  [
    'a second account of the payer',
    'ПлательщикРасчСчет=40702810900000012345',
    payer,
    'ПлательщикРасчСчет=4070…2345',
  ],
  ['an IBAN', `<IBAN>${kazakh}</IBAN>`, '', '<IBAN>KZ86…0100</IBAN>'],
  ['an IBAN in small letters', kazakh.toLowerCase(), '', 'kz86…0100'],
  ['an IBAN in groups, of the payer', 'KZ86 125K ZT50 0410 0100', kazakh, 'KZ86…0100'],
  ['an account of another shape, of the payer', 'AC-1234567890', 'AC1234567890', 'AC12…7890'],
  ['a short account is no secret', 'Счет 12345678', '12345678', 'Счет 12345678'],
  ['what only looks like an IBAN stays', 'RU12ABCDEF1234567890', '', 'RU12ABCDEF1234567890'],
  ['a budget code of twenty digits stays', 'КБК=18210102010011000110', payer, 'КБК=18210102010011000110'],
  ['a longer number stays', `1${payer}`, '', `1${payer}`],
  ['no account', 'Заказ 1234567', '', 'Заказ 1234567'],
  ['signs of a pattern are no pattern', 'a.*b', '.*(+)[]?{}|', 'a.*b'],
] as const) {
  test(`an entry’s text without the payer’s account: ${title}`, () => {
    assert.equal(maskedRaw(text, { payer: by, isOurs }), expected)
  })
}

test('a cut account number at the end is masked too', () => {
  const text = `${'x'.repeat(3_980)} Счет=${payer}`.slice(0, 4_000)
  assert.ok(text.endsWith('Счет=40817810512345'.slice(0, text.length - 3_981)))
  assert.match(maskedRaw(text, { payer }), / Счет=4081…$/)
})

test('masking twice changes nothing more', () => {
  const once = maskedRaw(`A=${payer} B=${kazakh} C=${ours}`, { payer, isOurs })
  assert.equal(maskedRaw(once, { payer: maskedAccount(payer), isOurs }), once)
})

test('a long text without spaces costs no more than one with them', () => {
  const costOf = (word: string): number => {
    const text = `${word.repeat(3_900 / word.length)}!`.padEnd(4_000, '!')
    const before = process.threadCpuUsage().user
    for (let time = 0; time < 10; time++) maskedRaw(text, { payer: '' })
    return process.threadCpuUsage().user - before
  }
  const spaced = costOf('abcdefg ')
  assert.ok(costOf('a') < 10 * spaced + 50_000)
})
