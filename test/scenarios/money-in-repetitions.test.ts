/** One payment is counted once, however and how often banks report it. A person decides about doubtful reports. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import {
  declareGenuine,
  markDuplicate,
  matchByHand,
  revokeByHand,
  setAside,
} from '../../src/domain/transfers/decide-transfer.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, dotted, importBytes, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
let token: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  context = depositContextOf(gateway)
  token = (await addSource(gateway.db, { name: 'push', mode: 'test' })).token
})

const own = '40702810300000000042'
const by = { actor: 'operator:test', reason: 'looked at it' }
let amount = 9_000_000
const created = async (cents = ++amount): Promise<Deposit> => {
  const { status, body } = await shop.create({ payment_type: 'account_number', cents })
  assert.equal(status, 201, JSON.stringify(body))
  return stored(body.id)
}
const stored = async (id: string): Promise<Deposit> =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit
const standing = async ({ id }: Deposit) => {
  const { state, receivedCents } = await stored(id)
  return [state, receivedCents]
}

const decimal = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

type Payment = {
  cents: bigint
  purpose: string
  number?: string
  id?: string
  from?: string
  account?: string
}

const take = (text: string, anyway = true) => {
  const bytes = Buffer.from(text)
  return importBytes(context, bytes, { name: 'day', anyway })
}

/** An entry of camt with its payments: one, or several with amounts of their own. */
const entry = (reference: string, payments: readonly Payment[], isSplit: boolean, by = 'AcctSvcrRef') => {
  const total = payments.reduce((sum, payment) => sum + payment.cents, 0n)
  const details = isSplit
    ? payments
        .map(
          (
            one,
          ) => `<TxDtls><Refs>${one.id ? `<AcctSvcrRef>${one.id}</AcctSvcrRef>` : ''}<EndToEndId>${one.number ?? 'NOTPROVIDED'}</EndToEndId></Refs>
<Amt Ccy="RUB">${decimal(one.cents)}</Amt><RltdPties><Dbtr><Nm>${one.from ?? 'Иванова Анна'}</Nm></Dbtr></RltdPties>
<RmtInf><Ustrd>${one.purpose}</Ustrd></RmtInf></TxDtls>`,
        )
        .join('')
    : ''
  return `<Ntry>${by === 'NtryRef' ? `<NtryRef>${reference}</NtryRef>` : ''}<Amt Ccy="RUB">${decimal(total)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>${today()}</Dt></BookgDt>${by === 'AcctSvcrRef' ? `<AcctSvcrRef>${reference}</AcctSvcrRef>` : ''}
${isSplit ? `<NtryDtls>${details}</NtryDtls>` : '<AddtlNtryInf>Реестр платежей</AddtlNtryInf>'}</Ntry>`
}
const camt = (kind: '053' | '054', entries: string[]) => {
  const [outer, inner] = kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
  return `<?xml version="1.0" encoding="UTF-8"?><Document><${outer}><GrpHdr><MsgId>${newId()}</MsgId></GrpHdr><${inner}>
<Acct><Id><Othr><Id>${own}</Id></Othr></Id><Ccy>RUB</Ccy></Acct>${entries.join('')}</${inner}></${outer}></Document>`
}

const oneC = (rows: readonly Payment[]) =>
  [
    '1CClientBankExchange',
    `РасчСчет=${own}`,
    'СекцияРасчСчет',
    `ДатаНачала=${dotted(today())}`,
    `ДатаКонца=${dotted(today())}`,
    `РасчСчет=${own}`,
    `ВсегоПоступило=${decimal(rows.reduce((sum, row) => sum + row.cents, 0n))}`,
    'КонецРасчСчет',
    ...rows.flatMap((row) => [
      'СекцияДокумент=Платежное поручение',
      `Номер=${row.number ?? row.cents}`,
      `Дата=${dotted(today())}`,
      `Сумма=${decimal(row.cents)}`,
      `ПлательщикСчет=${row.account ?? '40817810000000000001'}`,
      `Плательщик1=${row.from ?? 'Иванова Анна'}`,
      `ПолучательСчет=${own}`,
      `ДатаПоступило=${dotted(today())}`,
      `НазначениеПлатежа=${row.purpose}`,
      'КонецДокумента',
    ]),
    'КонецФайла',
  ].join('\r\n')

