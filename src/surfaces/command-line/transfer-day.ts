/** `inlet transfer …`: what waits about days of accounts. Pairs to decide together, parked rows, what was never booked. */

import { readable } from '../../domain/money.ts'
import { isDay } from '../../domain/transfers/bank-text/days.ts'
import { pairDay, readPairs } from '../../domain/transfers/pair-day.ts'
import { listParked } from '../../domain/transfers/parked-store.ts'
import type { LockedTransfer } from '../../domain/transfers/store.ts'
import { takeParked } from '../../domain/transfers/take-parked.ts'
import type { DayPairs, Parked } from '../../domain/transfers/transfer.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import type { Command, Values } from './command.ts'
import { integer, optional, required, shown, table, UsageProblem, uuid } from './options.ts'

const actorOf = (values: Values) => optional(values, 'by') ?? 'command line'

function dayFrom(text: string | null | undefined, what: string): string {
  if (!text || !isDay(text)) throw new UsageProblem(`${what} must be a day, such as 2026-11-15.`)
  return text
}

const briefOf = ({ id, cents, bookedOn, state, payerName, purpose }: LockedTransfer) => ({
  ...{ id, cents, booked_on: bookedOn, state, payer_name: payerName, purpose },
})

/** The two columns, pairs first. */
function pairsText({ pairs, heldLeft, earlyLeft }: DayPairs): string {
  const money = ({ cents, currency }: LockedTransfer) => readable(cents, currency)
  const line = (one: LockedTransfer | undefined) =>
    one ? [one.id, one.bookedOn, foreignText(one.payerName, 24) || null] : [null, null, null]
  const row = (held: LockedTransfer | undefined, early: LockedTransfer | undefined) => [
    money((held ?? early)!),
    ...line(held),
    ...line(early),
  ]
  if (pairs.length + heldLeft.length + earlyLeft.length === 0)
    return 'Nothing is held on this day, and nothing told early waits around it.'
  return table(
    ['amount', 'held', 'booked', 'payer', 'told early', 'of', 'payer'],
    [
      ...pairs.map(({ held, early }) => row(held, early)),
      ...heldLeft.map((held) => row(held, undefined)),
      ...earlyLeft.map((early) => row(undefined, early)),
    ],
  )
}

const parkedJson = ({ facts: _facts, ...row }: Parked) => ({
  ...{ statement: row.statementId, place: row.place, line: row.line, file: row.fileName },
  ...{ account: row.accountId, booked_on: row.bookedOn, cents: row.cents, currency: row.currency },
  ...{ references: row.names, parked_at: row.parkedAt },
})

export const transferDayCommands: Record<string, Command> = {
  'transfer pair-day': {
    usage: 'inlet transfer pair-day ACCOUNT DAY [--reason TEXT] [--by NAME]',
    summary:
      'held rows of a day beside what was told early of their amounts; with a reason pairs those that stand in one line',
    example: "$ACCOUNT 2026-11-15 --reason 'Compared with the bank'",
    words: 2,
    async run({ db }, values, [account, word], { publicUrl }) {
      const accountId = uuid(account, 'The account')
      const day = dayFrom(word, 'The second word')
      const seen = await readPairs(db, { accountId, day })
      const json = {
        pairs: seen.pairs.map(({ held, early }) => ({ held: briefOf(held), early: briefOf(early) })),
        held_left: seen.heldLeft.map(briefOf),
        early_left: seen.earlyLeft.map(briefOf),
      }
      const reason = optional(values, 'reason')
      if (reason === null) return { json: { paired: 0, ...json }, text: pairsText(seen) }
      const paired = await pairDay(
        { db, publicUrl, changed: () => {} },
        {
          ...{ accountId, day, reason, actor: `operator:${actorOf(values)}` },
          seen: seen.pairs.map(({ held, early }) => [held.id, early.id]),
        },
      )
      return { json: { ...json, paired }, text: `${pairsText(seen)}\n\n${paired} paired.` }
    },
  },
  'transfer parked': {
    usage: 'inlet transfer parked [--account ID] [--day DAY] [--limit 1..1000]',
    summary: 'booked rows that wait until a file closes their day, oldest first',
    example: '--account $ACCOUNT --day 2026-11-15',
    async run({ db }, values) {
      const account = optional(values, 'account')
      const day = optional(values, 'day')
      const rows = await listParked(db, {
        accountId: account && uuid(account, '--account'),
        day: day && dayFrom(day, '--day'),
        limit: integer(values, 'limit', 1, 1000) ?? 200,
      })
      return {
        json: { parked: rows.map(parkedJson) },
        text: table(
          ['row', 'account', 'day', 'amount', 'references', 'file', 'line'],
          rows.map((row) => [
            `${row.statementId}:${row.place}`,
            shown(row.accountLabel),
            row.bookedOn,
            readable(row.cents, row.currency),
            row.names.join(' ') || null,
            row.fileName,
            row.line,
          ]),
        ),
      }
    },
  },
  'transfer take-parked': {
    usage: 'inlet transfer take-parked ACCOUNT [DAY] --reason TEXT [--row STATEMENT:PLACE] [--by NAME]',
    summary:
      'take the parked rows of a day now, or one row, as told early: the file that closes the day pairs them',
    example: "$ACCOUNT 2026-11-15 --reason 'The customer waits'",
    words: 2,
    async run({ db }, values, [account, word], { publicUrl }) {
      const accountId = uuid(account, 'The account')
      const text = optional(values, 'row')
      if ((word === undefined) === (text === null))
        throw new UsageProblem('Name a day, or one row with --row.')
      const day = word === undefined ? null : dayFrom(word, 'The second word')
      const row = text === null ? null : rowFrom(text)
      const reason = required(values, 'reason')
      const taken = await takeParked(
        { db, publicUrl, changed: () => {} },
        {
          ...{ accountId, day, row },
          hooks: {
            audit: (taken) => ({
              ...{ personId: null, requestId: null, actor: actorOf(values), act: 'parked_take', reason },
              ...{ subject: `account:${accountId}`, before: null, after: { day, row, ...taken } },
            }),
          },
        },
      )
      const { taken: fresh, paired, matched, ambiguous, unmatched, held } = taken
      return {
        json: taken,
        text: table(
          ['new', 'told early before', 'matched', 'ambiguous', 'unmatched', 'held'],
          [[fresh, paired, matched, ambiguous, unmatched, held]],
        ),
      }
    },
  },
}

function rowFrom(text: string): { statementId: string; place: number } {
  const [, statement, place] = /^([^:]+):(\d{1,9})$/.exec(text) ?? []
  if (!place) throw new UsageProblem('--row must be STATEMENT:PLACE, as "inlet transfer parked" prints it.')
  return { statementId: uuid(statement, 'The statement of --row'), place: Number(place) }
}
