import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, depositWith } from '../../../test/support/deposit.ts'
import type { Deposit, DepositState } from '../deposits/deposit.ts'
import { referenceFor } from '../deposits/reference.ts'
import { type AwaitingDeposit, type Matching, matchTransfer, type Rule } from './matching.ts'
import { fingerprint, type TransferFacts } from './transfer.ts'

const now = at('10:00')
const [first, second] = [referenceFor(1), referenceFor(2)]

const deposit = (id: string, changes: Partial<Deposit> = {}): Deposit =>
  depositWith({ id, merchantId: 'm', reference: first, ...changes })
const awaiting = (id: string, changes: Partial<Deposit> = {}, accountId = 'a'): AwaitingDeposit => ({
  deposit: deposit(id, changes),
  accountId,
})

const transfer = (changes: Partial<TransferFacts> = {}): TransferFacts => ({
  accountId: 'a',
  direction: 'credit',
  cents: 150_050n,
  currency: 'RUB',
  bookedOn: '2026-11-15',
  bookedAt: null,
  paidOn: null,
  documentNumber: '1',
  payerName: 'Иванов Иван Иванович',
  payerAccount: '40817810000000000001',
  isPayerAccountWhole: true,
  payerTaxId: '',
  payerBank: '',
  purpose: 'Пополнение счёта',
  purposeParts: [changes.purpose ?? 'Пополнение счёта'],
  bankId: null,
  bankEntry: null,
  channel: 'sandbox',
  version: 0n,
  statementId: null,
  line: 1,
  raw: '',
  ...changes,
})

const match = (
  facts: TransferFacts,
  named: AwaitingDeposit[] = [],
  waiting: AwaitingDeposit[] = [],
  changes: Partial<Matching> = {},
) => {
  const common = { currency: 'RUB', amountMatching: 'always', now } as const
  const { outcome, rule, depositId } = matchTransfer({
    transfer: facts,
    named,
    waiting,
    ...common,
    ...changes,
  })
  return [outcome, rule, depositId] as const
}

const written = (purpose: string, changes: Partial<TransferFacts> = {}) =>
  transfer({ purpose, purposeParts: [purpose], ...changes })

test('a reference names its deposit, whatever the amount, however it is written', () => {
  const named = [awaiting('x')]
  const digits = first.slice(2)
  for (const purpose of [
    `Пополнение ${first}`,
    `пополнение кт ${digits.slice(0, 4)} ${digits.slice(4)}`,
    `КТ-${digits}, без НДС`,
  ]) {
    assert.deepEqual(match(written(purpose), named), ['matched', 'reference', 'x'], purpose)
    assert.deepEqual(match(written(purpose, { cents: 1n }), named), ['matched', 'reference', 'x'], purpose)
  }
  const broken = transfer({
    purpose: `Пополнение ${first.slice(0, 5)} ${first.slice(5)}`,
    purposeParts: [`Пополнение ${first.slice(0, 5)}`, first.slice(5)],
  })
  assert.deepEqual(match(broken, named), ['matched', 'reference', 'x'])
})

test('a reference with a letter for a digit is left to a person: another report may have other digits', () => {
  const slipped = first.replace('0', 'O')
  assert.deepEqual(match(written(slipped), [awaiting('x')]), ['unmatched', 'reference_unknown', null])
})

const states: [state: DepositState, outcome: string, rule: Rule][] = [
  ['created', 'matched', 'reference'],
  ['confirmed', 'matched', 'reference'],
  ['expired', 'matched', 'reference'],
  ['rejected', 'unmatched', 'reference_closed'],
  ['canceled', 'unmatched', 'reference_closed'],
  ['reversed', 'unmatched', 'reference_closed'],
]
for (const [state, outcome, rule] of states) {
  test(`a reference of a deposit that is ${state}: ${outcome}, ${rule}`, () => {
    assert.deepEqual(match(written(first), [awaiting('x', { state })]).slice(0, 2), [outcome, rule])
  })
}

test('after the late grace a reference names a closed deposit, not a moment earlier', () => {
  const late = (lateUntil: Date) => match(written(first), [awaiting('x', { state: 'expired', lateUntil })])
  assert.equal(late(new Date(now.getTime() + 1))[0], 'matched')
  assert.deepEqual(late(now).slice(0, 2), ['unmatched', 'reference_closed'])
})

