/** The lists and searches of console, desk and API whose cost must not grow with old deposits. */
import { listCallbacks } from '../src/domain/callbacks/store.ts'
import { listDeposits } from '../src/domain/deposits/read-store.ts'
import type { Cents } from '../src/domain/money.ts'
import { listTransfers } from '../src/domain/transfers/store.ts'
import { listCallbackRows, listEvents } from '../src/surfaces/console/callback-store.ts'
import { type Filter, noFilter } from '../src/surfaces/console/deposits/search.ts'
import { listDepositRows, readHistory } from '../src/surfaces/console/store.ts'
import { searchDeposits } from '../src/surfaces/desk/deposits/store.ts'
import { readDay, readFlow } from '../src/surfaces/desk/metrics/store.ts'
import { wholeQueue } from '../src/surfaces/desk/queue/filter.ts'
import { readQueue } from '../src/surfaces/desk/queue/store.ts'
import { readRequisites } from '../src/surfaces/desk/requisites/store.ts'
import { readWaiting } from '../src/surfaces/desk/store.ts'
import type { Side } from './side.ts'

type List = { name: string; look: (side: Side) => Promise<unknown> }

const deposits = ({ db, merchantId }: Side, filter: Partial<Filter>) =>
  listDepositRows(db, {
    merchantId,
    filter: { ...noFilter, ...filter },
    zone: 'Europe/Moscow',
    after: null,
    limit: 51,
  })
const page = { before: null, limit: 51 }
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

export const lists: readonly List[] = [
  { name: 'console: deposits', look: (side) => deposits(side, {}) },
  { name: 'console: by order', look: (side) => deposits(side, { search: side.recentOrder }) },
  { name: 'console: an old one by order', look: (side) => deposits(side, { search: side.oldOrder }) },
  { name: 'console: by amount', look: (side) => deposits(side, { search: '1077.00' }) },
  { name: 'console: by customer', look: (side) => deposits(side, { search: 'regular' }) },
  { name: 'console: by last digits', look: (side) => deposits(side, { search: '0777' }) },
  { name: 'console: by nothing there is', look: (side) => deposits(side, { search: 'never seen' }) },
  { name: 'console: a state', look: (side) => deposits(side, { state: 'rejected', currency: 'RUB' }) },
  { name: 'console: a state that none has', look: (side) => deposits(side, { state: 'reversed' }) },
  { name: 'console: some days', look: (side) => deposits(side, { from: day(4), to: day(3) }) },
  {
    name: 'console: history of a deposit',
    look: ({ db, merchantId, recent }) => readHistory(db, merchantId, recent[7]!),
  },
  {
    name: 'console: callbacks',
    look: ({ db, merchantId }) => listCallbackRows(db, { merchantId, state: null, ...page }),
  },
  {
    name: 'console: callbacks that wait',
    look: ({ db, merchantId }) => listCallbackRows(db, { merchantId, state: 'pending', ...page }),
  },
  { name: 'console: events', look: ({ db, merchantId }) => listEvents(db, { merchantId, ...page }) },
  {
    name: 'API: deposits',
    look: ({ db, merchantId }) =>
      listDeposits(db, { merchantId, state: null, from: null, to: null, after: null, limit: 201 }),
  },
  {
    name: 'API: deposits of a state',
    look: ({ db, merchantId }) =>
      listDeposits(db, { merchantId, state: 'rejected', from: null, to: null, after: null, limit: 201 }),
  },
  {
    name: 'API: callbacks',
    look: ({ db, merchantId }) =>
      listCallbacks(db, { merchantId, state: null, from: 0n, before: 1n << 60n, since: null, limit: 201 }),
  },
  { name: 'desk: what waits', look: ({ db }) => readWaiting(db) },
  { name: 'desk: queue', look: ({ db }) => readQueue(db, wholeQueue, 100) },
  { name: 'desk: deposits', look: ({ db }) => searchDeposits(db, { by: 'newest' }, page) },
  {
    name: 'desk: by order',
    look: ({ db, recentOrder: order }) => searchDeposits(db, { by: 'order', order }, page),
  },
  {
    name: 'desk: by reference',
    look: ({ db }) => searchDeposits(db, { by: 'reference', reference: 'KT10000009' }, page),
  },
  {
    name: 'desk: by amount',
    look: ({ db }) => searchDeposits(db, { by: 'amount', cents: 107_700n as Cents }, page),
  },
  {
    name: 'desk: transfers',
    look: ({ db }) => listTransfers(db, { state: null, accountId: null, ...page }),
  },
  {
    name: 'desk: transfers of a state',
    look: ({ db }) => listTransfers(db, { state: 'unmatched', accountId: null, ...page }),
  },
  { name: 'desk: requisites', look: ({ db }) => readRequisites(db, {}) },
  { name: 'desk: the day', look: ({ db }) => readDay(db, 'Europe/Moscow') },
  { name: 'desk: the flow', look: ({ db }) => readFlow(db) },
]
