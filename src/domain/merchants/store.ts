/** Merchants and their keys in the database. Secrets are sealed on the way in and opened on the way out. */
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { ListPage } from '../../platform/list-page.ts'
import { lockSealer } from '../../platform/sealing-key.ts'
import type { Vault } from '../../platform/vault.ts'
import { type ApiKey, type KeyPurpose, type SigningRule, sealLabel } from './api-key.ts'
import { automaticPauses, type Merchant, type MerchantId, type MerchantSettings } from './merchant.ts'

type MerchantRow = Omit<Merchant, 'settings'> & MerchantSettings

const merchantColumns = fragment`
  id, name, mode, enabled, callback_url as "callbackUrl", success_url as "successUrl",
  reject_url as "rejectUrl", optional_events as "optionalEvents", language, choice_minutes as "choiceMinutes",
  payment_minutes as "paymentMinutes", late_grace_hours as "lateGraceHours",
  late_grace_account_hours as "lateGraceAccountHours", underpaid_policy as "underpaidPolicy",
  underpaid_tolerance_cents as "underpaidToleranceCents", overpaid_policy as "overpaidPolicy",
  late_policy as "latePolicy", rate_per_second as "ratePerSecond", rate_burst as "rateBurst",
  customer_open_deposits as "customerOpenDeposits", customer_day_cents as "customerDayCents",
  customer_month_cents as "customerMonthCents"`

export const insertMerchant = (tx: Tx, merchant: Pick<Merchant, 'id' | 'name' | 'mode' | 'callbackUrl'>) =>
  tx.run(sql`
    insert into merchants (id, name, mode, callback_url)
    values (${merchant.id}, ${merchant.name}, ${merchant.mode}, ${merchant.callbackUrl})`)

export async function findMerchant(db: Queryable, id: MerchantId): Promise<Merchant | undefined> {
  const [row] = await db.query<MerchantRow>(sql`
    select ${merchantColumns}
    from merchants
    where id = ${id}`)
  return row && merchantFrom(row)
}

/** The names of these merchants. */
export async function readMerchantNames(
  db: Queryable,
  ids: readonly MerchantId[],
): Promise<ReadonlyMap<MerchantId, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: MerchantId; name: string }>(sql`
    select id, name from merchants where id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function listMerchants(db: Queryable, { after, limit }: ListPage): Promise<Merchant[]> {
  const rows = await db.query<MerchantRow>(sql`
    select ${merchantColumns}
    from merchants
    where ${after}::uuid is null or (created_at, id) > (
      select a.created_at, a.id from merchants a where a.id = ${after})
    order by created_at, id
    limit ${limit}`)
  return rows.map(merchantFrom)
}

/** Locks the merchant, so that changes of its keys and settings happen one after the other. */
export async function lockMerchant(tx: Tx, id: MerchantId): Promise<Merchant | undefined> {
  await tx.query(sql`select id from merchants where id = ${id} for no key update`)
  return findMerchant(tx, id)
}

export async function updateMerchant(tx: Tx, merchant: Merchant): Promise<void> {
  const { settings } = merchant
  await tx.query(sql`
    update merchants
    set
      name = ${merchant.name},
      enabled = ${merchant.enabled},
      callback_url = ${merchant.callbackUrl},
      success_url = ${merchant.successUrl},
      reject_url = ${merchant.rejectUrl},
      optional_events = ${merchant.optionalEvents},
      language = ${merchant.language},
      choice_minutes = ${settings.choiceMinutes},
      payment_minutes = ${settings.paymentMinutes},
      late_grace_hours = ${settings.lateGraceHours},
      late_grace_account_hours = ${settings.lateGraceAccountHours},
      underpaid_policy = ${settings.underpaidPolicy},
      underpaid_tolerance_cents = ${settings.underpaidToleranceCents},
      overpaid_policy = ${settings.overpaidPolicy},
      late_policy = ${settings.latePolicy},
      rate_per_second = ${settings.ratePerSecond},
      rate_burst = ${settings.rateBurst},
      customer_open_deposits = ${settings.customerOpenDeposits},
      customer_day_cents = ${settings.customerDayCents},
      customer_month_cents = ${settings.customerMonthCents}
    where id = ${merchant.id}`)
}

type KeyRow = Omit<ApiKey, 'secret'> & { sealed: Buffer }

const keyColumns = fragment`
  id, merchant_id as "merchantId", purpose, secret_sealed as sealed, v2_only as "v2Only", created_at as "createdAt",
  not_after as "notAfter", last_used_at as "lastUsedAt", literal_used_at as "literalUsedAt", v2_used_at as "v2UsedAt"`

const isLive = fragment`(not_after is null or not_after > inlet_now())`

export async function insertKey(
  tx: Tx,
  vault: Vault,
  key: Pick<ApiKey, 'id' | 'merchantId' | 'purpose' | 'secret' | 'v2Only'>,
): Promise<void> {
  const { seal } = await lockSealer(tx, vault)
  await tx.run(sql`
    insert into api_keys (id, merchant_id, purpose, secret_sealed, v2_only)
    values (${key.id}, ${key.merchantId}, ${key.purpose}, ${seal(key.secret, sealLabel(key))}, ${key.v2Only})`)
}

/** Valid keys, newest first. */
export async function liveKeys(
  db: Queryable,
  vault: Vault,
  merchantId: MerchantId,
  purpose: KeyPurpose,
): Promise<ApiKey[]> {
  const rows = await db.query<KeyRow>(sql`
    select ${keyColumns}
    from api_keys
    where merchant_id = ${merchantId} and purpose = ${purpose} and ${isLive}
    order by created_at desc, id desc`)
  return rows.map((row) => keyFrom(row, vault))
}

/** The signing keys that ended last. */
export async function findEndedKeys(db: Queryable, vault: Vault, merchantId: MerchantId): Promise<ApiKey[]> {
  const rows = await db.query<KeyRow>(sql`
    select ${keyColumns}
    from api_keys
    where merchant_id = ${merchantId} and purpose = 'request' and not_after <= inlet_now()
    order by not_after desc, id desc
    limit ${bounds.endedKeys}`)
  return rows.map((row) => keyFrom(row, vault))
}

/** Which of these ids exist. One query for many, because strangers may send many wrong ids. */
export async function findExistingMerchants(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, true>> {
  const rows = await db.query<{ id: string }>(sql`
    select id
    from merchants
    where id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id }) => [id, true]))
}