test('two references, and a reference of another account or currency, go to people', () => {
  const both = [awaiting('x'), awaiting('y', { reference: second })]
  assert.deepEqual(match(written(`${first} ${second}`), both), ['ambiguous', 'several_references', null])
  assert.deepEqual(match(written(first), [awaiting('x', {}, 'b')]), [
    'ambiguous',
    'reference_elsewhere',
    null,
  ])
  const foreign = [awaiting('x', { currency: 'KZT' })]
  assert.deepEqual(match(written(first), foreign), ['ambiguous', 'reference_elsewhere', null])
})

test('a list of more than ten references names no deposit, and is never matched by amount', () => {
  const ten = Array.from({ length: 10 }, (_, n) => referenceFor(1_000 + n))
  const waiting = [awaiting('x')]
  const several = ['ambiguous', 'several_references', null]
  assert.deepEqual(match(written([first, ...ten.slice(1)].join(' ')), waiting), several)
  for (const list of [[first, ...ten], [first, ...ten].map((reference) => reference.slice(2))]) {
    const open = ['ambiguous', 'reference_unknown', null]
    assert.deepEqual(match(written(list.join(' ')), waiting, waiting), open)
  }
})

test('a reference beside one that names nobody, or that a cut text would show, is for a person', () => {
  const waiting = [awaiting('x')]
  const slipped = referenceFor(0).replace('0', 'O')
  const cut = `${second.slice(0, 6)}<b>${second.slice(6)}`
  const maskedByBank = [`${second.slice(0, 8)}******1234`, 'KT************1234', 'KTXXXXXXXX1234']
  for (const other of [second, slipped, `${second}a`, `KT      ${second.slice(2)}1`, cut, ...maskedByBank])
    assert.deepEqual(
      match(written(`${other} ${first}`), waiting),
      ['ambiguous', 'several_references', null],
      other,
    )
  for (const other of [first, `${first}a`, second.slice(2), `${second.slice(2)}1`, 'АКТ 15.11.2026'])
    assert.deepEqual(match(written(`${other} ${first}`), waiting), ['matched', 'reference', 'x'], other)
  assert.equal(match(written(`${first} ${second.slice(0, 5)}`), waiting)[1], 'several_references')
})

test('digits that name another deposit of this account and amount, beside a reference, are for a person', () => {
  const waiting = [awaiting('x')]
  const facts = written(`${second.slice(2)} ${first}`)
  const several = ['ambiguous', 'several_references', null]
  assert.deepEqual(match(facts, waiting, [], { namedByDigits: [second] }), several)
  assert.deepEqual(match(written(first.slice(2)), [], waiting, { namedByDigits: [first, second] }), several)
  const alone = { namedByDigits: [first] }
  assert.deepEqual(match(written(first.slice(2)), [], waiting, alone), ['matched', 'reference', 'x'])
})

test('an unknown reference with a fitting amount is ambiguous, without one it is unmatched', () => {
  const waiting = [awaiting('x')]
  assert.deepEqual(match(written(second), [], waiting), ['ambiguous', 'reference_unknown', null])
  assert.deepEqual(match(written(second)), ['unmatched', 'reference_unknown', null])
})

test('a mistyped reference matches no deposit, and is never matched by amount', () => {
  const waiting = [awaiting('x')]
  const digits = first.slice(2)
  const wrong = `${digits.slice(0, 7)}${(Number(digits[7]) + 1) % 10}`
  for (const purpose of [
    `Пополнение KT${wrong}`,
    `кт ${wrong.slice(0, 4)} ${wrong.slice(4)}`,
    `KT${digits.slice(0, 7)}`,
    `KT${digits}5`,
    `К Т${wrong}`,
  ])
    assert.deepEqual(match(written(purpose), [], waiting), ['ambiguous', 'reference_unknown', null], purpose)
  // The words of other things are no references.
  for (const purpose of ['Договор KT-15', 'КТ головного мозга 2 шт', 'акт 12345678', 'Оплата'])
    assert.equal(match(written(purpose), [], waiting)[1], 'amount_unique', purpose)
})

