/** Orders and halves in which banks report one payment, found by looking for money that is invented or lost. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { payByFakeBank } from '../../src/domain/sandbox/fake-bank.ts'
import { ImportStopped } from '../../src/domain/statements/import-statement.ts'
import { beginUndo, undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import { markDuplicate, matchByHand } from '../../src/domain/transfers/decide-transfer.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { many } from '../support/attempts.ts'
import { accountOf, depositContextOf, importBytes, today, transferTo } from '../support/bank.ts'
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
let amount = 8_000_000
const created = async (): Promise<Deposit> => {
  const { status, body } = await shop.create({ payment_type: 'account_number', cents: ++amount })
  assert.equal(status, 201, JSON.stringify(body))
  return stored(body.id)
}
const stored = async (id: string): Promise<Deposit> =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit
const stateOf = async ({ id }: Deposit) => (await stored(id)).state

const decimal = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

type Payment = {
  cents: bigint
  purpose: string
  id?: string
  number?: string
  name?: string
  account?: string
}
const paymentOf = (deposit: Deposit): Payment => ({
  cents: deposit.amountCents,
  purpose: deposit.shown!.payment_reason!,
  number: `N${deposit.amountCents}`,
  name: 'Иванова Анна',
  account: '40817810000000000001',
})

const details = ({ id, number, cents, name, account, purpose }: Payment) => `<TxDtls>
<Refs>${id ? `<AcctSvcrRef>${id}</AcctSvcrRef>` : ''}<EndToEndId>${number ?? 'NOTPROVIDED'}</EndToEndId></Refs>
<Amt Ccy="RUB">${decimal(cents)}</Amt><RltdPties><Dbtr><Nm>${name ?? ''}</Nm></Dbtr>
${account ? `<DbtrAcct><Id><Othr><Id>${account}</Id></Othr></Id></DbtrAcct>` : ''}</RltdPties>
<RmtInf><Ustrd>${purpose}</Ustrd></RmtInf></TxDtls>`

type Ntry = {
  reference?: string
  number?: string
  payments: readonly Payment[]
  isWhole?: boolean
  isReversal?: boolean
}
const entry = ({ reference, number, payments, isWhole = false, isReversal = false }: Ntry) => `<Ntry>
${number ? `<NtryRef>${number}</NtryRef>` : ''}
<Amt Ccy="RUB">${decimal(payments.reduce((sum, payment) => sum + payment.cents, 0n))}</Amt>
<CdtDbtInd>${isReversal ? 'DBIT' : 'CRDT'}</CdtDbtInd>${isReversal ? '<RvslInd>true</RvslInd>' : ''}<Sts>BOOK</Sts>
<BookgDt><Dt>${today()}</Dt></BookgDt>${reference ? `<AcctSvcrRef>${reference}</AcctSvcrRef>` : ''}
${isWhole ? '<AddtlNtryInf>Реестр</AddtlNtryInf>' : `<NtryDtls>${payments.map(details).join('')}</NtryDtls>`}</Ntry>`

const camt = (...entries: readonly Ntry[]) => `<?xml version="1.0" encoding="UTF-8"?><Document><BkToCstmrStmt>
<GrpHdr><MsgId>${newId()}</MsgId></GrpHdr><Stmt><Acct><Id><Othr><Id>${own}</Id></Othr></Id><Ccy>RUB</Ccy></Acct>
${entries.map(entry).join('')}</Stmt></BkToCstmrStmt></Document>`

const take = (text: string, more: object = {}) => {
  const bytes = Buffer.from(text)
  return importBytes(context, bytes, { name: 'day.xml', anyway: true, ...more })
}

const undo = async (statementId: string) => {
  const who = { actor: 'operator:test', personId: null, requestId: null }
  await beginUndo(gateway.db, { statementId, reason: 'wrong', by: who })
  return undoStatement(context, { statementId, by: who })
}

const push = async (id: string, { cents, purpose, number, name, account }: Payment, more: object = {}) => {
  const facts = { document_number: number ?? '', payer_name: name ?? '', payer_account: account ?? '' }
  const body = { id, account: own, cents: Number(cents), currency: 'RUB', booked_on: today(), purpose }
  const answer = await fetch(`${gateway.url}/api/v1/bank/transfers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...facts, ...more }),
  })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Record<string, number>
}

/** What is on the books of these amounts: one line for each transfer that counts or could. */
const counted = async (...cents: bigint[]) => {
  const rows = await gateway.db.query<{ state: string; cents: bigint }>(sql`
    select state, cents
    from transfers
    where cents = any(${cents}::bigint[]) and state not in ('duplicate', 'revoked', 'debit')
    order by cents, state`)
  return rows.map(({ state, cents }) => `${state} ${cents}`)
}
const lastOf = async (cents: bigint, state: string) => {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from transfers where cents = ${cents} and state = ${state} order by id desc limit 1`,
  )
  return (await readTransfer(gateway.db, row!.id))!
}

test('payments pushed one by one, then reported in parts and as one sum, count once', async () => {
  const deposits = [await created(), await created()]
  const payments = deposits.map(paymentOf)
  const reference = newId()
  for (const payment of payments) await push(newId(), payment)
  assert.partialDeepStrictEqual((await take(camt({ reference, payments }))).taken, { duplicate: 2 })
  const { taken } = await take(camt({ reference, payments, isWhole: true }))
  assert.deepEqual(
    await counted(payments.reduce((sum, payment) => sum + payment.cents, 0n)),
    [],
    JSON.stringify(taken),
  )
})

test('a sum that another file reports in parts survives the undo of that file', async () => {
  const deposits = [await created(), await created()]
  const payments = deposits.map(paymentOf)
  const reference = newId()
  const parts = await take(camt({ reference, payments }))
  await take(camt({ reference, payments, isWhole: true }))
  await undo(parts.statement)
  const left = await counted(...payments.map(({ cents }) => cents))
  assert.equal(left.length, 2, 'the bank still reports this money in another file')
})

test('parts that repeat a sum all come back when the file of the sum is undone', async () => {
  const deposit = await created()
  const [one, other] = [
    { cents: 41_000_001n, purpose: 'a', number: 'p1' },
    { cents: 41_000_002n, purpose: 'b', number: 'p2' },
  ]
  const reference = newId()
  const whole = await take(camt({ reference, payments: [one, other], isWhole: true }))
  const { transfer } = await lastOf(one.cents + other.cents, 'unmatched')
  // A person gives the sum to a deposit: then its parts are repetitions.
  await matchByHand(context, { ...by, transferId: transfer.id, depositId: deposit.id })
  assert.partialDeepStrictEqual((await take(camt({ reference, payments: [one, other] }))).taken, {
    duplicate: 2,
  })
  await undo(whole.statement)
  assert.deepEqual(await counted(one.cents, other.cents), ['ambiguous 41000001', 'ambiguous 41000002'])
})

test('a payment that two files word differently survives the undo of the first', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  const reference = newId()
  const first = await take(camt({ reference, payments: [payment] }))
  assert.partialDeepStrictEqual(
    (await take(camt({ reference, payments: [{ ...payment, name: 'ИВАНОВА А.' }] }))).taken,
    { seen: 1, taken: 0 },
  )
  await undo(first.statement)
  assert.deepEqual(await counted(payment.cents), [`matched ${payment.cents}`])
})

test('a payment that is reported again after an undo, worded differently, waits for a person', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  const reference = newId()
  const first = await take(camt({ reference, payments: [payment] }))
  await undo(first.statement)
  const { taken } = await take(camt({ reference, payments: [{ ...payment, name: 'ИВАНОВА А.' }] }))
  assert.partialDeepStrictEqual(taken, { taken: 1, ambiguous: 1 })
  assert.deepEqual(await counted(payment.cents), [`ambiguous ${payment.cents}`])
})

test('a part of an entry that a stopped import had not reached is no repetition of the parts before it', async () => {
  const deposits = [await created(), await created()]
  const cents = 43_000_000n
  const reference = newId()
  const payments = deposits.map((deposit, index) => ({
    ...{ cents, id: newId(), number: `q${index}` },
    purpose: `Другое ${deposit.amountCents}`,
  }))
  const others = Array.from({ length: 999 }, (_, index) => ({
    reference: newId(),
    payments: [{ cents: 44_000_000n + BigInt(index), purpose: 'x', number: `o${index}` }],
  }))
  const stop = new AbortController()
  const progress = ({ phase }: { phase: string }) => phase === 'matching' && stop.abort()
  await assert.rejects(
    take(camt(...others, { reference, payments }), { signal: stop.signal, progress }),
    ImportStopped,
  )
  assert.equal((await counted(cents)).length, 1)
  await take(camt({ reference, payments }))
  assert.equal((await counted(cents)).length, 2)
})

test('a pushed payment is revoked when a file has it together with its revocation', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  await push(newId(), payment)
  assert.equal(await stateOf(deposit), 'confirmed')
  const reference = newId()
  await take(camt({ reference, payments: [payment] }, { reference, payments: [payment], isReversal: true }))
  assert.equal(await stateOf(deposit), 'reversed')
})

test('a revocation of a payment that may repeat a pushed one waits for a person', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  await push(newId(), { ...payment, number: '', account: '' })
  assert.equal(await stateOf(deposit), 'confirmed')
  const reference = newId()
  const { taken } = await take(
    camt({ reference, payments: [payment] }, { reference, payments: [payment], isReversal: true }),
  )
  assert.equal(taken.reversal, 1, JSON.stringify(taken))
})

test('parts of a revoked entry wait for a person', async () => {
  const deposits = [await created(), await created()]
  const payments = deposits.map(paymentOf)
  const reference = newId()
  await take(camt({ reference, payments, isWhole: true }))
  await take(camt({ reference, payments, isWhole: true, isReversal: true }))
  await take(camt({ reference, payments }))
  for (const deposit of deposits) assert.equal(await stateOf(deposit), 'created')
})

test('revoking a repetition of a repetition revokes the payment that counts', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  await take(camt({ reference: newId(), payments: [payment] }))
  assert.equal(await stateOf(deposit), 'confirmed')
  const { transfer: counts } = await lastOf(payment.cents, 'matched')
  const other = { ...payment, account: '40817810000000000777', number: 'other', purpose: 'другое' }
  const late = newId()
  await take(camt({ reference: newId(), payments: [other] }))
  await push(late, other)
  const [between] = await gateway.db.query<{ id: string }>(
    sql`select duplicate_of as id from transfers where bank_id = ${late}`,
  )
  assert(between!.id)
  await markDuplicate(context, { ...by, transferId: between!.id, duplicateOf: counts.id })
  await push(late, other, { version: 2, revoked: true })
  assert.equal(await stateOf(deposit), 'reversed')
})

test('a revocation counts, also under the same version', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  const id = newId()
  await push(id, payment)
  const answer = await push(id, payment, { revoked: true })
  assert.deepEqual([await stateOf(deposit), answer.undone], ['reversed', 1])
  // Reported once more, it has ended already.
  assert.partialDeepStrictEqual(await push(id, payment), { seen: 1, taken: 0 })
  assert.partialDeepStrictEqual(await push(id, payment, { revoked: true }), { seen: 1, undone: 0 })
})

test('a payment that the bank revoked before it reported it waits for a person, by push and by file', async () => {
  const isReversal = { direction: 'debit', revoked: true }
  const file = (payment: Payment, more: object = {}) =>
    take(camt({ reference: newId(), payments: [payment], ...more }))
  const ways: [
    name: string,
    reverse: (payment: Payment) => Promise<unknown>,
    pay: (payment: Payment) => Promise<unknown>,
  ][] = [
    ['by document', (payment) => push(newId(), payment, isReversal), (payment) => push(newId(), payment)],
    [
      'by id',
      (payment) => push(`id ${payment.cents}`, payment, isReversal),
      (payment) => push(`id ${payment.cents}`, payment),
    ],
    ['in two files', (payment) => file(payment, { isReversal: true }), (payment) => file(payment)],
    [
      'file, then push',
      (payment) => file(payment, { isReversal: true }),
      (payment) => push(newId(), payment),
    ],
  ]
  for (const [name, reverse, pay] of ways) {
    const deposit = await created()
    const payment = paymentOf(deposit)
    await reverse(payment)
    await pay(payment)
    assert.equal(await stateOf(deposit), 'created', name)
    const { decisions } = await lastOf(payment.cents, 'ambiguous')
    assert.equal(decisions.at(-1)!.rule, 'told_of_revoked', name)
  }
})

test('control: money of somebody else, or of a later day than the reversal, is not taken for the revoked payment', async () => {
  const [deposit, other] = [await created(), await created()]
  await push(newId(), { ...paymentOf(deposit), number: 'R77' }, { direction: 'debit', revoked: true })
  await push(newId(), paymentOf(deposit))
  assert.equal(await stateOf(deposit), 'confirmed')
  const dayBefore = new Date(Date.parse(today()) - 86_400_000).toISOString().slice(0, 10)
  const early = { direction: 'debit', revoked: true, booked_on: dayBefore }
  await push(newId(), paymentOf(other), early)
  await push(newId(), paymentOf(other))
  assert.equal(await stateOf(other), 'confirmed')
})

test('entries that are numbered per file are not merged by number and amount', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  await take(camt({ number: '1', payments: [{ ...payment, number: 'w1' }] }))
  const { taken } = await take(
    camt({
      number: '1',
      payments: [{ ...payment, number: 'w2', purpose: 'За другое', account: '40817810000000007777' }],
    }),
  )
  assert.partialDeepStrictEqual(taken, { taken: 1, duplicate: 0 })
})

test('a short id of a bank is used again on another day', async () => {
  const payment = { cents: 45_000_001n, purpose: 'x', number: 'd1' }
  const short = 'A17'
  await take(camt({ reference: short, payments: [payment] }))
  const day = new Date(Date.parse(today()) - 86_400_000).toISOString().slice(0, 10)
  const file = camt({ reference: short, payments: [{ ...payment, number: 'd2', name: 'Другой' }] })
  const { taken } = await take(file.replace(`<Dt>${today()}</Dt>`, `<Dt>${day}</Dt>`))
  assert.partialDeepStrictEqual(taken, { taken: 1, seen: 0 })
})

test('the number of a document alone does not make two payers one', async () => {
  const payment = { cents: 46_000_001n, purpose: 'за март', number: '15', name: 'Иванов Пётр' }
  await push(newId(), payment)
  const { taken } = await take(
    camt({ reference: newId(), payments: [{ ...payment, name: 'Сидоров Олег', purpose: 'за апрель' }] }),
  )
  assert.partialDeepStrictEqual(taken, { taken: 1, duplicate: 0, ambiguous: 1 })
})

test('a repetition whose import is undone and taken again is the same repetition', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  await push(newId(), payment)
  const file = camt({ reference: newId(), payments: [payment] })
  const { statement, taken } = await take(file)
  assert.equal(taken.duplicate, 1)
  await undo(statement)
  assert.partialDeepStrictEqual((await take(file)).taken, { duplicate: 1, ambiguous: 0 })
  assert.deepEqual(await counted(payment.cents), [`matched ${payment.cents}`])
})

test('a repeated first part is not taken for the rest, although the amounts are equal', async () => {
  const deposit = await created()
  const half = { ...paymentOf(deposit), cents: deposit.amountCents / 2n }
  const even = deposit.amountCents % 2n === 0n ? deposit : await created()
  const cents = even.amountCents / 2n
  const name = { ...half, cents, purpose: even.shown!.payment_reason!, number: '', account: '' }
  await push(newId(), name, { payer_tax_id: '7700000009' })
  const file = camt({ reference: newId(), payments: [{ ...name, number: 'z9', purpose: 'Пополнение' }] })
  const taxed = file.replace('</Nm>', '</Nm><Id><OrgId><Othr><Id>7700000009</Id></Othr></OrgId></Id>')
  assert.partialDeepStrictEqual((await take(taxed)).taken, { matched: 0, ambiguous: 1 })
  assert.equal(await stateOf(even), 'created')
})

test('an entry that names one of its payments only is not all for that one', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  const file = camt({ reference: newId(), payments: [payment] })
  const sum = `<Amt Ccy="RUB">${decimal(payment.cents)}</Amt>\n<CdtDbtInd>`
  assert.ok(file.includes(sum))
  const whole = sum.replace(decimal(payment.cents), decimal(payment.cents * 3n))
  const report = await take(file.replace(sum, whole))
  assert.partialDeepStrictEqual(report, { badRows: 1, entries: 0 })
  assert.equal(`${report.bad[0]!.detail}`, 'The transactions of the entry do not add up to its amount.')
  // What the bank has kept of it for itself is no payment of anybody's.
  const less = await take(
    file.replace(sum, sum.replace(decimal(payment.cents), decimal(payment.cents - 100n))),
  )
  assert.partialDeepStrictEqual(less, { badRows: 0, entries: 1 })
  const ordered = file.replace(/(<TxDtls>[\s\S]*?)Ccy="RUB">[\d.]+/, '$1Ccy="EUR">10.00')
  assert.partialDeepStrictEqual(await take(ordered), { badRows: 0, entries: 1 })
})

test('a corrected file corrects what the earlier file repeated of a push', async () => {
  const deposit = await created()
  const payment = paymentOf(deposit)
  await push(newId(), payment)
  const file = (purpose: string) => camt({ number: `${newId()}`, payments: [{ ...payment, purpose }] })
  assert.partialDeepStrictEqual((await take(file(payment.purpose))).taken, { duplicate: 1 })
  const { taken } = await take(file(`${payment.purpose} уточнено`))
  assert.partialDeepStrictEqual(taken, { matched: 0, ambiguous: 1 })
  assert.deepEqual((await stored(deposit.id)).labels, [])
})

test('a corrected file corrects what the earlier file repeated of a push, also without document numbers', async () => {
  const deposit = await created()
  const { number: _none, ...payment } = paymentOf(deposit)
  await push(newId(), payment)
  const table = (purpose: string) =>
    [
      'Дата;Сумма;Счёт;Назначение',
      `${today()};${decimal(payment.cents)};${payment.account};${purpose}`,
      '',
    ].join('\r\n')
  const mapping = {
    ...{ encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'yyyy-mm-dd', account: own },
    ...{
      header: ['Дата', 'Сумма', 'Счёт', 'Назначение'],
      columns: { date: 0, amount: 1, payerAccount: 2, purpose: [3] },
    },
  }
  assert.partialDeepStrictEqual((await take(table(payment.purpose), { mapping })).taken, { duplicate: 1 })
  const { taken } = await take(table(`${payment.purpose} уточнено`), { mapping })
  assert.partialDeepStrictEqual(taken, { matched: 0, ambiguous: 1 })
  assert.deepEqual((await stored(deposit.id)).labels, [])
})

test('a payment in two tables of one bank counts once: with a number and a card in one, with an account in the other', async () => {
  const table = (columns: Record<string, number | number[]>, ...rows: string[][]) => {
    const header = Object.keys(columns)
    const layout = { encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'yyyy-mm-dd', account: own }
    const lines = [header, ...rows].map((cells) => cells.join(';'))
    return take([...lines, ''].join('\r\n'), { mapping: { ...layout, header, columns } })
  }
  const numbered = { date: 0, amount: 1, payerAccount: 2, documentNumber: 3, purpose: [4] }
  const bare = { date: 0, amount: 1, payerAccount: 2, purpose: [3] }
  const [deposit, other] = [await created(), await created()]
  const cellsOf = ({ amountCents }: Deposit) => [today(), decimal((amountCents + 1n) / 2n)]
  const { purpose } = paymentOf(deposit)
  const known = await table(numbered, [...cellsOf(deposit), '2200123412341234', '77', purpose])
  assert.equal(known.taken.matched, 1)
  const again = await table(bare, [...cellsOf(deposit), '40817810000000000001', `СБП: ${purpose}`])
  assert.partialDeepStrictEqual(again.taken, { matched: 0, ambiguous: 1 })
  assert.equal((await stored(deposit.id)).state, 'created')
  // Of another payer's account it is another payment.
  for (const payer of ['40817810000000000001', '40817810000000000002']) {
    const { taken } = await table(bare, [...cellsOf(other), payer, paymentOf(other).purpose])
    assert.equal(taken.matched, 1)
  }
  assert.equal((await stored(other.id)).state, 'confirmed')
})

test('the test bank gives no merchant the rest of what another one is paid', async () => {
  const other = await openShop(gateway)
  const theirs = (await shop.create({ cents: 1_500_000 })).body
  const ours = (await other.create({ cents: 1_700_000 })).body
  // Two deposits may have the same test payer by chance.
  const { sent } = await payByFakeBank(context, { depositId: ours.id, cents: 1n, purpose: 'Перевод' })
  const { accountId, payerName, payerAccount } = sent[0]!.transfer
  assert.equal(await accountOf(gateway, theirs.id), accountId)
  const transferId = await transferTo(gateway, accountId, { cents: 1_000_000n, payerName, payerAccount })
  await matchByHand(context, { ...by, transferId, depositId: theirs.id })
  const paid = payByFakeBank(context, { depositId: ours.id, cents: 500_000n, purpose: 'Перевод' })
  await assert.rejects(paid, { code: 'state_conflict' })
  assert.equal((await stored(theirs.id)).state, 'created')
})

test('a number of its file and an amount are not enough to drop a payment of another payer', async () => {
  const payment = { cents: 47_000_001n, purpose: 'за март', name: 'Иванов Пётр' }
  const other = { ...payment, purpose: 'за апрель', name: 'Сидоров Олег' }
  await take(camt({ number: '1', payments: [payment] }))
  assert.partialDeepStrictEqual((await take(camt({ number: '1', payments: [other] }))).taken, {
    ...{ taken: 1, duplicate: 0, seen: 0 },
  })
  const [first, second] = [payment, other].map((source) => ({ ...source, cents: 47_000_002n }))
  await take(camt({ reference: '1', payments: [first!] }))
  assert.partialDeepStrictEqual((await take(camt({ reference: '1', payments: [second!] }))).taken, {
    ...{ taken: 1, ambiguous: 1, seen: 0 },
  })
  const iso = today().replaceAll('-', '').slice(2)
  const swift = ({ purpose, name }: Payment) =>
    [
      ...[':20:X', `:25:${own}`, ':28C:1/1', `:60F:C${iso}RUB0,00`],
      ...[`:61:${iso}${iso.slice(2)}C470000,03NTRFNONREF//1`, `:86:/NAME/${name}/REMI/${purpose}`],
      ...[`:62F:C${iso}RUB470000,03`, ''],
    ].join('\r\n')
  await take(swift(payment))
  assert.partialDeepStrictEqual((await take(swift(other))).taken, { taken: 1, ambiguous: 1, seen: 0 })
})

