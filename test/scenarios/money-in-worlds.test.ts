/**
 * The hostile worlds of `identity.ts` on real books: files, pushes, notes and undos go through the engine, and each report is
 * judged as the rule judges it alone. Nothing counts twice, nothing is lost. INLET_WORLDS runs as many as it says.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { changeVoiceWithin } from '../../src/domain/transfers/change-voice.ts'
import { type Entry, prepare } from '../../src/domain/transfers/entry.ts'
import { giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeEarly } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { by, type MoneyIn, naming, openMoneyIn, type PaidRow, type TestAccount } from '../support/money-in.ts'
import {
  dayNumber,
  faultOf,
  PaymentBook,
  type Report,
  type Row,
  rightRule,
  type Telling,
  type Transfer,
} from '../support/payment-book.ts'
import { run, type World, worlds } from '../support/payment-worlds.ts'

let money: MoneyIn
let hand: Source
before(async () => {
  money = await openMoneyIn()
  hand = await money.gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'hand', channel: 'hand' }),
  )
})

/** What a world tells, in its order, and how many rows of each report the rule holds and adds. */
type Event = (
  | { do: 'early'; voice: 'early' | 'note'; rows: readonly Row[] }
  | { do: 'snapshot'; rows: readonly Row[]; day: string }
  | { do: 'booked'; report: Report; hasLastingIds: boolean }
  | { do: 'undo'; report: number }
) & {
  held: number
  added: number
}

/** Plays a world, and notes what it told. */
function eventsOf(world: World): Event[] {
  const events: Event[] = []
  const first = new Map<string, Pick<Row['told'], 'references' | 'taxId'>>()
  // What the engine matches is what is named: amounts are not for this test. Told again under an id, a payment is the same, and the
  // engine adds nothing to it, while the book would.
  const named = (rows: readonly Row[]) =>
    rows.map((row) => {
      const { references, taxId, lastingId } = row.told
      const facts = (lastingId !== null && first.get(row.key)) || { references, taxId }
      first.set(row.key, facts)
      return { ...row, byAmount: undefined, told: { ...row.told, ...facts } }
    })
  class Noted extends PaymentBook {
    #note<Result>(event: object, act: () => Result): Result {
      const [held, count] = [this.heldRows, this.transfers.length]
      const result = act()
      events.push({ ...event, held: this.heldRows - held, added: this.transfers.length - count } as Event)
      return result
    }
    override tellEarly(told: readonly Row[], voice: 'early' | 'note'): void {
      const rows = named(told)
      this.#note({ do: 'early', voice, rows }, () => super.tellEarly(rows, voice))
    }
    override tellSnapshot(told: readonly Row[], day: string): void {
      const rows = named(told)
      this.#note({ do: 'snapshot', rows, day }, () => super.tellSnapshot(rows, day))
    }
    override tellBooked(told: Report, hasLastingIds: boolean): number {
      const report = { ...told, rows: named(told.rows) }
      return this.#note({ do: 'booked', report, hasLastingIds }, () =>
        super.tellBooked(report, hasLastingIds),
      )
    }
    override undo(report: number): void {
      this.#note({ do: 'undo', report }, () => super.undo(report))
    }
  }
  run(world, rightRule, Noted)
  return events
}

/** What the book credits, and the engine does not: sums, debits, several names; and what people do. */
const played = (world: World): World => ({
  ...world,
  ...{ hasSum: false, people: [], split: null },
  ids: world.changeDay === null && world.ids === 'lasting' ? 'lasting' : 'none',
  pushIds: world.pushIds === 'none' ? 'own' : world.pushIds,
  payments: world.payments.map((payment) => ({
    ...payment,
    isDebit: false,
    names: payment.names === 'two' ? 'own' : payment.names,
  })),
  files: world.files.map((file) => ({ ...file, taken: null })) as World['files'],
})

const taxIds: Record<string, string> = { a: '7700000009', b: '7707083893', c: '7702070139', '': '' }
const whole = 50_000_000
/** Worlds begin before their first day. */
const dayOf = (day: string) => dayNumber(day) + 3

class Books {
  readonly tellings = new Map<string, Telling[]>()
  readonly #account: TestAccount
  readonly #deposits = new Map<string, Deposit>()
  readonly #statements = new Map<number, string>()
  readonly #world: World
  #reports = 0

  constructor(account: TestAccount, world: World) {
    this.#account = account
    this.#world = world
  }