test('where deposits carry references, an amount alone matches only if the account allows it', () => {
  const shown = (kind: 'card' | 'account_ru') =>
    ({ kind, number: '1', name: 'n', bank_name: 'b', seller: 's' }) as const
  const account = [awaiting('x', { shown: shown('account_ru') })]
  const card = [awaiting('y', { shown: shown('card') })]
  const missing = ['ambiguous', 'reference_missing', null]
  for (const [amountMatching, ofAccount, ofCard] of [
    ['by_kind', missing, ['matched', 'amount_unique', 'y']],
    ['always', ['matched', 'amount_unique', 'x'], ['matched', 'amount_unique', 'y']],
    ['never', missing, missing],
  ] as const) {
    assert.deepEqual(match(transfer(), [], account, { amountMatching }), ofAccount, amountMatching)
    assert.deepEqual(match(transfer(), [], card, { amountMatching }), ofCard, amountMatching)
  }
  const both = match(transfer(), [], [...account, ...card], { amountMatching: 'by_kind' })
  assert.deepEqual(both, ['ambiguous', 'several_candidates', null])
  assert.equal(match(written(first), account, [], { amountMatching: 'never' })[0], 'matched')
})

test('the payer of a first part sends the rest: where nothing else could be meant, and exactly that', () => {
  const begun = [awaiting('x', { receivedCents: 100_000n, labels: ['underpaid'] })]
  const rest = (cents: bigint, more: Partial<Matching> = {}) =>
    match(transfer({ cents }), [], [], { begun, amountMatching: 'by_kind', ...more })
  assert.deepEqual(rest(50_050n), ['matched', 'payer_rest', 'x'])
  assert.deepEqual(rest(50n), ['ambiguous', 'payer_rest', null])
  assert.deepEqual(rest(50_051n), ['ambiguous', 'payer_rest', null])
  assert.deepEqual(rest(50_050n, { waiting: [awaiting('y')] }), ['ambiguous', 'several_candidates', null])
  assert.deepEqual(rest(50_050n, { begun: [...begun, ...begun] }), ['ambiguous', 'several_candidates', null])
  // An amount that another deposit waits for, and no rest.
  const exact = match(transfer(), [], [awaiting('y')], { begun })
  assert.deepEqual(exact, ['ambiguous', 'payer_rest', null])
  const reportedElsewhere = [
    { ...transfer(), id: 't', depositId: null, payerAccount: '', documentNumber: '' },
  ]
  const again = match(transfer(), [], [awaiting('y')], { begun, reportedElsewhere })
  assert.deepEqual(again, ['ambiguous', 'maybe_repeated', null])
  const closed = [awaiting('x', { receivedCents: 1n, state: 'expired', lateUntil: now })]
  assert.equal(rest(50_050n, { begun: closed })[1], 'no_candidate')
  // The first part reported again, where the two parts are equal.
  const payment = { id: 't', depositId: 'x', cents: 50_050n, bookedOn: '2026-11-15' }
  const silent = { documentNumber: '', payerAccount: '', payerTaxId: '', bankId: null }
  assert.deepEqual(rest(50_050n, { reportedElsewhere: [{ ...payment, ...silent }] }), [
    'ambiguous',
    'maybe_repeated',
    null,
  ])
  // On a list of this merchant's: as with any other match.
  const entry = { list: 'block', kind: 'payer', value: 'x', reason: 'y', merchantId: 'm' as never } as const
  assert.deepEqual(rest(50_050n, { listed: [entry] }), ['ambiguous', 'payer_listed', null])
})

test('if only a text shows that the rest is from the payer of the first part, a person decides', () => {
  const begun = [awaiting('x', { receivedCents: 100_000n, labels: ['underpaid'] })]
  const rest = (ids: string[]) =>
    match(transfer({ cents: 50_050n }), [], [], { begun, begunUnproven: new Set(ids) })
  assert.deepEqual(rest(['x']), ['ambiguous', 'payer_rest', null])
  assert.deepEqual(rest(['y']), ['matched', 'payer_rest', 'x'])
})

test('two numbers prove two payers only if both are accounts in full: either may be a card', () => {
  const ruleOf = (left: boolean, right: boolean) => {
    const before = transfer({ payerAccount: '4058…0099', isPayerAccountWhole: left })
    const reportedElsewhere = [{ ...before, id: 't', depositId: 'x', isReportedElsewhere: true }]
    const now = written(first, { payerAccount: '4081…0001', isPayerAccountWhole: right, documentNumber: '' })
    return match(now, [awaiting('x')], [], { reportedElsewhere })[1]
  }
  assert.equal(ruleOf(true, true), 'reference')
  assert.equal(ruleOf(false, true), 'maybe_repeated')
  assert.equal(ruleOf(true, false), 'maybe_repeated')
})

