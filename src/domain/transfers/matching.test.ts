import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { at, depositWith } from '../../../test/support/deposit.ts'
import { type Deposit, type DepositState, depositStates, type Shown } from '../deposits/deposit.ts'
import { type Reference, referenceFor } from '../deposits/reference.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'
import { type Entry, prepare } from './entry.ts'
import { type Candidate, type Matching, matchTransfer, mostOfAmount } from './matching.ts'
import { fingerprint } from './transfer.ts'

const now = at('10:00')
const [first, second, third] = [referenceFor(1), referenceFor(2), referenceFor(3)]

const deposit = (id: string, changes: Partial<Deposit> = {}): Deposit =>
  depositWith({ id, merchantId: 'm' as MerchantId, reference: first, ...changes })
const candidate = (id: string, changes: Partial<Deposit> = {}, accountId = 'a'): Candidate => ({
  deposit: deposit(id, changes),
  accountId,
})

const entry = (purpose = 'Пополнение счёта', changes: Partial<Entry> = {}) =>
  prepare({
    ...{ accountId: 'a', direction: 'credit', cents: 150_050n, currency: 'RUB', channel: 'sandbox' },
    ...{
      bookedOn: '2026-11-15',
      bookedAt: null,
      paidOn: null,
      documentNumber: '1',
      bankId: null,
      line: 1,
      version: 0n,
    },
    ...{
      payerName: 'Иванов Иван Иванович',
      payerAccount: '40817810000000000001',
      payerTaxId: '',
      payerBank: '',
    },
    ...{ isReversal: false, isInternal: false, purpose, purposeParts: [purpose] },
    ...changes,
  })

type Given = Partial<Omit<Matching, 'transfer' | 'account'>> & Partial<Matching['account']>

const matchOf = (transfer: Matching['transfer'], given: Given = {}) => {
  const { amountMatching = 'always', currency = 'RUB', ...more } = given
  const none = { named: [], alike: [], ofAmount: [], ofPayer: [], listed: [] }
  return matchTransfer({ transfer, account: { amountMatching, currency }, now, ...none, ...more })
}

/** The outcome with the code of its reason, and who gets what. */
const match = (transfer: Matching['transfer'], given: Given = {}): string[] => {
  const { outcome, state, reason, shares } = matchOf(transfer, given)
  return [
    `${state}: ${outcome}, ${reason.code.replace('match_', '')}`,
    ...shares.map(({ depositId, cents }) => `${depositId} ${cents}`),
  ]
}

const byReference = ['matched: reference, reference', 'x 150050']
const byAmount = ['matched: amount, amount_unique', 'x 150050']
const severalReferences = ['ambiguous: reference_doubt, several_references']
const severalOfAmount = ['ambiguous: amount_doubt, several_candidates']
const noCandidate = ['unmatched: amount_doubt, no_candidate']

test('not a payment: another currency, our own money, one sum for several payments', () => {
  const named = [candidate('x')]
  const ofAmount = named
  const total = 'Возмещение по эквайрингу за 14.11'
  for (const [transfer, given, expected] of [
    [entry(first, { currency: 'UZS' }), { named, ofAmount }, 'unmatched: not_payment, wrong_currency'],
    [entry('', { isInternal: true }), { ofAmount }, 'set_aside: not_payment, own_money_between_accounts'],
    [entry(first, { isInternal: true }), { named }, 'ambiguous: not_payment, own_money_names_deposit'],
    [entry(first, { isInternal: true }), {}, 'ambiguous: not_payment, own_money_names_deposit'],
    [entry('', { hasSeveralPayments: true }), {}, 'unmatched: not_payment, settlement_batch'],
    [entry(first, { hasSeveralPayments: true }), { named }, 'ambiguous: not_payment, settlement_batch'],
    [entry(total), {}, 'unmatched: not_payment, settlement_batch'],
    [entry(total), { ofAmount }, 'ambiguous: not_payment, settlement_batch'],
  ] as const)
    assert.deepEqual(match(transfer, given), [expected])
  assert.deepEqual(match(entry(`${total} ${first}`), { named }), byReference)
})