/** A payment of a statement under an id of its own; `DBIT` takes it back. */
const asCamt = (payment: Payment, way = 'CRDT') => {
  const text = camt('053', [entry(newId(), [payment], true)])
  return way === 'CRDT' ? text : text.replace('CRDT</CdtDbtInd>', `${way}</CdtDbtInd><RvslInd>true</RvslInd>`)
}

const pushed = async (id: string, { cents, purpose }: Payment, more: object = {}, bearer = token) => {
  const payment = { id, account: own, cents: Number(cents), currency: 'RUB', booked_on: today(), purpose }
  const body = { ...payment, ...more }
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.url}/api/v1/bank/transfers`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return [answer.status, await answer.json()] as const
}

const paymentOf = (deposit: Deposit): Payment => ({
  cents: deposit.amountCents,
  purpose: deposit.shown!.payment_reason!,
})

/** What came in under a reference, and what of it counts. */
const counted = async (reference: string) => {
  const rows = await gateway.db.query<{ state: string; cents: bigint }>(sql`
    select state, sum(cents)::bigint as cents
    from transfers
    where entry_reference = ${reference} and state not in ('duplicate', 'revoked')
    group by state
    order by state`)
  return rows.map(({ state, cents }) => [state, cents])
}

for (const by of ['AcctSvcrRef', 'NtryRef']) {
  test(`an entry as a whole in camt.053 and in parts in camt.054 counts once, in either order (${by})`, async () => {
    for (const isWholeFirst of [true, false]) {
      const deposits = [await created(), await created()]
      const payments = deposits.map(paymentOf)
      const reference = newId()
      const [whole, parts] = [
        camt('053', [entry(reference, payments, false, by)]),
        camt('054', [entry(reference, payments, true, by)]),
      ]
      for (const file of isWholeFirst ? [whole, parts] : [parts, whole]) await take(file)
      for (const deposit of deposits)
        assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents], `${isWholeFirst}`)
      const total = payments.reduce((sum, payment) => sum + payment.cents, 0n)
      assert.deepEqual(await counted(reference), [['matched', total]])
    }
  })
}

test('parts with ids of their own are the parts of the same entry; a whole that contradicts them is for a person', async () => {
  const deposits = [await created(), await created()]
  const payments = deposits.map(paymentOf)
  const reference = newId()
  await take(camt('054', [entry(reference, payments, true)]))
  const named = payments.map((payment) => ({ ...payment, id: newId() }))
  await take(camt('053', [entry(reference, named, true)]))
  for (const deposit of deposits)
    assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
  const { taken } = await take(camt('052' as '053', [entry(reference, [{ cents: 5n, purpose: 'x' }], false)]))
  assert.equal(taken.ambiguous, 1)
})

test('a push and a statement with one id are one payment, also on two days', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  const reference = newId()
  assert.partialDeepStrictEqual((await pushed(reference, payment))[1], { matched: 1 })
  const file = camt('053', [entry(reference, [payment], true)]).replace(
    `<Dt>${today()}</Dt>`,
    `<Dt>${new Date(Date.parse(today()) + 86_400_000).toISOString().slice(0, 10)}</Dt>`,
  )
  assert.partialDeepStrictEqual((await take(file)).taken, { taken: 1, duplicate: 1, matched: 0 })
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
})

/** The statement of the next day has the payment: other banks of the chain were slow. */
const bookedTomorrow = (payment: Payment) =>
  camt('053', [entry(newId(), [payment], true)]).replace(`<Dt>${today()}</Dt>`, `<Dt>${bankDay(1)}</Dt>`)

test('half of the money, pushed today and in the statement of tomorrow, is not all of it', async () => {
  const deposit = await created(2 * ++amount)
  const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n }
  assert.partialDeepStrictEqual((await pushed(newId(), half))[1], { matched: 1 })
  assert.partialDeepStrictEqual((await take(bookedTomorrow(half))).taken, { matched: 0, ambiguous: 1 })
  assert.deepEqual(await standing(deposit), ['created', half.cents])
})

test('the other half counts, also where its push is compared with a statement of the day before', async () => {
  const deposit = await created(2 * ++amount)
  const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `H${amount}` }
  await take(oneC([half]))
  const facts = { document_number: half.number, payer_account: '40817810000000000001' }
  assert.partialDeepStrictEqual((await pushed(newId(), half, facts))[1], { duplicate: 1 })
  const next = { ...facts, document_number: '', booked_on: bankDay(1) }
  assert.partialDeepStrictEqual((await pushed(newId(), half, next))[1], { matched: 1 })
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
})

test('half of the money is not all of it where two sources write its document or payer differently', async () => {
  const other = (await addSource(gateway.db, { name: 'other', mode: 'test' })).token
  for (const [name, one, retold] of [
    ['document_number', '15', '000015'],
    ['document_number', '15', '№ 15'],
    ['payer_account', '40817810000000000001', '****0001'],
    ['payer_account', '40817810000000000001', 'RU40817810000000000001'],
    ['payer_account', '40817810000000000001', '40817************'],
  ] as const) {
    const deposit = await created(2 * ++amount)
    const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n }
    await pushed(newId(), half, { payer_account: '40817810000000000001', [name]: one })
    const again = { [name]: retold, purpose: `Зачисление ${half.purpose}` }
    assert.partialDeepStrictEqual((await pushed(newId(), half, again, other))[1], { ambiguous: 1 }, retold)
    assert.deepEqual(await standing(deposit), ['created', half.cents], retold)
    // Another document of another payer is another payment.
    const next = {
      document_number: '16',
      payer_account: '40817810000000000002',
      purpose: `Ещё ${half.purpose}`,
    }
    assert.partialDeepStrictEqual((await pushed(newId(), half, next, other))[1], { matched: 1 }, retold)
  }
})

test('half of the money is not all of it where two formats take the number of its document from two fields', async () => {
  // In camt it is what the payer chose to call the payment, in 1C the number of the order.
  const inWords = (payment: Payment, number: string) => ({
    ...payment,
    number,
    purpose: `Зачисление ${payment.purpose}`,
  })
  const asCamt = (payment: Payment) => camt('053', [entry(newId(), [inWords(payment, 'INV-77')], true)])
  const asOneC = (payment: Payment) => oneC([inWords(payment, `15${amount}`)])
  const facts = { document_number: '1501', payer_account: '40817810000000000001' }
  for (const [name, first, again] of [
    ['push, camt', (half: Payment) => pushed(newId(), half, facts), asCamt],
    ['push, 1C', (half: Payment) => pushed(newId(), half, facts), asOneC],
    [
      'camt, 1C',
      (half: Payment) => take(camt('053', [entry(newId(), [{ ...half, number: 'INV-77' }], true)])),
      asOneC,
    ],
  ] as const) {
    const deposit = await created(2 * ++amount)
    const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n }
    await first(half)
    assert.partialDeepStrictEqual((await take(again(half))).taken, { matched: 0, ambiguous: 1 }, name)
    assert.deepEqual(await standing(deposit), ['created', half.cents], name)
  }
})

test('half of the money is not all of it if one source reports the payer’s card, and the other the account', async () => {
  // The numbers of some cards begin like those of accounts, 40817…, and so may their last four digits.
  for (const card of ['2200000000001234', '4058000000001230', '405800******1230', '4081…1230', '4017']) {
    const deposit = await created(2 * ++amount)
    const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `15${amount}` }
    await pushed(newId(), half, { payer_account: card })
    const file = oneC([{ ...half, purpose: `Зачисление ${half.purpose}` }])
    assert.partialDeepStrictEqual((await take(file)).taken, { matched: 0, ambiguous: 1 }, card)
    assert.deepEqual(await standing(deposit), ['created', half.cents], card)
  }
})

test('half of the money is not all of it if one source reports the payer’s account, and the other the card or account of a bank in between', async () => {
  for (const account of [
    ...['30101810400000000225', '30232810000000005678', '40911810000000005678', '47422810000000005678'],
    ...['2200000000001234', '****1234'],
  ]) {
    const deposit = await created(2 * ++amount)
    const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `15${amount}`, account }
    await pushed(newId(), half, { payer_account: '40817810000000000001' })
    const file = oneC([{ ...half, purpose: `Зачисление ${half.purpose}` }])
    assert.partialDeepStrictEqual((await take(file)).taken, { matched: 0, ambiguous: 1 }, account)
    assert.deepEqual(await standing(deposit), ['created', half.cents], account)
  }
})

test('money that a push revoked, before or after it reported it, pays nothing when a statement reports it in other words', async () => {
  for (const versions of [[{ version: 1, revoked: true }], [{}, { version: 1, revoked: true }]]) {
    const deposit = await created(2 * ++amount)
    const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `15${amount}` }
    const id = newId()
    for (const more of versions) await pushed(id, half, { payer_account: '2200000000001234', ...more })
    const file = oneC([{ ...half, purpose: `Зачисление ${half.purpose}` }])
    assert.partialDeepStrictEqual((await take(file)).taken, { matched: 0, ambiguous: 1 })
    assert.deepEqual(await standing(deposit), ['created', 0n])
  }
})

test('the revocation of a payment that may repeat a counted one waits for a person', async () => {
  const other = (await addSource(gateway.db, { name: 'third', mode: 'test' })).token
  const facts = { payer_account: '40817810000000000001' }
  const tellings: [
    string,
    (payment: Payment, id: string) => unknown,
    (payment: Payment, id: string) => unknown,
  ][] = [
    [
      'push',
      (payment, id) => pushed(id, payment, facts, other),
      (payment, id) => pushed(id, payment, { ...facts, version: 1, revoked: true }, other),
    ],
    ['camt', (payment) => take(asCamt(payment)), (payment) => take(asCamt(payment, 'DBIT'))],
  ]
  for (const [name, tell, takeBack] of tellings) {
    const deposit = await created()
    const payment = { ...paymentOf(deposit), number: `INV-${amount}` }
    await pushed(newId(), payment, { ...facts, document_number: `15${amount}` })
    const [id, again] = [newId(), { ...payment, purpose: `Зачисление ${payment.purpose}` }]
    await tell(again, id)
    await takeBack(again, id)
    const { transfer, decisions } = await transferOf(again.purpose, again.cents)
    assert.deepEqual([transfer.state, decisions.at(-1)!.rule], ['ambiguous', 'told_of_revoked'], name)
    // The bank repeats it, and nothing more is written.
    await takeBack(again, id)
    assert.equal((await transferOf(again.purpose, again.cents)).decisions.length, decisions.length, name)
    // As a repetition it would leave the queue, and the payment would go on counting.
    const counting = await transferOf(payment.purpose, payment.cents)
    const duplicateOf = counting.transfer.id
    await assert.rejects(markDuplicate(context, { ...by, transferId: transfer.id, duplicateOf }), {
      code: 'state_conflict',
    })
    await revokeByHand(context, { ...by, transferId: duplicateOf })
    assert.equal((await standing(deposit))[0], 'reversed')
  }
})

test('a payment that a push reported in full is not owed to the payer because of a statement of the next day', async () => {
  const deposit = await created()
  await pushed(newId(), paymentOf(deposit))
  await take(bookedTomorrow(paymentOf(deposit)))
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
})

test('a push with the id of a part of an entry is that part', async () => {
  const deposits = [await created(), await created()]
  const payments = deposits.map((deposit) => ({ ...paymentOf(deposit), id: newId() }))
  await take(camt('054', [entry(newId(), payments, true)]))
  assert.partialDeepStrictEqual((await pushed(payments[1]!.id, payments[1]!))[1], {
    duplicate: 1,
    matched: 0,
  })
  assert.deepEqual(await standing(deposits[1]!), ['confirmed', deposits[1]!.amountCents])
})

const transferOf = async (purpose: string, cents: bigint) => {
  const [row] = await gateway.db.query<{ id: string }>(sql`
    select id from transfers where purpose = ${purpose} and cents = ${cents} and direction = 'credit' order by id desc limit 1`)
  return (await readTransfer(gateway.db, row!.id))!
}

test('a corrected statement waits for a person beside what it corrects, and adds nothing', async () => {
  const deposit = await created()
  const payment = { ...paymentOf(deposit), number: `C${amount}` }
  await take(oneC([payment]))
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
  const { taken } = await take(oneC([{ ...payment, cents: payment.cents + 700n }]))
  assert.partialDeepStrictEqual(taken, { taken: 1, ambiguous: 1 })
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
  const first = await transferOf(payment.purpose, payment.cents)
  const { transfer, decisions } = await transferOf(payment.purpose, payment.cents + 700n)
  assert.deepEqual(
    [decisions[0]!.rule, (decisions[0]!.evidence as { same_as: string[] }).same_as, transfer.dueSince],
    ['correction', [first.transfer.id], null],
  )
  // Another purpose corrects it as well; a day with the same document of another payer does not.
  const words = await take(oneC([{ ...payment, purpose: `${payment.purpose} уточнено` }]))
  assert.partialDeepStrictEqual(words.taken, { ambiguous: 1 })
  const other = await created()
  const others = await take(oneC([{ ...paymentOf(other), number: payment.number, from: 'Петров Пётр' }]))
  // The account is the same one, kept masked: without a tax id it decides.
  assert.partialDeepStrictEqual(others.taken, { taken: 1 })
})

test('a file that holds the payment and another with its number corrects nothing', async () => {
  const [one, other] = [await created(), await created()]
  const number = `N${amount}`
  const first = { ...paymentOf(one), number }
  await take(oneC([first]))
  const { taken } = await take(oneC([first, { ...paymentOf(other), number }]))
  assert.partialDeepStrictEqual(taken, { taken: 1, seen: 1, matched: 1 })
  assert.deepEqual(await standing(other), ['confirmed', other.amountCents])
})

test('a suspected repetition can be marked as a duplicate, set aside without being owed, or declared genuine', async () => {
  const deposit = await created()
  const payment = { ...paymentOf(deposit), number: `S${amount}` }
  await take(oneC([payment]))
  const suspects = []
  for (const more of [1n, 2n, 3n]) {
    await take(oneC([{ ...payment, cents: payment.cents + more }]))
    suspects.push((await transferOf(payment.purpose, payment.cents + more)).transfer.id)
  }
  const [same, aside, genuine] = suspects as [string, string, string]
  const { transfer: first } = await transferOf(payment.purpose, payment.cents)

  await assert.rejects(markDuplicate(context, { ...by, transferId: same, duplicateOf: same }), {
    code: 'not_found',
  })
  await assert.rejects(markDuplicate(context, { ...by, transferId: same, duplicateOf: newId() }), {
    code: 'not_found',
  })
  const marked = await markDuplicate(context, { ...by, transferId: same, duplicateOf: first.id })
  assert.partialDeepStrictEqual(marked, { state: 'duplicate', duplicateOf: first.id, openCents: 0n })
  await assert.rejects(markDuplicate(context, { ...by, transferId: aside, duplicateOf: same }), {
    code: 'state_conflict',
  })
  // A person was wrong: it is a payment of its own after all.
  assert.equal((await declareGenuine(context, { ...by, transferId: same })).state, 'ambiguous')
  await markDuplicate(context, { ...by, transferId: same, duplicateOf: first.id })

  await setAside(context, { ...by, transferId: aside })
  const { transfer } = (await readTransfer(gateway.db, aside))!
  assert.deepEqual([transfer.state, transfer.dueSince], ['set_aside', null])

  await matchByHand(context, { ...by, transferId: genuine, depositId: deposit.id })
  assert.deepEqual((await stored(deposit.id)).labels, ['overpaid'])
  const undone = await markDuplicate(context, { ...by, transferId: genuine, duplicateOf: first.id })
  assert.equal(undone.state, 'duplicate')
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
  assert.deepEqual((await stored(deposit.id)).labels, [])
})

test('half of a deposit that a second file of the same format reports in fewer words is not its other half', async () => {
  const [deposit, other] = [await created(19_000_000), await created(19_200_000)]
  const half = ({ amountCents, shown }: Deposit, purpose = shown!.payment_reason!): Payment => ({
    ...{ cents: amountCents / 2n, number: '', purpose },
  })
  await take(oneC([half(deposit)]))
  assert.equal((await take(oneC([half(deposit, 'Перевод')]))).taken.ambiguous, 1)
  assert.deepEqual(await standing(deposit), ['created', deposit.amountCents / 2n])
  // A file that has the first half as well tells them apart.
  await take(oneC([half(other)]))
  assert.equal((await take(oneC([half(other), half(other, 'Перевод')]))).taken.matched, 1)
  assert.deepEqual(await standing(other), ['confirmed', other.amountCents])
})

const oneCOf = (day: string, rows: readonly Payment[]) => oneC(rows).replaceAll(dotted(today()), dotted(day))

test('a payment that a later file of the same format books on the next day counts once, in part and in full', async () => {
  for (const [parts, isNumbered] of [
    [2n, true],
    [2n, false],
    [1n, true],
  ] as const) {
    const deposit = await created(2 * ++amount)
    const number = isNumbered ? `D${amount}` : ''
    const part = { ...paymentOf(deposit), cents: deposit.amountCents / parts, number }
    assert.equal((await take(oneC([part]))).taken.matched, 1)
    assert.partialDeepStrictEqual((await take(oneCOf(bankDay(1), [part]))).taken, {
      matched: 0,
      ambiguous: 1,
    })
    assert.deepEqual((await stored(deposit.id)).receivedCents, part.cents)
  }
  // Another number is another payment, and so is one that a file has beside the first.
  const deposit = await created(2 * ++amount)
  const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `D${amount}` }
  await take(oneC([half]))
  assert.equal((await take(oneCOf(bankDay(1), [{ ...half, number: `E${amount}9` }]))).taken.matched, 1)
  assert.deepEqual(await standing(deposit), ['confirmed', deposit.amountCents])
})

test('a payment booked on the next day does not count again after a person marked the first file’s report as a duplicate of a push', async () => {
  const deposit = await created(2 * ++amount)
  const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `15${amount}` }
  await pushed(newId(), half, { document_number: `77${amount}`, payer_account: '40817810000000000001' })
  const { transfer: first } = await transferOf(half.purpose, half.cents)
  assert.equal((await take(oneC([half]))).taken.ambiguous, 1)
  const { transfer: again } = await transferOf(half.purpose, half.cents)
  await markDuplicate(context, { ...by, transferId: again.id, duplicateOf: first.id })
  assert.partialDeepStrictEqual((await take(oneCOf(bankDay(1), [half]))).taken, { matched: 0, ambiguous: 1 })
  assert.deepEqual(await standing(deposit), ['created', half.cents])
  // Whoever looks at it is shown the payment that counts.
  const { decisions } = await transferOf(half.purpose, half.cents)
  assert.deepEqual((decisions[0]!.evidence as { same_as: string[] }).same_as, [first.id])
})

test('a payment that was matched by its amount does not count again for the deposit that it names elsewhere', async () => {
  await gateway.database.owner.query(
    sql`update receiving_accounts set amount_matching = 'always' where number = ${own}`,
  )
  const [named, next] = [await created(4 * ++amount), await created(4 * amount)]
  /** Pushed without a name, and matched with a deposit that waits for this amount. */
  const guessed = async () => {
    const waiting = await created(++amount)
    await pushed(newId(), { cents: waiting.amountCents, purpose: 'Перевод' })
    assert.deepEqual(await standing(waiting), ['confirmed', waiting.amountCents])
    return (deposit: Deposit, purpose = paymentOf(deposit).purpose): Payment => ({
      ...{ cents: waiting.amountCents, number: `${amount}${deposit.reference}`, purpose },
    })
  }
  let report = await guessed()
  assert.partialDeepStrictEqual((await take(oneC([report(named)]))).taken, { matched: 0, ambiguous: 1 })
  assert.deepEqual(await standing(named), ['created', 0n])
  // Another row of the amount, without a name, may be of another payment.
  report = await guessed()
  await created(amount)
  assert.partialDeepStrictEqual((await take(oneC([report(named, 'Зачисление'), report(next)]))).taken, {
    matched: 0,
    ambiguous: 2,
  })
})

test('half of the money, pushed before holidays and booked after them in a statement, is not all of it', async () => {
  for (const days of [4, 13]) {
    const deposit = await created(2 * ++amount)
    const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `D${amount}` }
    await pushed(newId(), half, { document_number: `77${amount}` })
    const { taken } = await take(oneCOf(bankDay(days), [half]))
    assert.partialDeepStrictEqual(taken, { matched: 0, ambiguous: 1 }, `${days} days later`)
    assert.deepEqual(await standing(deposit), ['created', half.cents])
  }
})

test('a payment that its bank revoked pays nothing if a later file of the first format reports it in other words', async () => {
  const deposit = await created(2 * ++amount)
  const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n, number: `R${amount}`, account: '' }
  assert.equal((await take(oneC([half]))).taken.matched, 1)
  assert.equal((await take(asCamt(half, 'DBIT'))).taken.undone, 1)
  const reworded = { ...half, purpose: `${half.purpose} взнос` }
  assert.partialDeepStrictEqual((await take(oneC([reworded]))).taken, { matched: 0, ambiguous: 1 })
  assert.deepEqual(await standing(deposit), ['created', 0n])
})