export async function findKeyOwners(
  db: Queryable,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, MerchantId>> {
  const rows = await db.query<{ id: string; merchant_id: string }>(sql`
    select id, merchant_id
    from api_keys
    where id = any(${keyIds}::text[]) and purpose = 'request'`)
  return new Map(rows.map((row) => [row.id, row.merchant_id]))
}

type KeptKey = { merchantId: MerchantId; purpose: KeyPurpose; keep: string; overlapDays: number }

/** Ends every other live key of this purpose after the overlap; one that ends sooner keeps its end. */
export const endOtherKeys = (tx: Tx, { merchantId, purpose, keep, overlapDays }: KeptKey) =>
  tx.run(sql`
    update api_keys
    set not_after = least(not_after, inlet_now() + make_interval(days => ${overlapDays}::int))
    where merchant_id = ${merchantId} and purpose = ${purpose} and id <> ${keep} and ${isLive}`)

/** Returns what was set before; undefined if the merchant has no such key that is still valid. The caller has locked the merchant. */
export const setV2Only = (
  tx: Tx,
  { merchantId, keyId, v2Only }: { merchantId: MerchantId; keyId: string; v2Only: boolean },
) =>
  tx.find<{ wasV2Only: boolean }>(sql`
    update api_keys k
    set v2_only = ${v2Only}
    from (
      select id, v2_only
      from api_keys
      where id = ${keyId} and merchant_id = ${merchantId} and purpose = 'request' and ${isLive}
    ) previous
    where k.id = previous.id
    returning previous.v2_only as "wasV2Only"`)

export const noteKeyUse = (db: Queryable, keyId: string, rule: SigningRule) =>
  db.run(sql`
    update api_keys
    set
      last_used_at = inlet_now(),
      literal_used_at = case when ${rule}::text = 'literal' then inlet_now() else literal_used_at end,
      v2_used_at = case when ${rule}::text = 'v2' then inlet_now() else v2_used_at end
    where id = ${keyId}`)

const merchantFrom = (row: MerchantRow): Merchant => {
  const {
    id,
    name,
    mode,
    enabled,
    callbackUrl,
    successUrl,
    rejectUrl,
    optionalEvents,
    language,
    ...settings
  } = row
  return { id, name, mode, enabled, callbackUrl, successUrl, rejectUrl, optionalEvents, language, settings }
}

const keyFrom = ({ sealed, ...key }: KeyRow, vault: Vault): ApiKey => ({
  ...key,
  secret: vault.open(sealed, sealLabel(key)),
})

/** Creates the lane of the merchant's own address. */
export const insertOwnLane = (tx: Tx, merchantId: MerchantId, hasAddress: boolean) =>
  tx.run(sql`
    insert into endpoints (merchant_id, origin, state)
    values (${merchantId}, null, ${hasAddress ? 'active' : 'waiting'})`)

/**
 * A new address resumes a lane that waited or was paused automatically; without an address it waits. A lane that a
 * person paused stays paused.
 */
export const updateOwnLane = (tx: Tx, merchantId: MerchantId, hasAddress: boolean) =>
  tx.run(sql`
    update endpoints
    set
      state = ${hasAddress ? 'active' : 'waiting'},
      reason = null,
      failing_since = null,
      alarmed_at = null,
      trips = 0,
      open_until = '-infinity'
    where merchant_id = ${merchantId} and origin is null
      and (state <> 'paused' or reason = any(${automaticPauses}))`)
