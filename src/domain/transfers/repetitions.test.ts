import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referenceFor } from '../deposits/reference.ts'
import { type NewEntry, prepare } from './bank-entries.ts'
import { mayBeSame, mayBeSameLessFee } from './possible-repetition.ts'
import {
  corrects,
  type Payer,
  PaymentsByPayer,
  type PriorTransfer,
  pairDuplicates,
  sortById,
  sortEntry,
} from './repetitions.ts'

const facts = {
  accountId: 'a',
  direction: 'credit',
  cents: 1_000n,
  currency: 'RUB',
  bookedOn: '2026-11-15',
  bookedAt: null,
  paidOn: null,
  documentNumber: '17',
  payerName: 'Иванова Анна',
  payerAccount: '4081…0001',
  payerTaxId: '',
  payerBank: '',
  purpose: 'Оплата',
  purposeParts: ['Оплата'],
  bankId: null,
  bankEntry: null,
  channel: 'camt',
  version: 0n,
  statementId: null,
  line: 1,
  raw: '',
} as const

const newEntry = (changes: Partial<NewEntry> = {}): NewEntry => ({
  ...prepare({ ...facts, occurrence: 1, isRevoked: false, ...changes }),
  doubt: null,
})
let ids = 0
const known = (changes: Partial<PriorTransfer> = {}): PriorTransfer => ({
  ...facts,
  id: `known-${++ids}`,
  sourceId: 's',
  channel: '1c',
  state: 'unmatched',
  entryCents: null,
  refundCents: 0n,
  ...changes,
})
const reference = 'BANK-REF-0001'
const part = (cents: bigint, total: bigint, changes: Partial<NewEntry> = {}) =>
  newEntry({ cents, bankEntry: { reference, cents: total }, ...changes })

test('one document of one payer is one payment; where one side is silent, a person has to say', () => {
  const rows: [
    reported: Partial<NewEntry>,
    known: Partial<PriorTransfer>,
    'duplicate' | 'suspected' | 'none',
  ][] = [
    [{}, {}, 'duplicate'],
    [{ purpose: 'Other words' }, {}, 'duplicate'],
    [{ documentNumber: '' }, { purpose: 'x' }, 'suspected'],
    [{ documentNumber: '' }, { documentNumber: '' }, 'duplicate'],
    // A payer's next payment of the same amount may have come on that day.
    [{ documentNumber: '' }, { documentNumber: '', purpose: 'x' }, 'suspected'],
    [{}, { payerAccount: '', purpose: 'x' }, 'suspected'],
    [{ documentNumber: 'E2E-1' }, {}, 'suspected'],
    [{ documentNumber: '18' }, { purpose: 'x' }, 'none'],
    [{ payerAccount: '4081…0002' }, { purpose: 'x' }, 'none'],
    [{ payerAccount: '4081…0002', documentNumber: '18' }, {}, 'none'],
    [{ cents: 1_001n }, {}, 'none'],
    [{ bookedOn: '2026-11-16' }, {}, 'none'],
    [{ accountId: 'b' }, {}, 'none'],
    [{ documentNumber: '', payerAccount: '', purpose: '' }, {}, 'none'],
  ]
  for (const [one, other, expected] of rows) {
    const { duplicates, suspected } = pairDuplicates([newEntry(one)], [known(other)], { sourceId: 'another' })
    const found = duplicates.size > 0 ? 'duplicate' : suspected.size > 0 ? 'suspected' : 'none'
    assert.equal(
      found,
      expected,
      JSON.stringify([one, other], (_, value) => String(value) && value?.toString()),
    )
  }
})

test('of two equal payments each is paired once, the exact match first', () => {
  const [exact, silent] = [known(), known({ documentNumber: '' })]
  const [first, second, third] = [
    newEntry({ documentNumber: '' }),
    newEntry(),
    newEntry({ documentNumber: '99', purpose: 'y' }),
  ]
  const { duplicates, suspected } = pairDuplicates([first, second, third], [silent, exact], {
    sourceId: 'another',
  })
  assert.deepEqual(
    [...duplicates],
    [
      [first, silent],
      [second, exact],
    ],
  )
  assert.equal(suspected.size, 0)
})

