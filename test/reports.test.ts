/** `inlet report`: the books of a day and of a month, on a real database, against sums made in another way. */

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { confirmDeposit, type DepositContext, receiveMoney } from '../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../src/domain/deposits/deposit.ts'
import { expireDeposits } from '../src/domain/deposits/expire-deposits.ts'
import { findDeposit } from '../src/domain/deposits/read-store.ts'
import type { ReportAsk } from '../src/domain/reports/read-report.ts'
import type { ReportLine } from '../src/domain/reports/report.ts'
import { writeReport } from '../src/domain/reports/write-report.ts'
import { oneC } from '../src/domain/statements/formats/one-c.ts'
import { refund, setAside } from '../src/domain/transfers/decide-transfer.ts'
import type { Entry } from '../src/domain/transfers/entry.ts'
import { giveTransfer } from '../src/domain/transfers/give-transfer.ts'
import { samePayment } from '../src/domain/transfers/same-payment.ts'
import type { Source } from '../src/domain/transfers/source.ts'
import { sourceOf } from '../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../src/domain/transfers/take-transfers.ts'
import { newId } from '../src/platform/clock.ts'
import { sql } from '../src/platform/db.ts'
import { inlet as runInlet } from '../src/program.ts'
import { jsonOf } from '../src/sections/cell-values.ts'
import { reports } from '../src/sections/reports.ts'
import type { Page } from '../src/sections/section.ts'
import type { Terminal } from '../src/surfaces/command-line/command.ts'
import { accountOf, atNoon, entryTo } from './support/bank.ts'
import { atEnd } from './support/clean-up.ts'
import { assertUsageProblem, inlet } from './support/command.ts'
import { openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { officeContextOf } from './support/office.ts'

const evil = '=HYPERLINK("http://evil.example";"x")'
const by = { actor: 'operator:anna', reason: 'seen on the statement' }

let gateway: TestGateway
let shop: Shop
let other: Shop
let context: DepositContext
let push: Source
let today: string
const deposits: Record<string, string> = {}

before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const folder = await mkdtemp(join(tmpdir(), 'inlet-reports-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  Object.assign(process.env, {
    DATABASE_URL: gateway.database.url,
    INLET_MASTER_KEY: gateway.config.masterKey!.toString('base64'),
    INLET_DATA_DIR: folder,
  })
  ;[shop, other] = [await openShop(gateway), await openShop(gateway)]
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  push = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
  )
  await aDay()
})

