import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { requisitesEn } from '../messages/requisites.ts'
import { currencies } from '../money.ts'
import { findingTable } from './finding.ts'
import {
  carriesReference,
  checkRequisite,
  groupOf,
  maskedNumber,
  type RequisiteDraft,
  type RequisiteGroup,
  type RequisiteKind,
  requisiteKinds,
} from './requisite.ts'

const sbpLink = 'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M'

const drafts: Record<RequisiteKind, RequisiteDraft> = {
  card: {
    kind: 'card',
    currency: 'RUB',
    number: '2200000000000004',
    holder: 'Иван П.',
    bankName: 'Банк "Тест"',
  },
  phone: {
    kind: 'phone',
    currency: 'RUB',
    number: '+79123456789',
    holder: 'Иван П.',
    bankName: 'Банк "Тест"',
  },
  account_ru: {
    kind: 'account_ru',
    currency: 'RUB',
    number: '40702810300000000042',
    holder: 'ООО "Пример"',
    bankName: 'Банк "Тест"',
    bic: '044525999',
    corrAccount: '30101810600000000999',
    taxId: '7700000009',
    kpp: '770001001',
  },
  account_kz: {
    kind: 'account_kz',
    currency: 'KZT',
    number: 'KZ90999TEST000000001',
    holder: 'ТОО "Мысал"',
    bankName: 'Банк "Тест"',
    bic: 'TESTKZKA',
    taxId: '971240001315',
    kbe: '17',
    knp: '710',
  },
  account_uz: {
    kind: 'account_uz',
    currency: 'UZS',
    number: '20208000100000000001',
    holder: 'MChJ "Misol"',
    bankName: 'Test bank',
    bic: '00999',
    taxId: '300000001',
  },
  account_tj: {
    kind: 'account_tj',
    currency: 'TJS',
    number: '20202972000000000001',
    holder: 'ҶДММ "Намуна"',
    bankName: 'Бонки "Тест"',
    bic: '350101999',
  },
}

type Changes = { [Field in keyof RequisiteDraft]?: RequisiteDraft[Field] | undefined }

function changed(kind: RequisiteKind, changes: Changes): RequisiteDraft {
  const draft: Record<string, string | undefined> = { ...drafts[kind], ...changes }
  for (const field of Object.keys(draft)) if (draft[field] === undefined) delete draft[field]
  return draft as RequisiteDraft
}

/** As `hard number card_length`, so that a row shows all that matters. */
const findingsOf = (draft: RequisiteDraft): string[] =>
  checkRequisite(draft).findings.map(({ severity, field, code }) => `${severity} ${field} ${code}`)