test('two payments that name two deposits are two, also under one document of one transit account', () => {
  const [one, other] = [referenceFor(1), referenceFor(2)]
  const before = known({ purpose: `Пополнение ${one}` })
  const first = newEntry({ purpose: `Пополнение ${other}`, purposeParts: [other] })
  const second = newEntry({ purpose: `пополнение, ${one}`, purposeParts: [one] })
  const { duplicates, suspected } = pairDuplicates([first, second], [before], { sourceId: 's' })
  assert.deepEqual([[...duplicates.keys()], suspected.size], [[second], 0])
  const suspectedBy = (payerAccount: string) => {
    const names = { purpose: `Пополнение ${other}`, purposeParts: [other], documentNumber: '', payerAccount }
    return pairDuplicates([newEntry(names)], [{ ...before, payerAccount }], { sourceId: 'another' }).suspected
      .size
  }
  assert.equal(suspectedBy('3023…5678'), 0)
  // Of one payer, they may be the two ends of one text, which two ways have cut.
  assert.equal(suspectedBy('4081…0001'), 1)
})

test('a payer from an MT940 text is not taken for another payer, whichever report comes first', () => {
  const [one, other] = [referenceFor(1), referenceFor(2)]
  const suspectedBy = (channel: 'mt940' | 'camt', forged: Partial<NewEntry>) => {
    const reported = { purpose: other, purposeParts: [other], ...forged }
    const [pushed, booked] = [known({ purpose: one, channel: 'push' }), newEntry({ ...reported, channel })]
    const { suspected } = pairDuplicates([booked], [pushed], { sourceId: 's' })
    const turned = pairDuplicates(
      [newEntry({ purpose: one, purposeParts: [one], channel: 'push' })],
      [known({ ...reported, channel })],
      { sourceId: 's' },
    )
    return [suspected.size, turned.suspected.size]
  }
  for (const forged of [{ payerAccount: '4081…0099' }, { payerAccount: '', payerName: 'Петров' }]) {
    assert.deepEqual(suspectedBy('mt940', forged), [1, 1])
    assert.deepEqual(suspectedBy('camt', forged), [0, 0])
  }
  assert.deepEqual(suspectedBy('mt940', { payerTaxId: '7700000009' }), [1, 1])
})

test('an entry reported as a whole and in parts is one payment, in either order', () => {
  const whole = known({ cents: 3_000n, entryCents: 3_000n })
  const parts = [part(1_000n, 3_000n), part(2_000n, 3_000n)]
  assert.deepEqual(sortEntry(reference, parts, [whole]).replaced, [whole])
  const matched = { ...whole, state: 'matched' as const }
  const repeated = sortEntry(reference, parts, [matched])
  assert.deepEqual([[...repeated.repeated.values()], repeated.replaced], [[matched, matched], []])
  const known2 = [known({ cents: 1_000n, entryCents: 3_000n }), known({ cents: 2_000n, entryCents: 3_000n })]
  const sum = sortEntry(reference, [part(3_000n, 3_000n)], known2)
  assert.deepEqual([sum.fresh, sum.within], [[], known2])
  const again = sortEntry(reference, [part(3_000n, 3_000n)], [whole])
  assert.deepEqual([...again.repeated.values()], [whole])
})

test('the same parts under other ids pair by their amounts; amounts that contradict are for a person', () => {
  const before = [known({ cents: 1_000n, entryCents: 3_000n }), known({ cents: 2_000n, entryCents: 3_000n })]
  const pairs = sortEntry(reference, [part(2_000n, 3_000n), part(1_000n, 3_000n)], before)
  assert.deepEqual(
    [...pairs.repeated.values()].map(({ cents }) => cents),
    [2_000n, 1_000n],
  )
  const other = sortEntry(reference, [part(4_000n, 4_000n)], before)
  assert.deepEqual(
    other.fresh.map(({ doubt }) => doubt),
    ['entry_contradicts'],
  )
  const half = sortEntry(reference, [part(1_000n, 3_000n), part(1_500n, 3_000n)], before)
  assert.deepEqual(
    half.fresh.map(({ doubt }) => doubt),
    [null, 'entry_contradicts'],
  )
  assert.deepEqual(
    half.fresh[1]!.sameAs,
    before.map(({ id }) => id),
  )
})

