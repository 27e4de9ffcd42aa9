/** Payments whose fate was predicted from docs/money-in.md alone, told to the engine. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { cancelDeposit, confirmDeposit } from '../../src/domain/deposits/change-deposit.ts'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { expireDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { decimal } from '../../src/domain/money.ts'
import type { CsvMapping } from '../../src/domain/statements/formats/csv-mapping.ts'
import { noteMoney } from '../../src/domain/transfers/note-money.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { Refusal } from '../../src/platform/refusals.ts'
import { bankDay, dotted } from '../support/bank.ts'
import {
  by,
  importFile,
  type MoneyIn,
  naming,
  openMoneyIn,
  type PaidRow,
  type TestAccount,
} from '../support/money-in.ts'

/** Days are counted from today. `{A}` is what the payer of the deposit A is shown. */
type Row = {
  cents: number
  day: number
  text: string
  id?: string
  payerTaxId?: string
  own?: boolean
  out?: boolean
}
type Expected = { row: string; deposits?: Record<string, number> }
type Prediction = {
  title: string
  deposits: { name: string; cents: number; method: 'account' | 'card'; state: string }[]
  reports: (
    | { by: 'push'; rows: Row[] }
    | {
        by: '1c' | 'camt.053' | 'csv'
        from: number
        to: number
        made: number
        complete?: boolean
        rows: Row[]
      }
    | { by: 'note'; deposit: string; cents: number }
  )[]
  expected: (Expected[] | 'refused')[]
  atTheEnd: { deposits: Record<string, string> }
}

const predictions: Prediction[] = JSON.parse(
  await readFile(new URL('../vectors/money-in-predictions.json', import.meta.url), 'utf8'),
)

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

/** Deposits are made today; the reports come five days later, which is day 0 of a prediction. */
const ahead = 5
const dayOf = (day: number) => ahead + day

for (const { title, deposits: drawn, reports, expected, atTheEnd } of predictions)
  test(title, async () => {
    const [account, ours] = [await money.account(), await money.account()]
    const deposits: Record<string, Deposit> = {}
    for (const { name, cents, method, state } of drawn)
      deposits[name] = await madeDeposit(account, cents, { method, state })
    await money.gateway.database.shiftClock(`${ahead} days`)
    try {
      const received: Record<string, bigint> = {}
      for (const [place, report] of reports.entries()) {
        const outcome = await told(account, report, { deposits, ours: ours.number })
        const wanted = expected[place]!
        if (wanted === 'refused') assert.equal(outcome, 'refused')
        else {
          assert.notEqual(outcome, 'refused')
          assert.deepEqual(
            outcome,
            wanted.map(({ row, deposits: paid = {} }) => [
              row,
              Object.keys(paid).map((name) => deposits[name]!.id),
            ]),
            `report ${place + 1}`,
          )
          for (const { deposits: paid = {} } of wanted)
            for (const [name, cents] of Object.entries(paid))
              received[name] = (received[name] ?? 0n) + BigInt(cents)
        }
      }
      for (const [name, state] of Object.entries(atTheEnd.deposits))
        assert.equal(
          (await account.stored(deposits[name]!)).state,
          state === 'waiting' ? 'created' : state,
          name,
        )
      for (const [name, cents] of Object.entries(received))
        assert.ok((await account.stored(deposits[name]!)).receivedCents >= cents, name)
    } finally {
      await money.gateway.database.shiftClock('0')
    }
  })

async function madeDeposit(
  account: TestAccount,
  cents: number,
  { method, state }: { method: string; state: string },
) {
  const { owner } = money.gateway.database
  // A card waits for an amount once: the deposits of one amount come from earlier days.
  await owner.query(sql`delete from deposit_slots where account_id = ${account.id}`)
  const deposit = await account.deposit(cents, {
    payment_type: method === 'card' ? 'any_bank' : 'account_number',
  })
  const act = { depositId: deposit.id, ...by }
  if (state === 'canceled') await cancelDeposit(money.context, { ...act, merchantId: null })
  if (state === 'confirmed') await confirmDeposit(money.context, act)
  if (state === 'expired') {
    await owner.query(sql`update deposits set expires_at = inlet_now() where id = ${deposit.id}`)
    while ((await expireDeposits(money.context)) > 0);
  }
  // It waits, or is in its grace, until the reports have come.
  await owner.query(sql`
    update deposits
    set late_until = late_until + interval '10 days',
      expires_at = expires_at + make_interval(days => case when state = 'created' then 10 else 0 end)
    where id = ${deposit.id}`)
  return account.stored(deposit)
}

type Scene = { deposits: Record<string, Deposit>; ours: string }
type Outcome = [became: string, deposits: string[]][]

async function told(
  account: TestAccount,
  report: Prediction['reports'][number],
  { deposits, ours }: Scene,
): Promise<Outcome | 'refused'> {
  const written = ({ cents, day, text, id, payerTaxId, own, out }: Row): PaidRow => ({
    ...{ cents, day: dayOf(day), taxId: payerTaxId ?? '', isOut: out ?? false },
    purpose: text.replace(/\{(\w)\}/g, (_, name) => deposits[name]!.reference ?? naming(deposits[name]!)),
    ...(id && { id: `${account.number} ${id}` }),
    ...(own && { payerAccount: ours }),
  })
  try {
    if (report.by === 'note') {
      const { transfer } = await noteMoney(money.context, {
        ...{ depositId: deposits[report.deposit]!.id, cents: BigInt(report.cents), ...by },
      })
      return [[transfer.state, transfer.shares.map(({ depositId }) => depositId)]]
    }
    if (report.by === 'push') {
      const outcome: Outcome = []
      for (const row of report.rows.map(written)) {
        const before = new Set((await account.transfers()).map(({ id }) => id))
        const taken = await account.tell(row)
        const made = (await account.transfers()).find(({ id }) => !before.has(id))
        const became = made?.state ?? (taken.paired > 0 ? 'paired' : 'known')
        outcome.push([became, made?.shares.map(({ depositId }) => depositId) ?? []])
      }
      return outcome
    }
    const { from, to, made, complete: isComplete = false } = report
    const rows = report.rows.map(written)
    const options = { isComplete, previewed: rows.length }
    const { preview } =
      report.by === 'csv'
        ? await importFile(money.context, tableOf(rows), {
            mapping: mappingOf(account.number),
            mappingName: 'The bank',
            ...options,
          })
        : await account.file(rows, {
            ...{ format: report.by === '1c' ? '1c' : 'camt', note: newId().slice(0, 30), ...options },
            ...{ from: dayOf(from), to: dayOf(to), closes: made > to },
          })
    return preview.map(({ becomes, deposits }) => [becomes === 'seen' ? 'known' : becomes, deposits])
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'other_source_counts') return 'refused'
    assert.equal((error.details.detail as { code?: string }).code, 'money_is_known_as')
    return [['known', []]]
  }
}

const mappingOf = (account: string): CsvMapping => ({
  ...{ encoding: 'utf-8', separator: ';', skipRows: 0, dateFormat: 'dd.mm.yyyy', account },
  header: ['Дата', 'Сумма', 'ИНН', 'Назначение'],
  columns: { date: 0, amount: 1, payerTaxId: 2, purpose: [3] },
})

const tableOf = (rows: readonly PaidRow[]) =>
  Buffer.from(
    [
      mappingOf('').header.join(';'),
      ...rows.map(({ cents, day, taxId, purpose }) =>
        [dotted(bankDay(day!)), decimal(BigInt(cents)), taxId, purpose].join(';'),
      ),
    ].join('\n'),
  )