const cases: [kind: RequisiteKind, changes: Changes, ...findings: string[]][] = [
  ['card', {}],
  ['phone', {}],
  ['account_ru', {}],
  ['account_kz', {}],
  ['account_uz', {}],
  ['account_tj', {}],

  ['card', { number: '4111111111111111' }],
  ['card', { number: '5555555555554444' }],
  ['card', { number: '2223003122003222' }],
  ['card', { number: '8600000000000007', currency: 'UZS' }],
  ['card', { number: '8600123412341234', currency: 'UZS' }, 'soft number card_check_digit_unproven'],
  ['card', { number: '8600 0000 0000 0007', currency: 'TJS' }], // any currency
  ['card', { number: '2200000000000005' }, 'hard number card_check_digit'],
  ['card', { number: '2200000000000000006' }, 'hard number card_check_digit'],
  ['card', { number: '4111111111111112' }, 'hard number card_check_digit'],
  ['card', { number: '5555555555554445' }, 'hard number card_check_digit'],
  ['card', { number: '4222222222222' }, 'soft number card_length_rare'],
  ['card', { number: '4222222222223' }, 'soft number card_length_rare', 'hard number card_check_digit'],
  ['card', { number: '41111111111111111' }, 'hard number card_length'], // Visa of 17
  ['card', { number: '86000000000000073' }, 'hard number card_length'], // UzCard of 17
  ['card', { number: '986000000000000' }, 'hard number card_length'],
  ['card', { number: '220000000000000' }, 'hard number card_length'],
  ['card', { number: '22000000000000000000' }, 'hard number card_length'],
  ['card', { number: '6200000000000006' }, 'soft number card_check_digit_unproven'],
  ['card', { number: '6200000000000005' }],
  [
    'card',
    { number: '9999000000000007' },
    'soft number card_brand_unknown',
    'soft number card_check_digit_unproven',
  ],
  ['card', { number: '' }, 'hard number card_digits'],
  ['card', { number: '4111111111111l11' }, 'hard number card_digits'],
  ['card', { number: '٤١١١١١١١١١١١١١١١' }, 'hard number card_digits'],

  ['phone', { number: '8 (912) 345-67-89' }],
  ['phone', { number: '+77011234567' }, 'hard number phone_shape'],
  ['phone', { number: '+77011234567', currency: 'KZT' }],
  ['phone', { number: '+77272123456', currency: 'KZT' }, 'soft number phone_landline'],
  ['phone', { number: '+79123456789', currency: 'KZT' }, 'hard number phone_shape'],
  ['phone', { number: '+998901234567', currency: 'UZS' }],
  ['phone', { number: '+992901234567', currency: 'TJS' }],
  ['phone', { number: '+992901234567', currency: 'UZS' }, 'hard number phone_shape'],
  ['phone', { number: '' }, 'hard number phone_shape'],
  ['phone', { bankName: ' ' }, 'hard bankName bank_name_missing'],

  [
    'account_ru',
    { number: '40602810700000000025', bic: '049805746', corrAccount: undefined },
    'hard corrAccount ru_corr_shape',
  ],
  ['account_ru', { number: '40702810900000002851', bic: '044030827', corrAccount: '30101810200000000827' }],
  ['account_ru', { number: '40702810138250123017', bic: '044525225', corrAccount: '30101810400000000225' }],
  [
    'account_ru',
    { number: '40702810238250123017', bic: '044525225', corrAccount: '30101810400000000225' },
    'hard number ru_account_key',
  ],
  ['account_ru', { number: '40102810100000010001', bic: '040305000', corrAccount: undefined }],
  ['account_ru', { number: '40102810100000010001', bic: '040305000', corrAccount: '0' }],
  [
    'account_ru',
    { number: '40102810100000010001', bic: '040305000', corrAccount: '30101810200000000000' },
    'hard corrAccount ru_corr_unused',
  ],
  ['account_ru', { number: '03100643000000017300', bic: '004525988', corrAccount: '40102810545370000003' }],
  ['account_ru', { corrAccount: '0' }, 'hard corrAccount ru_corr_shape'],
  ['account_ru', { corrAccount: '40702810300000000042' }, 'hard corrAccount ru_corr_shape'],
  ['account_ru', { corrAccount: '30101810400000000225' }, 'hard corrAccount ru_corr_bank'],
  ['account_ru', { corrAccount: '30101810500000000999' }, 'hard corrAccount ru_corr_key'],
  ['account_ru', { number: '40702840300000000042' }, 'hard number ru_account_currency'],
  ['account_ru', { number: '40702A10300000000042' }, 'hard number ru_account_currency'],
  ['account_ru', { number: '4070281030000000004' }, 'hard number ru_account_shape'],
  ['account_ru', { bic: '344525999' }, 'hard bic ru_bic_shape'],
  ['account_ru', { bic: undefined }, 'hard bic ru_bic_shape'],
  ['account_ru', { taxId: '770000000082', kpp: undefined }],
  ['account_ru', { taxId: undefined, kpp: undefined }],
  ['account_ru', { taxId: '6200098765' }, 'soft taxId ru_inn_key'], // the standard's own example
  ['account_ru', { taxId: '77000000090' }, 'hard taxId ru_inn_shape'],
  ['account_ru', { kpp: '77000100' }, 'hard kpp ru_kpp_shape'],
  ['account_ru', { currency: 'KZT' }, 'hard kind currency_kind'],
  ['account_ru', { bankName: 'я'.repeat(45), holder: 'я'.repeat(160) }],
  ['account_ru', { bankName: 'я'.repeat(46) }, 'hard bankName bank_name_long_for_bill'],
  ['account_ru', { bankName: 'я'.repeat(101) }, 'hard bankName bank_name_long_for_bill'],
  ['account_ru', { holder: 'я'.repeat(161) }, 'hard holder holder_long'],

  ['account_kz', { number: 'KZ86125KZT5004100100' }],
  ['account_kz', { number: 'kz86 125k zt50 0410 0100' }],
  ['account_kz', { number: 'KZ68125KZT5004100100' }, 'hard number kz_iban_key'],
  ['account_kz', { number: 'КZ86125KZT5004100100' }, 'hard number kz_iban_shape'],
  ['account_kz', { bic: 'TESTKZK' }, 'hard bic kz_bic_shape'],
  ['account_kz', { bic: '12345678' }, 'hard bic kz_bic_shape'],
  ['account_kz', { taxId: '971240001316' }, 'soft taxId kz_tax_id_key'],
  ['account_kz', { taxId: '97124000131' }, 'hard taxId kz_tax_id_shape'],
  ['account_kz', { kbe: '1' }, 'hard kbe kz_kbe_shape'],
  ['account_kz', { knp: undefined }, 'hard knp kz_knp_shape'],
  ['account_kz', { currency: 'RUB' }, 'hard kind currency_kind'],

  ['account_uz', { taxId: '30000000000001' }],
  ['account_uz', { taxId: '3000000000' }, 'hard taxId uz_tax_id_shape'],
  ['account_uz', { number: '20208840100000000001' }, 'soft number uz_account_currency'],
  ['account_uz', { number: '2020800010000000000' }, 'hard number uz_account_shape'],
  ['account_uz', { bic: '0999' }, 'hard bic uz_mfo_shape'],
  ['account_uz', { bic: undefined }, 'hard bic uz_mfo_shape'],
  ['account_uz', { currency: 'TJS' }, 'hard kind currency_kind'],

  ['account_tj', { number: '20202840000000000001' }, 'soft number tj_account_currency'],
  ['account_tj', { number: '2020297200000000001' }, 'hard number tj_account_shape'],
  ['account_tj', { bic: '340101999' }, 'soft bic tj_bic_start'],
  ['account_tj', { bic: '35010199' }, 'hard bic tj_bic_shape'],
  ['account_tj', { currency: 'UZS' }, 'hard kind currency_kind'],

  ['card', { bankName: 'я'.repeat(100), holder: '😀'.repeat(160) }], // characters, not halves of them
  ['card', { bankName: 'я'.repeat(101) }, 'hard bankName bank_name_long'],
  ['card', { holder: '' }, 'hard holder holder_missing'],
  ['card', { holder: 'Иван\u202eП.' }, 'hard holder holder_characters'],
  ['card', { holder: 'Иван\nП.' }, 'hard holder holder_characters'],
  ['card', { holder: 'Иван\u2028П.' }, 'hard holder holder_characters'],
  ['card', { holder: 'Иван\u200bП.' }, 'hard holder holder_characters'],
  ['card', { holder: 'Иван\ud800' }, 'hard holder holder_characters'],
  ['card', { bankName: 'Бан\u0000к' }, 'hard bankName bank_name_characters'],
  ['card', { bankName: 'Бан\u2066к' }, 'hard bankName bank_name_characters'],
  ['card', { bic: '' }],
  ['card', { bic: '044525999', kbe: '17' }, 'hard bic field_unused', 'hard kbe field_unused'],
  ['account_tj', { taxId: '123456789' }, 'hard taxId field_unused'],

  ['card', { link: sbpLink }],
  ['card', { link: 'https://example.com/pay' }, 'hard link link_unknown'],
  ['card', { link: `${sbpLink}0` }, 'hard link link_shape'],
  ['card', { link: sbpLink.replace('/AS', '/AD') }, 'hard link link_once'],
  ['card', { link: `${sbpLink}?type=01&bank=100000000007&sum=100` }, 'hard link link_amount'],
  ['card', { link: `${sbpLink}?type=01&bank=100000000007&crc=0000` }, 'soft link link_check_sum_unproven'],
  ['card', { link: 'https://pay.kaspi.kz/pay/a1b2c3d4' }, 'hard link link_currency'],
  ['account_ru', { link: sbpLink }, 'hard link link_kind'],
  ['phone', { currency: 'UZS', number: '+998901234567', link: '00020163040000' }, 'hard link link_check_sum'],
  ['phone', { currency: 'UZS', number: '+998901234567', link: '0002016304AAE6' }, 'hard link link_country'],
]