test('a short reference is used again: on another day it is another entry', () => {
  const whole = known({ bookedOn: '2026-11-14', entryCents: 1_000n })
  const short = newEntry({ bankEntry: { reference: '15', cents: 1_000n } })
  assert.equal(sortEntry('15', [short], [whole]).repeated.size, 0)
  assert.equal(sortEntry(reference, [part(1_000n, 1_000n)], [whole]).repeated.size, 1)
  assert.equal(sortById(newEntry({ bankId: '15' }), [whole]), undefined)
  assert.deepEqual(sortById(newEntry({ bankId: reference }), [whole]), { original: whole })
  // On its day it identifies nothing by itself: another source may count its rows too.
  const ofDay = known({ entryCents: 1_000n })
  const isCertain = (now: Partial<NewEntry>, before: Partial<PriorTransfer> = {}) => {
    const found = sortById(newEntry({ bankId: '15', ...now }), [{ ...ofDay, ...before }])
    return found && 'original' in found
  }
  assert.ok(isCertain({}))
  assert.ok(isCertain({ payerAccount: '', payerTaxId: '1' }, { payerTaxId: '1' }))
  assert.ok(!isCertain({ payerAccount: '' }))
  assert.ok(!isCertain({}, { payerAccount: '' }))
  assert.ok(!isCertain({ documentNumber: '18' }))
  assert.ok(!isCertain({ payerAccount: '3023…0001' }, { payerAccount: '3023…0001' }))
  const judged = sortById(newEntry({ bankId: '15', payerAccount: '' }), [ofDay])
  assert.partialDeepStrictEqual(judged, { doubt: 'maybe_repeated', sameAs: [ofDay.id] })
  const doubtsOf = (entries: NewEntry[], before: PriorTransfer[]) => {
    const { fresh, repeated, replaced, within } = sortEntry('15', entries, before)
    return [fresh.map(({ doubt }) => doubt), repeated.size, replaced.length, within.length]
  }
  const unknown = { ...part(1_000n, 1_000n), payerAccount: '' }
  assert.deepEqual(doubtsOf([unknown], [ofDay]), [['maybe_repeated'], 0, 0, 0])
  const halves = [part(500n, 1_000n), part(500n, 1_000n)]
  const both = [['maybe_repeated', 'maybe_repeated'], 0, 0, 0]
  assert.deepEqual(doubtsOf(halves, [ofDay]), both)
  assert.deepEqual(doubtsOf(halves, [{ ...ofDay, state: 'matched' }]), both)
  const stored = halves.map(({ cents }) => known({ cents, entryCents: 1_000n }))
  assert.deepEqual(doubtsOf([part(1_000n, 1_000n)], stored), [['maybe_repeated'], 0, 0, 0])
  assert.deepEqual(doubtsOf(halves, stored), [[null, null], 2, 0, 0])
  assert.partialDeepStrictEqual(sortById(newEntry({ bankId: reference, cents: 5n }), [whole]), {
    doubt: 'entry_contradicts',
  })
})

test('the same document of the same payer with another amount or purpose corrects a payment', () => {
  const rows: [reported: Partial<NewEntry>, known: Partial<PriorTransfer>, isCorrection: boolean][] = [
    [{ cents: 900n }, {}, true],
    [{ cents: 900n, payerAccount: '' }, {}, true],
    [{ purpose: 'Other', channel: '1c' }, {}, true],
    // Another format writes a purpose in its own way.
    [{ purpose: 'Other' }, {}, false],
    [{ cents: 900n, documentNumber: '' }, { documentNumber: '' }, false],
    [{ cents: 900n, payerAccount: '4081…0009' }, {}, false],
    [{ cents: 900n, payerTaxId: '1' }, { payerTaxId: '2' }, false],
    [{ cents: 900n, payerAccount: '', payerName: '' }, {}, false],
    [{ cents: 900n, bookedOn: '2026-11-14' }, {}, false],
    // The bank says by its own ids that they are two.
    [{ cents: 900n, bankId: 'X' }, { bankId: 'Y' }, false],
    [{ cents: 900n, bankId: 'X' }, { bankId: 'Y', sourceId: 'other' }, true],
  ]
  for (const [one, other, isCorrection] of rows)
    assert.equal(corrects(newEntry(one), known(other), 's'), isCorrection, JSON.stringify(Object.keys(one)))
})

