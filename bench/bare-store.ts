/**
 * Stores what a create stores, and nothing else: the deposit with all its constraints and the load of its account. Waiting
 * deposits are committed as one group, by one session: two or four were slower. It reads nothing and checks no limits.
 */
import { createHash } from 'node:crypto'
import { takeReferenceBlock } from '../src/domain/deposits/store.ts'
import { bounds } from '../src/platform/bounds.ts'
import { newId, randomToken } from '../src/platform/clock.ts'
import { type Login, openDatabase } from '../src/platform/db.ts'
import { drawnReference } from './references.ts'
import { connect, type Receiver } from './world.ts'

type BareStore = { login: Login; accounts: Receiver[] }
type Order = Record<
  'merchant' | 'order_id' | 'currency' | 'payment_type' | 'customer' | 'callback_url',
  string
> & { cents: number }
type Waiting = { order: Order; resolve: () => void; reject: (fault: unknown) => void }

export async function openBareStore({
  login,
  accounts,
}: BareStore): Promise<(order: Order) => Promise<void>> {
  const references = openDatabase(login, { connections: 1 })
  const client = await connect(login)
  let waiting: Waiting[] = []
  let isCommitting = false
  let drawn = 0

  const commit = async () => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      try {
        const rows = []
        for (const { order } of group) {
          if (drawn % bounds.referenceBlock === 0) drawn = (await takeReferenceBlock(references)).first
          rows.push(rowOf(order, accounts[drawn % accounts.length]!, drawnReference(drawn++)))
        }
        await client.query({ name: 'bare-group', text, values: [JSON.stringify(rows)] })
        for (const { resolve } of group) resolve()
      } catch (fault) {
        for (const { reject } of group) reject(fault)
      }
    }
    isCommitting = false
  }

  return (order) =>
    new Promise((resolve, reject) => {
      waiting.push({ order, resolve, reject })
      if (!isCommitting) setImmediate(commit)
      isCommitting = true
    })
}

const rowOf = (order: Order, { requisiteId, accountId, draft }: Receiver, reference: string) => ({
  ...order,
  id: newId(),
  fingerprint: createHash('sha256').update(order.order_id).digest('hex'),
  requisite_id: requisiteId,
  account_id: accountId,
  shown: {
    ...{ kind: draft.kind, number: draft.number, name: draft.holder, bank_name: draft.bankName },
    ...{ seller: 'ООО "Пример"', bic: draft.bic, payment_reason: `Пополнение ${reference}` },
  },
  reference,
  page_token: randomToken(16),
  sent: { request: `req_${randomToken(12)}` },
})

const text = `
  with draft as materialized (
    select *
    from json_to_recordset($1::json) as n (
      id uuid, merchant uuid, order_id text, fingerprint text, cents bigint, currency text, payment_type text, customer text,
      callback_url text, requisite_id uuid, account_id uuid, shown jsonb, reference text, page_token text, sent jsonb)
  ), loaded as (
    update requisite_loads l
    set open_deposits = open_deposits + n.deposits, day_cents = day_cents + n.cents, day = current_date
    from (
      select requisite_id, count(*)::int as deposits, sum(cents)::bigint as cents from draft group by requisite_id
    ) n
    where l.requisite_id = n.requisite_id
  )
  insert into deposits
    (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer, callback_url,
     requisite_id, account_id, shown, reference, page_token, sent, created_at, issued_at, expires_at, late_until)
  select
    id, merchant, order_id, 'create', decode(fingerprint, 'hex'), 'created', cents, currency, payment_type, customer,
    callback_url, requisite_id, account_id, shown, reference, page_token, sent, now(), now(),
    now() + interval '30 minutes', now() + interval '1 day'
  from draft`