test('a reference names its deposit, whatever the amount, however it is written', () => {
  const named = [candidate('x')]
  const digits = first.slice(2)
  for (const purpose of [
    `Пополнение ${first}`,
    `пополнение кт ${digits.slice(0, 4)} ${digits.slice(4)}`,
    `КТ-${digits}, без НДС`,
  ]) {
    assert.deepEqual(match(entry(purpose), { named, amountMatching: 'never' }), byReference, purpose)
    assert.deepEqual(match(entry(purpose, { cents: 1n }), { named }), [byReference[0], 'x 1'], purpose)
  }
  const purposeParts = [`Пополнение ${first.slice(0, 5)}`, first.slice(5)]
  assert.deepEqual(match(entry(purposeParts.join(' '), { purposeParts }), { named }), byReference)
})

test('a reference counts while its deposit takes money, was shown it, and had been issued', () => {
  const shown = (kind: RequisiteKind) => ({ shown: { kind } as Shown })
  const closed = (state: DepositState) =>
    [{ state }, {}, 'unmatched: reference_doubt, reference_closed'] as const
  const outside = 'unmatched: reference_doubt, reference_outside_window'
  for (const [changes, facts, expected] of [
    [{ state: 'created' }, {}, ...byReference],
    [{ state: 'confirmed', receivedCents: 150_050n }, {}, ...byReference],
    [{ state: 'expired' }, {}, ...byReference],
    [{ state: 'expired', lateUntil: new Date(now.getTime() + 1) }, {}, ...byReference],
    [{ state: 'expired', lateUntil: now }, {}, 'unmatched: reference_doubt, reference_closed'],
    ...(['rejected', 'canceled', 'reversed'] as const).map(closed),
    [shown('account_ru'), {}, ...byReference],
    [shown('card'), {}, 'ambiguous: reference_doubt, reference_not_asked'],
    [{ currency: 'KZT' }, {}, 'ambiguous: reference_doubt, reference_elsewhere'],
    [{}, { bookedOn: '2026-11-14' }, outside],
    [{}, { bookedAt: at('08:57') }, outside],
    [{}, { bookedAt: at('08:58') }, ...byReference],
  ] as const)
    assert.deepEqual(
      match(entry(first, facts), { named: [candidate('x', changes)] }).join(),
      [expected, ...(expected === byReference[0] ? [byReference[1]] : [])].join(),
    )
})

test('of two accounts with one reference the account of the money counts; another account alone is for a person', () => {
  const other = candidate('y', {}, 'b')
  assert.deepEqual(match(entry(first), { named: [other, candidate('x')] }), byReference)
  assert.deepEqual(match(entry(first), { named: [other] }), [
    'ambiguous: reference_doubt, reference_elsewhere',
  ])
})

test('several references of one merchant are paid together, exactly and while all of them are open', () => {
  const purpose = `${first} ${second} ${third}`
  const others = (changes: Partial<Deposit> = {}, accountId = 'a') => [
    candidate('y', { reference: second, amountCents: 200n, receivedCents: 50n }),
    candidate('z', { reference: third, amountCents: 7n, ...changes }, accountId),
  ]
  const paid = (named: Candidate[], cents = 150_207n, text = purpose) =>
    match(entry(text, { cents }), { named })
  const x = candidate('x')
  const all = ['matched: reference, references', 'x 150050', 'y 150', 'z 7']
  assert.deepEqual(paid([x, ...others()]), all)
  assert.deepEqual(paid([x, ...others({ state: 'expired' })]), all)
  for (const cents of [150_206n, 150_208n, 150_257n, 150_050n])
    assert.deepEqual(paid([x, ...others()], cents), severalReferences, `${cents}`)
  assert.deepEqual(paid([x, ...others({ merchantId: 'other' as MerchantId })]), severalReferences)
  assert.deepEqual(paid([x, ...others({ state: 'confirmed' })]), severalReferences)
  const isPaid = { receivedCents: 7n }
  assert.deepEqual(paid([x, ...others(isPaid)], 150_200n), severalReferences)
  assert.deepEqual(paid([x, others()[0]!], 150_200n), severalReferences)
  assert.deepEqual(paid([x, ...others()], 150_207n, `${purpose} ${first.slice(0, 9)}`), severalReferences)
  assert.deepEqual(paid([x, ...others({ state: 'canceled' })]), [
    'unmatched: reference_doubt, reference_closed',
  ])
  assert.deepEqual(paid([x, ...others({}, 'b')]), ['ambiguous: reference_doubt, reference_elsewhere'])
})

