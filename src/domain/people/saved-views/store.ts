/** Saved views in the database. Every query names the person, so another's views are not found. */
import { bounds } from '../../../platform/bounds.ts'
import { type Queryable, sql, type Tx } from '../../../platform/db.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import type { SavedView, ViewOwner } from './saved-view.ts'

export const listViews = (db: Queryable, { personId, place, merchantId }: ViewOwner) =>
  db.query<SavedView>(sql`
    select id, name, query
    from saved_views
    where person_id = ${personId} and place = ${place} and merchant_id is not distinct from ${merchantId}::uuid
    order by saved_at, id
    limit ${bounds.viewsOfList}`)

export const insertView = (
  tx: Tx,
  { personId, place, merchantId }: ViewOwner,
  { id, name, query }: SavedView,
) =>
  tx.run(sql`
    insert into saved_views (id, person_id, place, merchant_id, name, query)
    values (${id}, ${personId}, ${place}, ${merchantId}, ${name}, ${query})
    on conflict on constraint saved_view_once do update
    set query = excluded.query`)

export const deleteView = (tx: Tx, { personId, place, merchantId }: ViewOwner, id: string) =>
  tx.find<{ name: string }>(sql`
    delete from saved_views
    where id = ${id}
      and person_id = ${personId}
      and place = ${place}
      and merchant_id is not distinct from ${merchantId}::uuid
    returning name`)

export const deleteViewsAt = (tx: Tx, personId: string, merchantId: MerchantId) =>
  tx.run(sql`delete from saved_views where person_id = ${personId} and merchant_id = ${merchantId}`)
