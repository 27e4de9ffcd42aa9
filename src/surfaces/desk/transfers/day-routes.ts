/** HTTP routes of whole days: the pairs of a day of an account, and rows that wait until a file closes their day. */

import { findAccount } from '../../../domain/requisites/account-store.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { digestOf, pairDay, readPairs } from '../../../domain/transfers/pair-day.ts'
import { bankDay } from '../../../domain/transfers/payment-times.ts'
import { listParked } from '../../../domain/transfers/report-store.ts'
import { takeParked } from '../../../domain/transfers/take-parked.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { auditLine, idOf } from '../../staff/visit.ts'
import { deskPath } from '../paths.ts'
import {
  actorOf,
  type DeskTools,
  dangerous,
  deskOf,
  type Refused,
  read,
  reasonOf,
  sectionRoutes,
  work,
} from '../visit.ts'
import { dayHref, dayPage, parkedPage } from './day-page.ts'
import { actWords } from './words.ts'

const parkedMost = 200

export function dayRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'queue')
  const { context } = tools
  const { db } = context

  const page = async (visit: KnownVisit, refused?: Refused) => {
    const accountId = idOf(visit)
    const [desk, account] = await Promise.all([deskOf(tools, visit, refused), findAccount(db, accountId)])
    if (!account) throw new Refusal('not_found')
    const asked = visit.field('day') || visit.query('day')
    const day = isDay(asked) ? asked : bankDay(desk.now, account.currency)
    const found = await readPairs(db, { accountId, day })
    return dayPage(desk, { account, day, found, seen: digestOf(found) })
  }
  get('/requisites/:id/day', read, (visit) => page(visit))

  post(
    '/requisites/:id/pair-day',
    work,
    async (visit) => {
      const accountId = idOf(visit)
      const day = visit.field('day')
      const reason = reasonOf(visit)
      if (!isDay(day)) throw new Refusal('invalid_value')
      const seen = visit.field('seen')
      await pairDay(context, {
        ...{ accountId, day, seen, reason, actor: actorOf(visit) },
        hooks: {
          audit: (done) =>
            auditLine(visit, {
              ...{ act: 'day_pair', subject: `account:${accountId}`, reason },
              after: { day, pairs: done.map(({ transfer }) => [transfer.id, transfer.duplicateOf]) },
            }),
        },
      })
      return { to: dayHref({ accountId, bookedOn: day }), notice: 'paired' }
    },
    page,
  )

  const parked = async (visit: KnownVisit, refused?: Refused) => {
    const account = visit.query('account')
    const day = visit.query('day')
    const accountId = isUuid(account) ? account : null
    const filter = { accountId, day: isDay(day) ? day : null, limit: parkedMost + 1 }
    const [desk, rows] = await Promise.all([deskOf(tools, visit, refused), listParked(db, filter)])
    const isCut = rows.length > parkedMost
    const isFiltered = filter.accountId !== null || filter.day !== null
    return parkedPage(desk, { rows: rows.slice(0, parkedMost), isCut, isFiltered })
  }
  get('/parked', read, (visit) => parked(visit))

  // As importing a file: what is taken may confirm deposits of any amount.
  post(
    '/parked/take',
    dangerous,
    async (visit) => {
      const what = takenIn(visit)
      if (!what) throw new Refusal('invalid_value', { detail: actWords[visit.language].takeWhich })
      const reason = reasonOf(visit)
      await takeParked(context, {
        ...what,
        hooks: {
          audit: (taken) =>
            auditLine(visit, {
              ...{ act: 'parked_take', subject: `account:${what.accountId}`, reason },
              after: { day: what.day, row: what.row, ...taken },
            }),
        },
      })
      return { to: deskPath('/parked'), notice: 'parked_taken' }
    },
    parked,
  )
}

/** `ACCOUNT:DAY`, or `ACCOUNT:STATEMENT:PLACE`. */
function takenIn(visit: KnownVisit) {
  const [ofDay = '', day = ''] = visit.field('day').split(':')
  if (isUuid(ofDay) && isDay(day)) return { accountId: ofDay, day, row: null }
  const [accountId = '', statementId = '', place = ''] = visit.field('row').split(':')
  if (!isUuid(accountId) || !isUuid(statementId) || !/^\d{1,9}$/.test(place)) return null
  return { accountId, day: null, row: { statementId, place: Number(place) } }
}