test('a reference beside one that names nobody, or is damaged, is for a person', () => {
  const named = [candidate('x')]
  const slipped = referenceFor(0).replace('0', 'O')
  const cut = `${second.slice(0, 6)}<b>${second.slice(6)}`
  const maskedByBank = [`${second.slice(0, 8)}******1234`, 'KT************1234', 'KTXXXXXXXX1234']
  for (const other of [second, slipped, `${second}a`, `KT      ${second.slice(2)}1`, cut, ...maskedByBank])
    assert.deepEqual(match(entry(`${other} ${first}`), { named }), severalReferences, other)
  for (const other of [first, `${first}a`, second.slice(2), `${second.slice(2)}1`, 'АКТ 15.11.2026'])
    assert.deepEqual(match(entry(`${other} ${first}`), { named }), byReference, other)
  assert.deepEqual(match(entry(`${first} ${second.slice(0, 5)}`), { named }), severalReferences)
})

test('digits that name another deposit of this account, beside a reference, are for a person', () => {
  const named = [candidate('x')]
  const purpose = `${second.slice(2)} ${first}`
  assert.deepEqual(match(entry(purpose), { named, alike: [second] }), severalReferences)
  const bare = entry(first.slice(2))
  assert.deepEqual(match(bare, { named, ofAmount: named, alike: [first, second] }), severalReferences)
  assert.deepEqual(match(bare, { named, ofAmount: named, alike: [first] }), byReference)
})

test('eight digits alone count with the exact amount only, and never leave it to another deposit', () => {
  const x = candidate('x')
  const y = candidate('y', { reference: second })
  const bare = `Оплата ${first.slice(2)}`
  const alike = [first]
  assert.deepEqual(match(entry(bare), { named: [x], alike, ofAmount: [x, y] }), byReference)
  const meant = ['ambiguous: reference_doubt, several_meant']
  assert.deepEqual(match(entry(bare, { cents: 1n }), { named: [x], alike }), meant)
  assert.deepEqual(match(entry(bare), { named: [x], alike, ofAmount: [y] }), meant)
  assert.deepEqual(
    match(entry(`${bare} ${second.slice(2)}`), { named: [x, y], ofAmount: [x, y] }),
    severalReferences,
  )
  // A date or a number of another account.
  assert.deepEqual(
    match(entry(bare), { named: [candidate('z', {}, 'b')], ofAmount: [x].slice(1) }),
    noCandidate,
  )
})

test('a list of more than ten references names no deposit, and is never matched by amount', () => {
  const ten = Array.from({ length: 10 }, (_, n) => referenceFor(1_000 + n))
  const x = candidate('x')
  const unknown = ['ambiguous: reference_doubt, reference_unknown']
  assert.deepEqual(match(entry([first, ...ten.slice(1)].join(' ')), { named: [x] }), severalReferences)
  for (const list of [[first, ...ten], [first, ...ten].map((reference) => reference.slice(2))])
    assert.deepEqual(match(entry(list.join(' ')), { named: [x], ofAmount: [x] }), unknown)
})