const isCertainlySamePayer = (left: Payer, right: Payer): boolean => {
  const [known, asked] = [left, right].map((payer) => ({ ...payer, accountId: 'a' }))
  return new PaymentsByPayer([known!]).find(asked!)!.length === 1
}

test('money is added to a deposit for a tax id, or for account and name together, never for less', () => {
  const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна', payerTaxId: '' }
  assert.ok(isCertainlySamePayer(payer, { ...payer, payerName: 'ИВАНОВА  АННА' }))
  assert.ok(!isCertainlySamePayer(payer, { ...payer, payerName: 'Петрова Анна' }))
  assert.ok(!isCertainlySamePayer(payer, { ...payer, payerAccount: '4081…0002' }))
  assert.ok(!isCertainlySamePayer({ ...payer, payerAccount: '' }, { ...payer, payerAccount: '' }))
  assert.ok(
    isCertainlySamePayer({ ...payer, payerTaxId: '1' }, { payerAccount: '', payerName: '', payerTaxId: '1' }),
  )
  // Banks fill the tax id of a person they have none of with zeros, and with their own where they pay for him.
  const person = { payerAccount: '4081…0002', payerName: 'Петров Пётр', payerTaxId: '0' }
  assert.ok(!isCertainlySamePayer({ ...payer, payerTaxId: '0' }, person))
  assert.ok(
    !isCertainlySamePayer(
      { ...payer, payerTaxId: '000000000000' },
      { ...person, payerTaxId: '000000000000' },
    ),
  )
  assert.ok(
    !isCertainlySamePayer({ ...payer, payerTaxId: '7700000009' }, { ...person, payerTaxId: '7700000009' }),
  )
  for (const payerAccount of ['3023…0015', '4091…0015', '4742…0015', '4082…0015']) {
    const bank = { payerAccount, payerName: 'БАНК', payerTaxId: '7700000009' }
    assert.ok(!isCertainlySamePayer(bank, bank), payerAccount)
  }
  assert.ok(
    !isCertainlySamePayer({ ...payer, payerTaxId: '7700000009' }, { ...payer, payerTaxId: '7700000017' }),
  )
})

test('the payments of one payer and account are found, and of very many none', () => {
  const payer = { payerAccount: '4081…0001', payerName: 'Иванова Анна', payerTaxId: '1' }
  const payments = Array.from({ length: 100 }, (_, id) => ({ ...payer, id, accountId: 'a' }))
  const others = [
    { ...payer, id: 100, accountId: 'b' },
    { ...payer, payerName: 'Петрова Анна', payerTaxId: '2', id: 101, accountId: 'a' },
  ]
  const known = new PaymentsByPayer([...payments, ...others])
  const asked = { ...payer, accountId: 'a' }
  assert.deepEqual(known.find(asked), payments)
  assert.deepEqual(known.find({ ...payer, payerTaxId: '', accountId: 'b' }), [others[0]])
  known.add({ ...asked, id: 102 })
  assert.equal(known.find(asked), undefined)
})

test('a bank or payment agent is known by its name, also where the name has no word for a bank', () => {
  const isOnePayer = (payerName: string) => {
    const payer = { payerAccount: '', payerName, payerTaxId: '7702070139' }
    return isCertainlySamePayer(payer, payer)
  }
  for (const name of [
    'Филиал № 7701 ВТБ (ПАО)',
    'ООО НКО "ЮМани"',
    'РНКО «Платежный центр» (ООО)',
    'ПАО КБ "УБРиР"',
    'АО "Почта России"',
    'ТОО «Kaspi Pay»',
    'PAYME',
    '"CLICK" MCHJ',
    // Tajikistan.
    'ҶСК «Бонки Эсхата»',
    'Amonatbonk',
    'ҶСП МДО «Имон Интернешнл»',
    'ТАҚХ «Азизӣ-Молия»',
    // Kazakhstan.
    '«Отбасы банкі» АҚ',
    'АО «ЖССБ Казахстана»',
    'АҚ «Қазпошта»',
    // Uzbekistan and Russia, where the short form of the name has the kind of bank alone.
    'ATB «Agrobanki»',
    'ЧАКБ «Давр»',
    'АТБ «Алока»',
    'XATB "Davr"',
    'ПАО АКБ «Авангард»',
    'ПАО КБ «Центр-инвест»',
    'КБ "Кубань Кредит" ООО',
    'ООО КБ Кольцо Урала',
    'АО «АБ «РОССИЯ»',
  ])
    assert.ok(!isOnePayer(name), name)
  for (const name of [
    'Иванова Анна',
    'ООО «Янко»',
    'Клик Ольга',
    'ООО «Почта и связь»',
    'АО «ОКБМ»',
    'Акбар Ато',
    'ИВАНОВ АБ',
    'Ким К.Б.',
  ])
    assert.ok(isOnePayer(name), name)
})