test('each rule gives its own finding and no other', () => {
  for (const [kind, changes, ...findings] of cases) {
    assert.deepEqual(findingsOf(changed(kind, changes)), findings, `${kind} ${JSON.stringify(changes)}`)
  }
})

test('every finding in the table has a case', () => {
  const seen = new Set(cases.flatMap(([, , ...findings]) => findings.map((finding) => finding.split(' ')[2])))
  assert.deepEqual(
    Object.keys(findingTable).filter((code) => !seen.has(code)),
    [],
  )
})

test('a draft is stored as digits, whatever was pasted', () => {
  const pasted: [kind: RequisiteKind, changes: Changes, stored: Changes][] = [
    ['card', { number: ' 2200 0000\u00a00000\u202f0004 ' }, {}],
    ['card', { number: '2200-0000\u20110000\u20130004' }, {}],
    ['phone', { number: '\u202a8\u00a0(912) 345-67-89\u202c' }, {}],
    ['account_ru', { bic: '04 45 25 999', corrAccount: '30101 810 6 0000 0000999', kpp: '7700-01-001' }, {}],
    ['account_ru', { kpp: '7700ab001' }, { kpp: '7700AB001' }],
    ['account_ru', { kpp: ' ' }, { kpp: undefined }],
    ['account_kz', { number: 'kz90 999t est0 0000 0001', bic: 'testkzka' }, {}],
    ['card', { holder: ' Иван\u00a0 П. ', bankName: '\tБанк "Тест"\n' }, {}],
    ['card', { holder: 'Сергеи\u0306' }, { holder: 'Сергей' }],
  ]
  for (const [kind, changes, stored] of pasted) {
    assert.deepEqual(checkRequisite(changed(kind, changes)).requisite, changed(kind, stored))
  }
})

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[+KZ\d \u00a0()-]{0,30}$/))
const someDraft: fc.Arbitrary<RequisiteDraft> = fc.record(
  {
    kind: fc.constantFrom(...requisiteKinds),
    currency: fc.constantFrom(...currencies),
    number: text,
    holder: text,
    bankName: text,
    bic: text,
    corrAccount: text,
    taxId: text,
    kpp: text,
    kbe: text,
    knp: text,
    link: text,
  },
  { requiredKeys: ['kind', 'currency', 'number', 'holder', 'bankName'] },
)