test('a reference that is unknown, mistyped or has letters for digits names no deposit and is never matched by amount', () => {
  const digits = first.slice(2)
  const wrong = `${digits.slice(0, 7)}${(Number(digits[7]) + 1) % 10}`
  for (const purpose of [
    second,
    `Пополнение KT${wrong}`,
    `кт ${wrong.slice(0, 4)} ${wrong.slice(4)}`,
    `KT${digits.slice(0, 7)}`,
    `KT${digits}5`,
    `К Т${wrong}`,
    first.replace('0', 'O'),
  ]) {
    const [open] = match(entry(purpose), { ofAmount: [candidate('x')] })
    assert.equal(open, 'ambiguous: reference_doubt, reference_unknown', purpose)
    assert.deepEqual(match(entry(purpose)), ['unmatched: reference_doubt, reference_unknown'], purpose)
  }
  // The words of other things are no references.
  for (const purpose of ['Договор KT-15', 'КТ головного мозга 2 шт', 'акт 12345678', 'Оплата'])
    assert.deepEqual(match(entry(purpose), { ofAmount: [candidate('x')] }), byAmount, purpose)
})

test('a deposit gets its amount where no other one of the amount could be paid, and the account allows it', () => {
  const shown = (kind: RequisiteKind) => ({ shown: { kind } as Shown })
  const account = candidate('x', shown('account_ru'))
  const card = candidate('x', shown('card'))
  const missing = ['ambiguous: amount_doubt, reference_missing']
  for (const [amountMatching, ofAccount, ofCard] of [
    ['by_kind', missing, byAmount],
    ['always', byAmount, byAmount],
    ['never', missing, missing],
  ] as const) {
    assert.deepEqual(match(entry(), { ofAmount: [account], amountMatching }), ofAccount, amountMatching)
    assert.deepEqual(match(entry(), { ofAmount: [card], amountMatching }), ofCard, amountMatching)
  }
  const both = [account, { ...card, deposit: { ...card.deposit, id: 'y' } }]
  assert.deepEqual(match(entry(), { ofAmount: both, amountMatching: 'by_kind' }), severalOfAmount)
  assert.deepEqual(match(entry()), noCandidate)
})

test('the name and phone that a merchant gives for its customer do not decide between two deposits', () => {
  for (const merchantId of ['m', 'other'] as MerchantId[])
    for (const hint of [{ customer: 'Иван Иванович' }, { customerPhoneNumber: '+79991234567' }])
      assert.deepEqual(
        match(entry('СБП 89991234567'), {
          ofAmount: [candidate('x'), candidate('y', { merchantId, reference: second, ...hint })],
        }),
        severalOfAmount,
      )
})

test('another phone number than the customer’s makes a person look', () => {
  const ofAmount = (customer: string | null) => [
    candidate('x', { customer, customerPhoneNumber: '+79991234567' }),
  ]
  const other = entry('СБП +79990000000')
  assert.deepEqual(match(entry('СБП +7 (999) 123-45-67'), { ofAmount: ofAmount(null) }), byAmount)
  assert.deepEqual(match(other, { ofAmount: ofAmount(null) }), [
    'ambiguous: amount_doubt, contradicting_hint',
  ])
  assert.deepEqual(match(other, { ofAmount: ofAmount('Иван Иванов') }), byAmount)
})

test('money sent before the deposit existed is not its money', () => {
  const ofAmount = [candidate('x')]
  assert.deepEqual(match(entry('', { bookedAt: at('08:57') }), { ofAmount }), noCandidate)
  assert.deepEqual(match(entry('', { bookedAt: at('08:58') }), { ofAmount }), byAmount)
  assert.deepEqual(match(entry('', { bookedOn: '2026-11-14' }), { ofAmount }), noCandidate)
  assert.deepEqual(
    match(entry('', { bookedOn: '2026-11-16', paidOn: '2026-11-14' }), { ofAmount }),
    noCandidate,
  )
  assert.deepEqual(match(entry('', { bookedOn: '2026-11-16', paidOn: '2026-11-15' }), { ofAmount }), byAmount)
})

/** Another deposit of the amount, which had these times and is no longer open, or has money. */
const other = (changes: Partial<Deposit>): Candidate =>
  candidate('y', { reference: second, issuedAt: at('05:00'), expiresAt: at('05:30'), ...changes })