test('two payers are two payments, unless MT940 has one of them in its text', () => {
  const matchOf = (channel: 'mt940' | 'camt', reported: 'mt940' | 'push', cents = 150_050n) => {
    const payment = { ...transfer({ payerAccount: '40817810000000000099', channel: reported, cents }) }
    const reportedElsewhere = [{ ...payment, id: 't', depositId: 'x', isReportedElsewhere: true }]
    return match(written(first, { channel, documentNumber: '' }), [awaiting('x')], [], {
      reportedElsewhere,
    })[1]
  }
  assert.equal(matchOf('camt', 'push'), 'reference')
  assert.equal(matchOf('mt940', 'push'), 'maybe_repeated')
  assert.equal(matchOf('camt', 'mt940'), 'maybe_repeated')
  // Less a fee.
  assert.equal(matchOf('camt', 'push', 150_000n), 'reference')
  assert.equal(matchOf('mt940', 'push', 150_000n), 'maybe_repeated')
})

test('a deposit of the amount that has a part of its money is a candidate while it can be paid', () => {
  const waiting = [awaiting('y')]
  const forNext = ['matched', 'amount_unique', 'y']
  const begun = (changes: Partial<Deposit> = {}) =>
    match(transfer(), [], waiting, { begunOfAmount: [awaiting('x', { receivedCents: 100n, ...changes })] })
  assert.deepEqual(begun(), ['ambiguous', 'several_candidates', null])
  assert.deepEqual(begun({ state: 'expired', lateUntil: now }), forNext)
  assert.deepEqual(begun({ issuedAt: new Date('2026-11-16T09:00:00Z') }), forNext)
})

test('a suspected repetition stays one when its payer is listed', () => {
  const entry = { list: 'watch', kind: 'payer', value: 'x', reason: 'y', merchantId: null } as const
  const payment = { id: 't', depositId: 'x', cents: 150_050n, bookedOn: '2026-11-15' }
  const reportedElsewhere = [
    { ...payment, documentNumber: '', payerAccount: '', payerTaxId: '', bankId: null },
  ]
  const found = matchTransfer({
    ...{ transfer: written(first), named: [awaiting('x')], waiting: [], listed: [entry], reportedElsewhere },
    ...{ currency: 'RUB', amountMatching: 'always', now },
  })
  assert.deepEqual([found.rule, found.sameAs], ['maybe_repeated', ['t']])
  assert.match(found.reason.text, /watch list/)
})

test('eight digits alone count with the exact amount only', () => {
  const candidate = awaiting('x')
  const other = awaiting('y', { reference: second })
  const bare = written(`Оплата ${first.slice(2)}`)
  assert.deepEqual(match(bare, [candidate], [candidate, other]), ['matched', 'reference', 'x'])
  assert.deepEqual(match({ ...bare, cents: 1n }, [candidate], []), ['unmatched', 'no_candidate', null])
})

test('a single deposit that waits for the amount gets it; between two a person decides, also if one has the payer’s name', () => {
  const byPerson = ['ambiguous', 'several_candidates', null]
  const candidate = awaiting('x')
  const named = awaiting('y', { reference: second, customer: 'Иван Иванов' })
  assert.deepEqual(match(transfer(), [], [candidate]), ['matched', 'amount_unique', 'x'])
  assert.deepEqual(match(transfer(), [], [candidate, awaiting('y')]), byPerson)
  assert.deepEqual(match(transfer(), [], [candidate, named]), byPerson)
})

test('the name and phone that a merchant gives for its customer do not decide between two deposits', () => {
  const byPerson = ['ambiguous', 'several_candidates', null]
  for (const merchantId of ['m', 'other']) {
    const theirs = { merchantId, reference: second }
    const named = awaiting('y', { ...theirs, customer: 'Иван Иванович' })
    assert.deepEqual(match(transfer(), [], [awaiting('x'), named]), byPerson)
    const phone = { ...theirs, customerPhoneNumber: '+79991234567' }
    assert.deepEqual(match(written('СБП 89991234567'), [], [awaiting('x'), awaiting('y', phone)]), byPerson)
  }
})

test('another phone number than the customer’s makes a person look', () => {
  const candidate = awaiting('x', { customerPhoneNumber: '+79991234567' })
  assert.deepEqual(match(written('СБП +7 (999) 123-45-67'), [], [candidate])[0], 'matched')
  assert.deepEqual(match(written('СБП +79990000000'), [], [candidate]), [
    'ambiguous',
    'contradicting_hint',
    null,
  ])
  const named = awaiting('x', { customerPhoneNumber: '+79991234567', customer: 'Иван Иванов' })
  assert.deepEqual(match(written('СБП +79990000000'), [], [named])[0], 'matched')
})