test('a bank, which pays for all of its customers, is nobody’s identity, however many deposits it has begun', () => {
  for (const bank of [
    { payerAccount: '3023…0001', payerName: 'ПАО СБЕРБАНК', payerTaxId: '7707083893' },
    { payerAccount: '', payerName: 'Банк', payerTaxId: '7707083893' },
  ]) {
    const asked = { ...bank, accountId: 'a' }
    const known = new PaymentsByPayer(Array.from({ length: 101 }, () => ({ ...asked })))
    assert.deepEqual(known.find(asked), [], bank.payerName)
    // A customer of the bank, with the bank’s tax id.
    const customer = { payerAccount: '4081…0001', payerName: 'Иванова Анна', payerTaxId: bank.payerTaxId }
    assert.deepEqual(known.find({ ...customer, accountId: 'a' }), [])
  }
})

test('a payment is compared with thousands of stored ones in little time, also where payers wrote hostile texts', () => {
  const text = `${referenceFor(7)} ${'К%4BТ%541|О'.repeat(17)}`
  const stored = Array.from({ length: 2_000 }, (_, n) =>
    known({ purpose: `${text}${n}`, documentNumber: `${n}` }),
  )
  const entry = newEntry({
    purpose: `Оплата ${referenceFor(8)}`,
    purposeParts: [`Оплата ${referenceFor(8)}`],
  })
  const before = process.threadCpuUsage()
  const { duplicates } = pairDuplicates([entry], stored, { sourceId: 's' })
  const { user } = process.threadCpuUsage(before)
  assert.equal(duplicates.size, 0)
  assert.ok(user < 2_000_000, `${user / 1_000} ms`)
})

test('thousands of payments that are no repetitions are compared in little time; a person decides about those that are not compared', () => {
  const of = (n: number) => ({ documentNumber: '1', purpose: `Оплата ${referenceFor(n)}` })
  const stored = Array.from({ length: 10_000 }, () => known(of(1)))
  const purpose = `Оплата ${referenceFor(2)}`
  const entries = Array.from({ length: 1_000 }, (_, line) =>
    newEntry({ ...of(2), purposeParts: [purpose], payerAccount: '4081…0002', line }),
  )
  const before = process.threadCpuUsage()
  const { duplicates, suspected } = pairDuplicates(entries, stored, { sourceId: 's' })
  const { user } = process.threadCpuUsage(before)
  assert.equal(duplicates.size, 0)
  assert.ok(suspected.size > 500, `${suspected.size}`)
  assert.ok(user < 5_000_000, `${user / 1_000} ms`)
})

test('a million comparisons of payments about one day take little time', () => {
  const stored = Array.from({ length: 1_000 }, (_, n) => ({
    ...known({ documentNumber: `№ ${n}`, bookedOn: `2026-11-${10 + (n % 9)}` }),
    depositId: null,
    isReportedElsewhere: true,
  }))
  const entries = Array.from({ length: 1_000 }, (_, n) => newEntry({ cents: BigInt(990 + (n % 20)) }))
  const before = process.threadCpuUsage()
  const found = entries.filter((entry) =>
    stored.every((one) => (one.cents === entry.cents ? mayBeSame : mayBeSameLessFee)(one, entry)),
  )
  const { user } = process.threadCpuUsage(before)
  assert.equal(found.length, 1_000)
  assert.ok(user < 5_000_000, `${user / 1_000} ms`)
})