const whole = 150_050n
const dayBefore = { issuedAt: new Date('2026-11-14T05:00:00Z'), expiresAt: new Date('2026-11-14T05:30:00Z') }
const justBefore = new Date(now.getTime() - 1)
const byHand = (day: string): Partial<Deposit> => ({
  ...{ state: 'confirmed', labels: ['manual'], issuedAt: new Date(`${day}T05:00:00Z`) },
  ...{ lateUntil: new Date(`${day}T09:00:00Z`), finalAt: new Date(`${day}T05:10:00Z`) },
})
const [ended, unique, none] = ['may_be_of_ended', 'amount_unique', 'no_candidate']
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

/** With what the matcher says of it alone; beside one that waits, they are several, or it was not payable. */
for (const [title, changes, facts, alone] of [
  ['has expired on the day', { state: 'expired', lateUntil: at('05:30') }, {}, ended],
  ['has expired the day before', { state: 'expired', ...dayBefore, lateUntil: at('09:00') }, {}, none],
  [
    'took late money until then',
    { state: 'expired', ...dayBefore, lateUntil: now },
    { bookedAt: now },
    ended,
  ],
  [
    'took it until just before',
    { state: 'expired', ...dayBefore, lateUntil: justBefore },
    { bookedAt: now },
    none,
  ],
  ['takes late money', { state: 'expired', ...dayBefore }, {}, unique],
  ['was canceled on the day', { state: 'canceled', finalAt: at('05:10') }, {}, ended],
  [
    'was canceled the day before',
    { state: 'canceled', ...dayBefore, finalAt: dayBefore.expiresAt },
    {},
    none,
  ],
  ['was canceled ten minutes ago', { state: 'canceled', finalAt: minutesAgo(10) }, { bookedAt: now }, ended],
  ['was canceled before', { state: 'canceled', finalAt: minutesAgo(10.1) }, { bookedAt: now }, none],
  ['was rejected on the day', { state: 'rejected', finalAt: at('05:10') }, {}, ended],
  ['was reversed on the day', { state: 'reversed', receivedCents: whole, finalAt: at('05:10') }, {}, ended],
  ['was reversed before', { state: 'reversed', ...dayBefore, finalAt: dayBefore.expiresAt }, {}, none],
  ['was confirmed on the day', { state: 'confirmed', receivedCents: whole, finalAt: at('05:10') }, {}, ended],
  ['was confirmed before', { state: 'confirmed', ...dayBefore, finalAt: dayBefore.expiresAt }, {}, none],
  ['was confirmed by then', { state: 'confirmed', finalAt: minutesAgo(10.1) }, { bookedAt: now }, none],
  ['was confirmed by a person, without its money', byHand('2026-11-15'), {}, ended],
  ['was confirmed by a person two weeks ago', byHand('2026-11-01'), {}, ended],
  ['was confirmed by a person long ago', byHand('2026-10-31'), {}, none],
  ['has had money that a person noted', { ...byHand('2026-11-14'), receivedCents: whole }, {}, none],
  ['has a part', { state: 'created', receivedCents: 100n, expiresAt: at('12:00') }, {}, 'has_money'],
  ['has no requisites yet', { state: 'builded', issuedAt: null }, {}, none],
  ['was issued later', { state: 'created', issuedAt: at('09:30') }, { bookedAt: at('09:15') }, none],
] as [string, Partial<Deposit>, Partial<Entry>, string][])
  test(`beside a deposit of the amount that ${title}, an open one ${alone === none ? 'gets the money' : 'waits for a person'}`, () => {
    const transfer = entry('', facts)
    const beside = match(transfer, { ofAmount: [other(changes), candidate('x')] })
    assert.deepEqual(beside, alone === none ? byAmount : severalOfAmount)
    assert.equal(matchOf(transfer, { ofAmount: [other(changes)] }).reason.code, `match_${alone}`)
  })

test('a deposit that had ended before a payment was booked, and not before it was sent, may be meant', () => {
  const ofAmount = [other({ state: 'expired', ...dayBefore, lateUntil: at('01:00') })]
  const sent = { bookedAt: now, paidOn: '2026-11-14' }
  assert.deepEqual(match(entry('', sent), { ofAmount }), ['ambiguous: amount_doubt, may_be_of_ended'])
  assert.deepEqual(match(entry('', { bookedAt: now }), { ofAmount }), noCandidate)
})