  /** Returns how many rows were held, and how many transfers there are more. */
  async play(event: Event): Promise<[held: number, added: number]> {
    if (event.do === 'undo') {
      await this.#account.undo(this.#statements.get(event.report)!)
      for (const [id, told] of this.tellings)
        this.tellings.set(
          id,
          told.filter(({ report }) => report !== event.report),
        )
      return [0, 0]
    }
    this.#reports++
    if (event.do === 'early') return this.#tellEarly(event.rows, event.voice)
    if (event.do === 'snapshot')
      return this.#import(event.rows, 'early', {
        format: 'intraday',
        from: dayOf(event.day),
        to: dayOf(event.day),
      })
    const { voice, from, to, rows } = event.report
    const isCamt = event.hasLastingIds || voice === 'new'
    const period = { from: dayOf(from), to: dayOf(to) }
    return this.#import(rows, voice, { format: isCamt ? 'camt' : '1c', ...period })
  }

  /** The booked voice begins on the first day of the world, whichever file comes first, and the new one on its own. */
  async begin(): Promise<void> {
    const { changeDay, ids } = this.#world
    const channels = [ids === 'lasting' ? 'camt' : '1c', ...(changeDay === null ? [] : ['camt'])] as const
    for (const [place, channel] of channels.entries()) {
      const { db } = money.gateway
      const { id: sourceId } = await db.transaction((tx) =>
        sourceOf(tx, { mode: 'test', kind: 'file', channel: channel as 'camt' | '1c' }),
      )
      const fromDay = this.#account.entry({ cents: 1, day: 3 + (place === 0 ? 0 : changeDay!) }).bookedOn
      const asked = { accountId: this.#account.id, role: 'booked', sourceId, fromDay, ...by } as const
      await db.transaction((tx) => changeVoiceWithin(tx, asked))
    }
  }

  async #rowOf({ told, key }: Row, hasIds: boolean): Promise<PaidRow> {
    const deposits: Deposit[] = []
    for (const name of told.references) {
      const known = this.#deposits.get(name) ?? (await this.#account.deposit(whole))
      this.#deposits.set(name, known)
      deposits.push(known)
    }
    const words = key.split('|').at(-1)!.split('#')[0]!
    return {
      ...{ cents: told.cents, day: dayOf(told.day), taxId: taxIds[told.taxId]! },
      purpose: [hasIds ? '' : words, ...deposits.map(naming)].join(' '),
      ...(hasIds && { id: told.lastingId ?? key.split('#')[0]! }),
    }
  }

  async #tellEarly(rows: readonly Row[], voice: 'early' | 'note'): Promise<[number, number]> {
    const source = voice === 'note' ? hand : this.#account.push
    const entries: Entry[] = []
    for (const row of rows) {
      const { purpose, ...facts } = await this.#rowOf(row, true)
      const id = `${this.#account.number} ${facts.id}`
      const channel = voice === 'note' ? ('hand' as const) : ('push' as const)
      entries.push(
        this.#account.entry({ ...facts, ...(purpose && { purpose }), id }, { channel, version: 0n }),
      )
    }
    const { results, taken } = await money.gateway.db.transaction((tx) =>
      takeEarly(
        tx,
        entries.map((entry) => prepare(entry)),
        { source, publicUrl: money.gateway.url },
      ),
    )
    for (const [place, { transferId, became }] of results.entries()) {
      this.#note(transferId, rows[place]!, voice)
      const names = rows[place]!.told.references
      if (voice === 'note' && became === 'new' && names.length > 0)
        await giveTransfer(money.context, { transferId, depositId: this.#deposits.get(names[0]!)!.id, ...by })
    }
    return [taken.held, taken.taken]
  }

  async #import(
    rows: readonly Row[],
    voice: Telling['voice'],
    options: { format: '1c' | 'camt' | 'intraday'; from: number; to: number },
  ): Promise<[number, number]> {
    const paid: PaidRow[] = []
    for (const row of rows) {
      const hasIds = options.format === 'camt' && row.told.lastingId !== null
      const written = await this.#rowOf(row, hasIds)
      // Ids are the bank's, and each account here has a bank of its own.
      paid.push({ ...written, ...(written.id && { id: `${this.#account.number} ${written.id}` }) })
    }
    const report = this.#reports
    const { statement, taken } = await this.#account.file(paid, { ...options, note: `${report}` })
    this.#statements.set(report, statement)
    const told = await money.gateway.db.query<{ place: number; id: string }>(
      sql`select place, transfer_id as id from report_rows where statement_id = ${statement} and transfer_id is not null`,
    )
    assert.equal(told.length, rows.length)
    for (const { place, id } of told) this.#note(id, rows[place - 1]!, voice)
    return [taken.held, taken.taken]
  }

  #note(id: string, row: Row, voice: Telling['voice']): void {
    this.tellings.set(id, [...(this.tellings.get(id) ?? []), { ...row, voice, report: this.#reports }])
  }

  /** As the book of the rule would have them. */
  async transfers(): Promise<Transfer[]> {
    const counting = (await this.#account.transfers()).filter(
      ({ state }) => state !== 'revoked' && state !== 'duplicate',
    )
    return counting.map(({ id, state, heldWith }) => ({
      ...{ id, tellings: this.tellings.get(id)!, isHeld: state === 'held', maybe: heldWith },
      ...{ credited: [], creditedAt: 0 },
    }))
  }
}

const numRuns = Number(process.env.INLET_WORLDS ?? 30)
const seed = process.env.INLET_WORLDS ? {} : { seed: 20_261_117 }

test('in hostile worlds the engine judges as the rule does, counts nothing twice and loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (drawn) => {
      const world = played(drawn)
      const books = new Books(await money.account({ amounts: 'never' }), world)
      await books.begin()
      const hasUndos = world.files.some(({ undone }) => undone !== null)
      for (const event of eventsOf(world)) {
        const judged = await books.play(event)
        // What an undo leaves to people is not what the rule alone says.
        if (!hasUndos) assert.deepEqual(judged, [event.held, event.added], JSON.stringify(event, bigints))
      }
      assert.equal(faultOf(await books.transfers()), undefined)
    }),
    { numRuns, ...seed },
  )
})

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