const created = async (
  name: string,
  fields: Record<string, string | number> = {},
  from = shop,
): Promise<Deposit> => {
  const { status, body } = await from.create({ cents: 100_000, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  deposits[name] = body.id
  return (await findDeposit(gateway.db, { merchantId: from.merchant, id: body.id }))!.deposit
}

const firstRow = async <Row>(text: ReturnType<typeof sql>): Promise<Row> =>
  (await gateway.database.owner.query<Row>(text))[0]!

async function paymentOf({ id, amountCents, currency, shown }: Deposit, changes: Partial<Entry> = {}) {
  const purpose = changes.purpose ?? shown!.payment_reason ?? 'Перевод'
  return entryTo(await accountOf(gateway, id), {
    ...{ cents: amountCents, currency, bookedOn: today, documentNumber: '1', purpose },
    ...{ payerName: `Иванов Иван ${id}`, payerAccount: '40817810000000000001' },
    ...changes,
  })
}
const take = (incoming: Entry[]) => takeTransfers(context, incoming, { source: push })
const transferBy = async (bankId: string | null) =>
  (await firstRow<{ id: string }>(sql`select id from transfers where bank_id = ${bankId}`)).id

/** Exact, under, over, late, duplicate, refunded, set aside, revoked, a debit, and three by hand. */
async function aDay() {
  await gateway.database.shiftClock(atNoon(1))
  const late = await created('late')
  await gateway.database.shiftClock(atNoon(3))
  while ((await expireDeposits(context)) > 0);
  today = (await firstRow<{ day: string }>(sql`select bank_day('RUB', inlet_now()) as day`)).day
  await take([await paymentOf(late)])

  const exact = await created('exact', { order_id: evil })
  await take([await paymentOf(exact, { bankId: evil, documentNumber: '+7', payerName: '@Сумма Первая' })])
  await take([await paymentOf(await created('under'), { cents: 40_000n })])
  const over = await created('over')
  await take([await paymentOf(over, { cents: 60_000n })])
  await take([await paymentOf(over, { cents: 55_000n })])

  const twice = await created('twice')
  const entry = await paymentOf(twice, { documentNumber: '77' })
  await take([entry])
  const again = { ...entry, bankId: newId() }
  await take([again])
  const [sameAs, transferId] = [await transferBy(entry.bankId), await transferBy(again.bankId)]
  await samePayment(context, { ...by, transferId, sameAs })

  const returned = await paymentOf(await created('returned'))
  await take([returned])
  await refund(context, { ...by, transferId: await transferBy(returned.bankId), cents: null })
  const surplus = await paymentOf(await created('surplus'), { cents: 130_000n })
  await take([surplus])
  await refund(context, { ...by, transferId: await transferBy(surplus.bankId), cents: 20_000n })

  const nobody = {
    ...{ purpose: 'Перевод', purposeParts: ['Перевод'] },
    ...{ payerName: 'Петров Пётр', payerAccount: '40817810000000000777' },
  }
  const aside = await paymentOf(exact, { ...nobody, cents: 1_700n })
  await take([aside, await paymentOf(exact, { ...nobody, cents: 1_900n })])
  await setAside(context, { ...by, transferId: await transferBy(aside.bankId) })
  const parted = await paymentOf(exact, { ...nobody, cents: 2_300n })
  await take([parted])
  await refund(context, { ...by, transferId: await transferBy(parted.bankId), cents: 300n })
  const matched = await paymentOf(exact, { ...nobody, cents: 99_900n })
  await take([matched])
  const chosen = await created('chosen', {}, other)
  await giveTransfer(context, { ...by, transferId: await transferBy(matched.bankId), depositId: chosen.id })

  const gone = await paymentOf(await created('gone'))
  await take([gone])
  await take([{ ...gone, version: 2n, isReversal: true }])
  await take([await paymentOf(exact, { direction: 'debit', cents: 3_100n })])

  await confirmDeposit(context, { depositId: (await created('byHand')).id, ...by })
  await receiveMoney(context, { depositId: (await created('noted')).id, ...by, cents: 100_500n })
  const partly = await created('partly')
  await receiveMoney(context, { depositId: partly.id, ...by, cents: 30_000n })
  await take([await paymentOf(partly, { cents: 80_000n })])
  await take([
    await paymentOf(
      await created('card', { payment_type: 'any_bank', currency: 'UZS', cents: 5_000_000 }, other),
    ),
  ])

  // One merchant answered, one callback was given up, the others wait.
  await gateway.database.owner.script(`
    insert into delivery_attempts (made_on, event_id, endpoint_id, at, ms, outcome, status, node)
    select made_on, id, (select p.id from endpoints p where p.merchant_id = events.merchant_id and p.origin is null),
      made_at, 3000, 'ok', 200, gen_random_uuid()
    from events
    where deposit_id = '${deposits.exact}';
    delete from deliveries where deposit_id in ('${deposits.exact}', '${deposits.late}')`)
}

// biome-ignore lint/suspicious/noExplicitAny: tests compare the document with what it must be.
async function reported(...words: string[]): Promise<any> {
  const { code, stdout, stderr } = await inlet('report', ...words, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

/** Every line, straight from the verb. */
async function linesOf(ask: Partial<ReportAsk> = {}) {
  const lines: ReportLine[] = []
  const keep = {
    begin: () => '',
    lines: (page: readonly ReportLine[]) => {
      lines.push(...page)
      return ''
    },
    end: () => '',
  }
  const all = { period: { from: today, to: today }, merchantId: null, currency: null, mode: null, ...ask }
  const written = await writeReport(gateway.db, all, keep, async () => {})
  return { lines, ...written }
}

test('the desk has the same lines, page by page, and the same sums', async () => {
  const context = officeContextOf(gateway)
  const { lines, proofs } = await linesOf()
  const chosen = { day: today, mode: 'test' }
  const seen: string[] = []
  for (let after: string | null = null; ; ) {
    const { rows, next }: Page<ReportLine> = await reports.list(context, { chosen, after, limit: 3 })
    seen.push(...rows.map(keyOf))
    if (next === null) break
    after = next
  }
  assert.deepEqual(seen, lines.map(keyOf))
  const month = { month: today.slice(0, 7), mode: 'test' }
  assert.deepEqual(
    (await reports.list(context, { chosen: month, after: 'x', limit: 500 })).rows.map(keyOf),
    seen,
  )

  const totals = (await reports.totals!(context, chosen)).map(([[head], cell]) => [head, jsonOf(cell)])
  const amount = (cents: bigint, currency: string) => ({ cents: Number(cents), currency })
  assert.deepEqual(totals.slice(1), [
    ...proofs.flatMap((proof) => [
      ['Transfers', proof.transfers],
      ['Received', amount(proof.receivedCents, proof.currency)],
      ['With deposits', amount(proof.depositCents, proof.currency)],
      ['Refunded', amount(proof.refundCents, proof.currency)],
      ['Open', amount(proof.openCents, proof.currency)],
      ['Proof', 'holds'],
    ]),
    ['Without a transfer: 2', amount(200_500n, 'RUB')],
  ])
  const accountId = await accountOf(gateway, deposits.card!)
  const ofAccount = await reports.list(context, {
    chosen: { ...chosen, account: accountId },
    after: null,
    limit: 500,
  })
  assert.ok(ofAccount.rows.length > 0)
  assert.ok(ofAccount.rows.every(({ currency }) => currency === 'UZS'))
})

const keyOf = ({ transferId, depositId, cents, byHandCents }: ReportLine): string =>
  [transferId, depositId, cents, byHandCents].join(' ')

test('each transfer is one line, with its deposit and its callback; each confirmation by hand is one more', async () => {
  const { lines } = await linesOf()
  const names = new Map(Object.entries(deposits).map(([name, id]) => [id, name]))
  const seen = lines.map((line) => [
    line.kind,
    names.get(line.depositId ?? '') ?? null,
    line.state,
    line.rule,
    Number(line.cents),
    ...[line.depositCents, line.refundCents, line.openCents, line.surplusCents, line.byHandCents].map(Number),
    line.callback && `${line.callback.event} ${line.callback.state}`,
  ])
  const sorted = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort()
  assert.deepEqual(
    sorted(seen),
    sorted([
      ['transfer', 'late', 'matched', 'reference', 100_000, 100_000, 0, 0, 0, 0, 'deposit.confirmed failed'],
      [
        'transfer',
        'exact',
        'matched',
        'reference',
        100_000,
        100_000,
        0,
        0,
        0,
        0,
        'deposit.confirmed delivered',
      ],
      ['transfer', 'under', 'matched', 'reference', 40_000, 40_000, 0, 0, 0, 0, 'deposit.underpaid pending'],
      ['transfer', 'over', 'matched', 'reference', 60_000, 60_000, 0, 0, 0, 0, 'deposit.confirmed pending'],
      [
        'transfer',
        'over',
        'matched',
        'reference',
        55_000,
        55_000,
        0,
        0,
        15_000,
        0,
        'deposit.confirmed pending',
      ],
      ['transfer', 'twice', 'matched', 'reference', 100_000, 100_000, 0, 0, 0, 0, 'deposit.overpaid pending'],
      ['transfer', null, 'duplicate', 'same_payment', 100_000, 0, 0, 0, 0, 0, null],
      [
        'transfer',
        'returned',
        'refunded',
        'refund',
        100_000,
        0,
        100_000,
        0,
        0,
        0,
        'deposit.reversed pending',
      ],
      [
        'transfer',
        'surplus',
        'matched',
        'refund',
        130_000,
        110_000,
        20_000,
        0,
        10_000,
        0,
        'deposit.confirmed pending',
      ],
      ['transfer', null, 'set_aside', 'by_hand', 1_700, 0, 0, 1_700, 0, 0, null],
      ['transfer', null, 'unmatched', 'amount_doubt', 1_900, 0, 0, 1_900, 0, 0, null],
      ['transfer', null, 'unmatched', 'refund', 2_300, 0, 300, 2_000, 0, 0, null],
      ['transfer', 'chosen', 'matched', 'by_hand', 99_900, 99_900, 0, 0, 0, 0, 'deposit.underpaid pending'],
      ['transfer', 'gone', 'revoked', 'revoked', 100_000, 0, 0, 0, 0, 0, 'deposit.reversed pending'],
      ['transfer', null, 'debit', 'debit', 3_100, 0, 0, 0, 0, 0, null],
      [
        'transfer',
        'partly',
        'matched',
        'reference',
        80_000,
        80_000,
        0,
        0,
        10_000,
        30_000,
        'deposit.confirmed pending',
      ],
      [
        'transfer',
        'card',
        'matched',
        'amount',
        5_000_000,
        5_000_000,
        0,
        0,
        0,
        0,
        'deposit.confirmed pending',
      ],
      ['deposit', 'byHand', 'confirmed', 'by_hand', 0, 0, 0, 0, 0, 100_000, 'deposit.confirmed pending'],
      ['deposit', 'noted', 'confirmed', 'by_hand', 0, 0, 0, 0, 500, 100_500, 'deposit.confirmed pending'],
    ]),
  )
  const exact = lines.find((line) => line.depositId === deposits.exact)!
  assert.partialDeepStrictEqual(exact, {
    orderId: evil,
    merchantId: shop.merchant,
    requisite: 'account_ru •••• 0042',
    askedCents: 100_000n,
    depositState: 'confirmed',
    bankReference: evil,
    documentNumber: '+7',
    payer: 'Сумма П. 4081…0001',
    decidedBy: 'matcher',
  })
  assert.deepEqual(lines.find((line) => line.depositId === deposits.late)!.labels, ['late'])
})

test('totals and proof are the sums that the tables have, made in another way', async () => {
  const { totals, proofs, holds } = await linesOf()
  assert.ok(holds)
  const tables = await gateway.database.owner.query<Record<string, bigint | string>>(sql`
    select currency, sum(cents) filter (where state not in ('duplicate', 'revoked', 'debit'))::bigint as received,
      sum(deposit_cents)::bigint as deposits, sum(refund_cents)::bigint as refunds, sum(open_cents)::bigint as open,
      coalesce(sum(cents) filter (where state = 'duplicate'), 0)::bigint as duplicate,
      coalesce(sum(cents) filter (where state = 'revoked'), 0)::bigint as revoked,
      coalesce(sum(cents) filter (where state = 'debit'), 0)::bigint as debit
    from transfers
    group by currency
    order by currency`)
  assert.deepEqual(
    proofs.map((proof) => ({
      currency: proof.currency,
      received: proof.receivedCents,
      deposits: proof.depositCents,
      refunds: proof.refundCents,
      open: proof.openCents,
      duplicate: proof.apart.duplicate.cents,
      revoked: proof.apart.revoked.cents,
      debit: proof.apart.debit.cents,
    })),
    tables,
  )
  // Asked, surplus and what people vouched for, by the deposits themselves.
  const asked = await gateway.database.owner.query(sql`
    select d.merchant_id, d.currency, sum(d.amount_cents)::bigint as asked,
      sum(greatest(d.received_cents - d.amount_cents, 0))::bigint as surplus,
      sum(case when t.cents is null and d.received_cents = 0 then d.amount_cents
        else d.received_cents - coalesce(t.cents, 0) end)::bigint as by_hand
    from deposits d
    left join (
      select deposit_id, sum(cents)::bigint as cents from allocations group by deposit_id
    ) t on t.deposit_id = d.id
    where t.cents is not null or d.state = 'confirmed'
    group by d.merchant_id, d.currency
    order by d.merchant_id, d.currency`)
  const kept = Map.groupBy(
    totals.filter(({ merchantId }) => merchantId !== null),
    ({ merchantId, currency }) => `${merchantId} ${currency}`,
  )
  const sum = (all: bigint[]) => all.reduce((left, right) => left + right, 0n)
  assert.deepEqual(
    [...kept.values()]
      .map((all) => ({
        merchant_id: all[0]!.merchantId!,
        currency: all[0]!.currency,
        asked: sum(all.map((total) => total.askedCents)),
        surplus: sum(all.map((total) => total.surplusCents)),
        by_hand: sum(all.map((total) => total.byHandCents)),
      }))
      .sort((left, right) =>
        left.merchant_id + left.currency < right.merchant_id + right.currency ? -1 : 1,
      ),
    asked,
  )
})

test('a merchant’s report has its own lines only, and balances by itself; so has a currency’s', async () => {
  const mine = await linesOf({ merchantId: shop.merchant })
  const others = await linesOf({ merchantId: other.merchant })
  const all = await linesOf()
  assert.ok(mine.holds && others.holds)
  const nobodys = all.lines.filter(({ merchantId }) => merchantId === null)
  assert.equal(mine.lines.length + others.lines.length + nobodys.length, all.lines.length)
  assert.deepEqual([others.lines.length, nobodys.length], [2, 5])
  const uzs = await linesOf({ currency: 'UZS' })
  assert.deepEqual([uzs.holds, uzs.lines.map(({ depositId }) => depositId)], [true, [deposits.card]])
})

test('test and live money are never in one report', async () => {
  assert.deepEqual([(await linesOf()).mode, (await linesOf({ mode: 'live' })).lines], ['test', []])
  const live = await openShop(gateway, { mode: 'live' })
  try {
    const { mode, lines } = await linesOf()
    assert.deepEqual([mode, lines], ['live', []])
    assert.equal((await linesOf({ merchantId: shop.merchant })).mode, 'test')
  } finally {
    await gateway.database.owner.script(`
      delete from endpoints where merchant_id = '${live.merchant}';
      delete from api_keys where merchant_id = '${live.merchant}';
      delete from merchants where id = '${live.merchant}'`)
  }
})

test('inlet report day: today without a date, the proof at the end, nothing on the days around', async () => {
  const { code, stdout, stderr } = await inlet('report', 'day')
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(
    stdout,
    new RegExp(`^Test money of ${today}, by the days of the banks\\.\n\nbooked_on +currency`),
  )
  assert.match(
    stdout,
    /^line +currency +merchant_name +requisite +state +transfers +asked +amount +received/m,
  )
  assert.match(stdout, /^proof +RUB +– +– +holds .* 8\d{3}\.00 .* 2305\.00 +0\.00$/m)
  for (const [state, count, amount] of [
    ['duplicate', 1, '1000.00'],
    ['revoked', 1, '1000.00'],
    ['debit', 1, '31.00'],
    ['reversal', 0, '0.00'],
  ])
    assert.match(stdout, new RegExp(`^apart +RUB +– +– +${state} +${count} +– +${amount} `, 'm'))
  assert.equal((await reported('day', today)).lines.length, 19)
  for (const day of ['2020-01-01', '2099-12-31']) {
    const empty = await reported('day', day)
    assert.deepEqual([empty.lines, empty.totals, empty.proof], [[], [], []])
    assert.match((await inlet('report', 'day', day)).stdout, /No money was seen, and nothing was confirmed\./)
  }
  const { report, proof } = await reported('month', today.slice(0, 7), '--currency', 'RUB')
  assert.deepEqual(
    [report.from, report.currency, proof[0].state],
    [`${today.slice(0, 7)}-01`, 'RUB', 'holds'],
  )
})

for (const [words, sentence] of [
  ['day 2026-02-30', 'The day must be a date such as 2026-11-15.'],
  ['day 15.11.2026', 'The day must be a date such as 2026-11-15.'],
  ['day 0000-00-00', 'The day must be a date such as 2026-11-15.'],
  ['month', 'The month must be a date such as 2026-11.'],
  ['month 2026-13', 'The month must be a date such as 2026-11.'],
  ['month 2026-11-01', 'The month must be a date such as 2026-11.'],
  ['day --format xls', '--format must be one of table, csv, 1c, json.'],
  ['day --format csv --json', '--json and --format contradict each other.'],
  ['day --separator x', '--separator must be one of ;, ,.'],
  ['day --merchant x', '--merchant must be an id as printed by inlet.'],
  ['day --currency USD', '--currency must be one of RUB, UZS, KZT, TJS.'],
  ['day --mode real', '--mode must be one of live, test.'],
  ['day --merchant 00000000-0000-4000-8000-000000000000', 'not_found: There is no merchant with this id.'],
  [
    'day --out /nowhere/at/all',
    '/nowhere/at/all cannot be written: it does not exist and cannot be made there.',
  ],
] as const) {
  test(`report ${words}: "${sentence}"`, async () => {
    const { code, stdout, stderr } = await inlet('report', ...words.split(' '))
    assert.deepEqual([code, stdout], [1, ''])
    assertUsageProblem(stderr, ['report'], sentence)
  })
}

test('CSV into a file: whole when it has its name, for its owner only, and no formula in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-report-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'day.csv')
  const { code, stdout } = await inlet('report', 'day', today, '--format', 'csv', '--out', path)
  assert.deepEqual([code, stdout], [0, `written to ${path}\n`])
  assert.deepEqual(await readdir(folder), ['day.csv'])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const text = await readFile(path, 'utf8')
  assert.ok(text.startsWith('\ufeffline;booked_on;'))
  assert.equal(text.split('\r\n').filter((row) => /^(transfer|deposit);/.test(row)).length, 19)
  assert.match(text, /\r\nproof;.*;0,00;;;\r\n/)
  assert.match(text, /;"'=HYPERLINK\(""http:\/\/evil\.example"";""x""\)";/)
  assert.match(text, /;'\+7;/)
  assert.doesNotMatch(text, /(^|[;,\n])"?[=+@-](?!\d*,\d\d[;\r])/m)
  assert.doesNotMatch(text, /40817810000000000001|Иван Петрович|40702810300000000042/)
})

test('1C: the credits that settled deposits, read back by our own reader; nameless accounts are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-1c-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'day.txt')
  const { code, stderr } = await inlet('report', 'day', today, '--format', '1c', '--out', path)
  assert.equal(code, 0)
  assert.match(stderr, /^1 credits of "Demo UZS card \d+" are left out: /)
  const source = async function* () {
    yield await readFile(path)
  }
  const own = '40702810300000000042'
  const cents: bigint[] = []
  for await (const part of oneC.read(source(), {
    currencyOf: (number) => (number === own ? 'RUB' : undefined),
  })) {
    assert.ok(!('bad' in part), 'bad' in part ? `${part.bad.detail}` : '')
    if ('entry' in part) cents.push(part.entry.cents)
    if ('summary' in part) assert.equal(part.summary.creditCents, 764_900n)
  }
  const sum = cents.reduce((left, right) => left + right, 0n)
  assert.deepEqual([cents.length, sum], [9, 764_900n])
})

test('a month over the borders of pages: each transfer once, whatever its amount, and days add up to it', async () => {
  // 2,500 transfers of an account, 1,700 of them on one day with one amount: two borders lie between equals.
  await gateway.database.owner.script(`
    insert into transfers (id, source_id, account_id, direction, cents, currency, booked_on, document_number,
      payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, channel, is_sum, names,
      taken_at, told_early_at, state, open_cents)
    select gen_random_uuid(), '${push.id}', a.id, 'credit', c.cents, 'RUB', c.day, '', '', '', '', '', '', 'm' || n,
      'push', false, '{}', inlet_now(), inlet_now(), 'unmatched', c.cents
    from generate_series(1, 2500) as n
    cross join lateral (select
      case when n <= 1700 then 5000 else n end as cents,
      case when n <= 1700 then date '2024-02-14' else date '2024-02-01' + n % 29 end as day) c
    cross join (select account_id as id from deposits where id = '${deposits.exact}') a`)
  const month = await linesOf({ period: { from: '2024-02-01', to: '2024-02-29' } })
  assert.ok(month.holds)
  assert.equal(new Set(month.lines.map(({ transferId }) => transferId)).size, 2_500)
  assert.equal(month.lines.length, 2_500)
  let transfers = 0
  let cents = 0n
  for (let day = 1; day <= 29; day++) {
    const date = `2024-02-${String(day).padStart(2, '0')}`
    const { proofs } = await linesOf({ period: { from: date, to: date } })
    transfers += proofs[0]?.transfers ?? 0
    cents += proofs[0]?.receivedCents ?? 0n
  }
  assert.deepEqual([transfers, cents], [2_500, month.proofs[0]!.receivedCents])
  const { report, lines } = await reported('month', '2024-02')
  assert.deepEqual([report.to, lines.length], ['2024-02-29', 2_500])
})

test('deposits without a transfer over the borders of pages: 1,500 of one microsecond, each once', async () => {
  await gateway.database.owner.script(`
    insert into deposits (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type,
      requisite_id, account_id, shown, reference, page_token, sent, created_at, issued_at, expires_at,
      late_until, final_at)
    select gen_random_uuid(), merchant_id, 'many-' || n, flow, fingerprint, state, n, currency, payment_type,
      requisite_id, account_id, shown, 'KT' || (10000000 + n), 'many-' || n, sent, created_at, issued_at, expires_at,
      late_until, timestamptz '2024-04-10 12:00:00.123456Z'
    from deposits
    cross join generate_series(1, 1500) as n
    where id = '${deposits.byHand}'`)
  const { lines, proofs } = await linesOf({ period: { from: '2024-04-01', to: '2024-04-30' } })
  assert.equal(new Set(lines.map(({ depositId }) => depositId)).size, 1_500)
  assert.deepEqual([proofs[0]!.byHandDeposits, proofs[0]!.byHandCents], [1_500, (1_500n * 1_501n) / 2n])
})

test('a day is the bank’s: a confirmation at 21:30 UTC is of the next day in Moscow', async () => {
  const at = async (time: string, day: string) => {
    await gateway.database.owner.script(
      `update deposits set final_at = '${time}' where id = '${deposits.byHand}'`,
    )
    const { lines } = await linesOf({ period: { from: day, to: day } })
    return lines.filter(({ depositId }) => depositId === deposits.byHand).map(({ bookedOn }) => bookedOn)
  }
  const { final_at } = await firstRow<{ final_at: Date }>(
    sql`select final_at from deposits where id = ${deposits.byHand}`,
  )
  assert.deepEqual(await at('2024-03-10T20:59:59Z', '2024-03-10'), ['2024-03-10'])
  assert.deepEqual(await at('2024-03-10T21:00:00Z', '2024-03-10'), [])
  assert.deepEqual(await at('2024-03-10T21:00:00Z', '2024-03-11'), ['2024-03-11'])
  const { lines } = await linesOf({ period: { from: '2024-03-11', to: '2024-03-11' } })
  assert.equal(lines[0]!.callback!.state, 'not_kept')
  await at(final_at.toISOString(), today)
})

test('books that do not balance are reported, on standard error too, with exit code 1', async () => {
  await gateway.database.owner.script(`
    alter table transfers drop constraint transfer_balances;
    update transfers set open_cents = open_cents + 1 where bank_id = 'm1'`)
  const { code, stdout, stderr } = await inlet('report', 'month', '2024-02')
  assert.equal(code, 1)
  assert.match(stdout, / -0\.01\n(.*\n)*THE BOOKS DO NOT BALANCE: 1 transfers/)
  assert.match(stderr, /do not balance/)
})

test('a report is one snapshot: transfers taken meanwhile are not in it', async () => {
  const before = await linesOf()
  const deposit = await created('meanwhile')
  const payment = await paymentOf(deposit, { cents: 1n })
  let isTaken = false
  const pages = {
    begin: () => '',
    lines: () => '',
    end: () => '',
  }
  const ask = { period: { from: today, to: today }, merchantId: null, currency: null, mode: null }
  const written = await writeReport(gateway.db, ask, pages, async () => {
    if (!isTaken) await take([payment])
    isTaken = true
  })
  assert.deepEqual(written.proofs[0]!.transfers, before.proofs[0]!.transfers)
  assert.equal((await linesOf()).proofs[0]!.transfers, before.proofs[0]!.transfers + 1)
})

test('a reader that is gone ends the report with a sentence', async () => {
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  const stdout = Object.assign(new EventEmitter(), {
    write: () => {
      setImmediate(() => stdout.emit('error', gone))
      return false
    },
  })
  let output = ''
  const stderr = { write: (text: string) => (output += text) }
  assert.equal(
    await runInlet(['report', 'day', today], { stdout, stderr, on() {} } as unknown as Terminal),
    1,
  )
  assert.equal(output, 'The report was not finished: EPIPE.\n')
})