test('one deposit of very many of an amount is for a person, even if the others could not be paid', () => {
  const paid = Array.from({ length: mostOfAmount }, (_, n) =>
    candidate(`${n}`, { state: 'confirmed', ...dayBefore, finalAt: dayBefore.expiresAt }),
  )
  assert.deepEqual(match(entry(), { ofAmount: [...paid, candidate('x')] }), severalOfAmount)
  assert.deepEqual(match(entry(), { ofAmount: [...paid.slice(1), candidate('x')] }), byAmount)
})

test('a payer who has paid a part may mean that deposit, whatever the amount: nothing is matched without a person', () => {
  const begun = (changes: Partial<Deposit> = {}) => [
    candidate('y', { reference: second, amountCents: 200_000n, receivedCents: 49_950n, ...changes }),
  ]
  const x = [candidate('x')]
  const rest = ['ambiguous: amount_doubt, maybe_the_rest']
  const notRest = ['ambiguous: amount_doubt, not_the_rest']
  assert.deepEqual(match(entry(), { ofPayer: begun() }), rest)
  assert.deepEqual(match(entry(), { ofPayer: begun(), ofAmount: x }), rest)
  assert.deepEqual(match(entry('', { cents: 150_051n }), { ofPayer: begun() }), notRest)
  assert.deepEqual(match(entry(), { ofPayer: begun({ receivedCents: 1n }), ofAmount: x }), notRest)
  assert.deepEqual(matchOf(entry(), { ofPayer: begun(), ofAmount: x }).candidates, [
    { deposit: 'y', verdict: 'match_maybe_the_rest' },
    { deposit: 'x', verdict: 'match_maybe_the_rest' },
  ])
  // Whole, over, or not yet begun when this was sent.
  assert.deepEqual(match(entry(), { ofPayer: begun({ receivedCents: 200_000n }), ofAmount: x }), byAmount)
  const over = { state: 'expired', ...dayBefore, lateUntil: at('04:00') } as const
  assert.deepEqual(match(entry(), { ofPayer: begun(over), ofAmount: x }), byAmount)
  const later = { issuedAt: at('09:30') }
  const early = entry('', { bookedAt: at('09:15') })
  assert.deepEqual(match(early, { ofPayer: begun(later), ofAmount: x }), byAmount)
  assert.deepEqual(match(entry(first), { ofPayer: begun(), named: x }), byReference)
})

test('a listed payer’s money waits for a person, with what would have been its match', () => {
  const listed = (merchantId: string | null) => ({
    listed: [
      {
        list: 'block',
        kind: 'payer',
        value: 'x',
        reason: 'fraud',
        merchantId: merchantId as MerchantId | null,
      },
    ] as const,
  })
  const ofAmount = [candidate('x')]
  const { reason, candidates, ...match } = matchOf(entry(), { ofAmount, ...listed(null) })
  assert.deepEqual(match, { outcome: 'listed', state: 'ambiguous', shares: [] })
  assert.deepEqual(candidates, [{ deposit: 'x', verdict: 'match_amount_unique' }])
  assert.equal(
    reason.text,
    'The payer is on the block list: fraud. Otherwise: Only this deposit is awaiting this amount.',
  )
  const outcomeOf = (...[transfer, given]: Parameters<typeof matchOf>) => matchOf(transfer, given).outcome
  assert.equal(outcomeOf(entry(), { ofAmount, ...listed('m') }), 'listed')
  assert.equal(outcomeOf(entry(first), { named: ofAmount, ...listed('m') }), 'listed')
  assert.equal(outcomeOf(entry(), { ofAmount, ...listed('another') }), 'amount')
  assert.equal(outcomeOf(entry(), listed(null)), 'listed')
  assert.equal(outcomeOf(entry(), listed('m')), 'amount_doubt')
  assert.equal(outcomeOf(entry('', { isInternal: true }), listed(null)), 'not_payment')
})