test('money sent before the deposit existed is not its money', () => {
  const candidates = [awaiting('x')]
  const early = transfer({ bookedAt: at('08:57') })
  assert.deepEqual(match(early, [], candidates), ['unmatched', 'outside_window', null])
  assert.deepEqual(match(transfer({ bookedAt: at('08:58') }), [], candidates)[0], 'matched')
  assert.deepEqual(match(transfer({ bookedOn: '2026-11-14' }), [], candidates)[1], 'outside_window')
  assert.deepEqual(match(written(first, { bookedOn: '2026-11-14' }), candidates)[1], 'outside_window')
})

test('money that was sent while another deposit of this amount could be paid, which has ended, is for a person', () => {
  const waiting = [awaiting('next')]
  const ended = (issuedAt: string, expiresAt: string, lateUntil = expiresAt) => {
    const times = {
      issuedAt: new Date(issuedAt),
      expiresAt: new Date(expiresAt),
      lateUntil: new Date(lateUntil),
    }
    return { ended: [{ deposit: deposit('ended', times) }] }
  }
  const byPerson = ['ambiguous', 'several_candidates', null]
  const forNext = ['matched', 'amount_unique', 'next']
  const sameDay = ended('2026-11-15T05:00:00Z', '2026-11-15T05:30:00Z')
  assert.deepEqual(match(transfer(), [], waiting, sameDay), byPerson)
  const dayBefore = ended('2026-11-14T05:00:00Z', '2026-11-14T05:30:00Z')
  assert.deepEqual(match(transfer(), [], waiting, dayBefore), forNext)
  const timed = transfer({ bookedAt: now })
  const until = (end: number) => ended('2026-11-15T05:00:00Z', new Date(now.getTime() + end).toISOString())
  assert.deepEqual(match(timed, [], waiting, until(0)), byPerson)
  assert.deepEqual(match(timed, [], waiting, until(-1)), forNext)
  const withGrace = ended('2026-11-14T05:00:00Z', '2026-11-14T05:30:00Z', now.toISOString())
  assert.deepEqual(match(timed, [], waiting, withGrace), byPerson)
  assert.deepEqual(match(transfer(), [], waiting, withGrace), forNext)
})

test('another currency, a lump sum and unrelated money match no deposit', () => {
  assert.equal(match(transfer({ currency: 'UZS' }), [], [awaiting('x')])[1], 'wrong_currency')
  assert.equal(match(written('Возмещение по эквайрингу за 14.11'))[1], 'settlement_batch')
  assert.deepEqual(match(written('Возмещение по эквайрингу за 14.11'), [], [awaiting('x')]), [
    'ambiguous',
    'settlement_batch',
    null,
  ])
  assert.equal(match(transfer())[1], 'no_candidate')
})

test('a listed payer’s money waits for a person, with what would have been its match', () => {
  const entry = { list: 'block', kind: 'payer', value: 'x', reason: 'fraud' } as const
  const matchOf = (merchantId: string | null, waiting: AwaitingDeposit[]) =>
    matchTransfer({
      transfer: transfer(),
      currency: 'RUB',
      amountMatching: 'always',
      named: [],
      waiting,
      listed: [{ ...entry, merchantId }],
      now,
    })
  const candidates = [awaiting('x')]
  const { reason, ...listed } = matchOf(null, candidates)
  assert.partialDeepStrictEqual(listed, {
    outcome: 'ambiguous',
    rule: 'payer_listed',
    score: 0,
    depositId: null,
  })
  assert.equal(
    reason.text,
    'The payer is on the block list: fraud. Otherwise: Only this deposit is awaiting this amount.',
  )
  assert.equal(matchOf('m', candidates).rule, 'payer_listed')
  assert.equal(matchOf('another', candidates).outcome, 'matched')
  assert.equal(matchOf(null, []).outcome, 'ambiguous')
  assert.equal(matchOf('m', []).rule, 'no_candidate')
})

test('two payers with one amount on one day have different fingerprints', () => {
  const print = (changes: Partial<TransferFacts>) => fingerprint(transfer(changes)).toString('hex')
  assert.notEqual(
    print({ payerName: 'Иванов Иван', purpose: 'Оплата заказа' }),
    print({ payerName: 'Петрова Анна', purpose: 'Пополнение' }),
  )
  assert.equal(print({ purpose: 'Оплата  Заказа' }), print({ purpose: 'оплата заказа' }))
  assert.notEqual(print({ payerName: 'a', payerTaxId: 'b' }), print({ payerName: 'ab', payerTaxId: '' }))
})