test('a sum that another file replaced by its parts is there again when both were undone and it is imported again', async () => {
  const payments = [await created(), await created()].map(paymentOf)
  const total = payments.reduce((sum, payment) => sum + payment.cents, 0n)
  const reference = newId()
  const [whole, parts] = [camt({ reference, payments, isWhole: true }), camt({ reference, payments })]
  const first = await take(whole)
  const second = await take(parts)
  await undo(first.statement)
  await undo(second.statement)
  assert.deepEqual(await counted(total, ...payments.map(({ cents }) => cents)), [])
  assert.partialDeepStrictEqual((await take(whole)).taken, { taken: 1, seen: 0, ambiguous: 1 })
  assert.deepEqual(await counted(total), [`ambiguous ${total}`])
})

test('a payment that another file reversed is there again when both were undone and it is imported again', async () => {
  const payment = paymentOf(await created())
  const reference = newId()
  const file = camt({ reference, payments: [payment] })
  const first = await take(file)
  const second = await take(camt({ reference, payments: [payment], isReversal: true }))
  await undo(first.statement)
  await undo(second.statement)
  assert.partialDeepStrictEqual((await take(file)).taken, { taken: 1, seen: 0, ambiguous: 1 })
})

test('two payments reported in any order, in parts and as a sum, undone and imported again are never counted twice or lost', async () => {
  const steps = fc.array(fc.nat(6), { minLength: 4, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(steps, async (asked) => {
      const deposits = [await created(), await created()]
      const payments = deposits.map(paymentOf)
      const [reference, total] = [newId(), payments[0]!.cents + payments[1]!.cents]
      const otherwise = payments.map((payment) => ({
        ...payment,
        id: newId(),
        purpose: `${payment.purpose} .`,
      }))
      const texts = [
        camt({ reference, payments, isWhole: true }),
        camt({ reference, payments }),
        camt({ reference, payments: otherwise }),
        camt(...payments.map((payment, at) => ({ number: `${at + 1}`, payments: [payment] }))),
      ]
      const files = new Map<string, string>()
      const ids = [newId(), newId()]
      const pushed = new Set<number>()
      for (const step of asked) {
        const [text] = files.keys()
        if (step < 2) {
          await push(ids[step]!, payments[step]!)
          pushed.add(step)
        } else if (step < 6) files.set(texts[step - 2]!, (await take(texts[step - 2]!)).statement)
        else if (text) {
          await undo(files.get(text)!)
          files.delete(text)
        }
        for (const deposit of deposits) assert.ok(!(await stored(deposit.id)).labels.includes('overpaid'))
        const rows = await counted(...payments.map(({ cents }) => cents), total)
        for (const [at, { cents }] of payments.entries())
          if (pushed.has(at) || files.size > 0)
            assert.ok(
              rows.some((row) => row.endsWith(` ${cents}`) || row.endsWith(` ${total}`)),
              'lost',
            )
      }
    }),
    { numRuns: many(30, 12) },
  )
})