test('checking a normalised draft again changes nothing', () => {
  fc.assert(
    fc.property(someDraft, (draft) => {
      const once = checkRequisite(draft)
      assert.deepEqual(checkRequisite(once.requisite), once)
    }),
  )
})

test('no sentence repeats a detail of the draft', () => {
  const sentences = new Set<string>(Object.values(requisitesEn))
  fc.assert(
    fc.property(someDraft, (draft) => {
      for (const { detail } of checkRequisite(draft).findings) assert.ok(sentences.has(detail.text))
    }),
  )
})

test('only accounts carry a reference', () => {
  const groups: [kind: RequisiteKind, group: RequisiteGroup, carries: boolean][] = [
    ['card', 'card', false],
    ['phone', 'phone', false],
    ['account_ru', 'account', true],
    ['account_kz', 'account', true],
    ['account_uz', 'account', true],
    ['account_tj', 'account', true],
  ]
  assert.deepEqual(
    groups.map(([kind]) => kind),
    requisiteKinds,
  )
  for (const [kind, group, carries] of groups) {
    assert.equal(groupOf(kind), group)
    assert.equal(carriesReference(kind), carries)
  }
})

test('a masked number shows its last four characters and hides a short one', () => {
  const masks: [number: string, masked: string][] = [
    ['2200000000000004', '•••• 0004'],
    ['+79123456789', '•••• 6789'],
    ['KZ90999TEST000000001', '•••• 0001'],
    ['12345678', '•••• 5678'],
    ['1234567', '••••'],
    ['', '••••'],
  ]
  for (const [number, masked] of masks) assert.equal(maskedNumber(number), masked)
})