test('whatever is found, all of the money goes to open or confirmed deposits of its account, or none of it', () => {
  const references = [first, second, third]
  const candidateOf = fc
    .record({
      state: fc.constantFrom(...depositStates),
      reference: fc.constantFrom<Reference>(...references),
      amountCents: fc.constantFrom(100n, 200n, 300n),
      receivedCents: fc.constantFrom(0n, 0n, 50n, 100n),
      merchantId: fc.constantFrom('m', 'n') as fc.Arbitrary<MerchantId>,
      kind: fc.constantFrom<RequisiteKind>('card', 'account_ru'),
      hours: fc.integer({ min: 0, max: 30 }),
      isHere: fc.boolean(),
    })
    .map(
      ({ kind, hours, isHere, ...changes }): Omit<Candidate, 'deposit'> & { changes: Partial<Deposit> } => {
        const issuedAt = new Date(now.getTime() - hours * 3_600_000)
        const end = new Date(issuedAt.getTime() + 12 * 3_600_000)
        const times = { issuedAt, expiresAt: new Date(issuedAt.getTime() + 1_800_000), lateUntil: end }
        const isOver = !['builded', 'created', 'expired'].includes(changes.state)
        const final = { finalAt: isOver ? end : null, shown: { kind } as Shown }
        return { accountId: isHere ? 'a' : 'b', changes: { ...changes, ...times, ...final } }
      },
    )
  fc.assert(
    fc.property(
      fc.array(candidateOf, { maxLength: 5 }),
      fc.subarray(references),
      fc.constantFrom(100n, 200n, 300n, 500n),
      fc.option(fc.integer({ min: 0, max: 20 })),
      fc.boolean(),
      (found, written, cents, hour, isBegun) => {
        const all = found.map(({ accountId, changes }, n) => candidate(`${n}`, changes, accountId))
        const bookedAt = hour === null ? null : new Date(now.getTime() - hour * 3_600_000)
        const facts = { cents, bookedAt, bookedOn: (bookedAt ?? now).toISOString().slice(0, 10) }
        const ofAmount = all.filter((one) => one.accountId === 'a' && one.deposit.amountCents === cents)
        const given = {
          named: all.filter(({ deposit }) => written.includes(deposit.reference!)),
          ofAmount,
          ofPayer: isBegun ? all.filter(({ accountId }) => accountId === 'a') : [],
        }
        const { state, outcome, shares } = matchOf(entry(written.join(', '), facts), given)
        assert.equal(state === 'matched', shares.length > 0)
        assert.equal(state === 'matched', outcome === 'reference' || outcome === 'amount')
        if (state !== 'matched') return
        assert.equal(
          shares.reduce((sum, share) => sum + share.cents, 0n),
          cents,
        )
        assert.equal(new Set(shares.map(({ depositId }) => depositId)).size, shares.length)
        const paid = shares.map(({ depositId }) => all[Number(depositId)]!)
        for (const { deposit, accountId } of paid) {
          const { state, reference, lateUntil, merchantId } = deposit
          assert.equal(accountId, 'a')
          assert.ok(['created', 'confirmed'].includes(state) || (state === 'expired' && now < lateUntil))
          assert.equal(merchantId, paid[0]!.deposit.merchantId)
          assert.equal(written.includes(reference!), outcome === 'reference')
          if (outcome === 'amount') assert.equal(deposit.receivedCents, 0n)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('two payers with one amount on one day have different fingerprints', () => {
  const print = (changes: Partial<Entry>) => fingerprint(entry('', changes)).toString('hex')
  assert.notEqual(
    print({ payerName: 'Иванов Иван', purpose: 'Оплата заказа' }),
    print({ payerName: 'Петрова Анна', purpose: 'Пополнение' }),
  )
  assert.equal(print({ purpose: 'Оплата  Заказа' }), print({ purpose: 'оплата заказа' }))
  assert.notEqual(print({ payerName: 'a', payerTaxId: 'b' }), print({ payerName: 'ab', payerTaxId: '' }))
})
