/** Merchants and their keys in the database. Secrets are sealed on the way in and opened on the way out. */
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { type ApiKey, type KeyPurpose, type SigningRule, sealLabel } from './api-key.ts'
import {
  automaticPauses,
  type Merchant,
  type MerchantId,
  type MerchantSettings,
  type Mode,
} from './merchant.ts'

type MerchantRow = {
  id: string
  name: string
  mode: Mode
  enabled: boolean
  callback_url: string | null
  success_url: string | null
  reject_url: string | null
  optional_events: string[]
  language: string | null
  choice_minutes: number
  payment_minutes: number
  late_grace_hours: number
  late_grace_account_hours: number
  underpaid_policy: MerchantSettings['underpaidPolicy']
  underpaid_tolerance_cents: bigint
  overpaid_policy: MerchantSettings['overpaidPolicy']
  late_policy: MerchantSettings['latePolicy']
  rate_per_second: number
  rate_burst: number
  customer_open_deposits: number | null
  customer_day_cents: bigint | null
  customer_month_cents: bigint | null
}

const merchantColumns = fragment`
  id, name, mode, enabled, callback_url, success_url, reject_url, optional_events, language, choice_minutes,
  payment_minutes, late_grace_hours, late_grace_account_hours, underpaid_policy, underpaid_tolerance_cents, overpaid_policy, late_policy,
  rate_per_second, rate_burst, customer_open_deposits, customer_day_cents, customer_month_cents`

export async function insertMerchant(
  tx: Tx,
  merchant: Pick<Merchant, 'id' | 'name' | 'mode' | 'callbackUrl'>,
): Promise<void> {
  await tx.query(sql`
    insert into merchants (id, name, mode, callback_url)
    values (${merchant.id}, ${merchant.name}, ${merchant.mode}, ${merchant.callbackUrl})`)
}

export async function findMerchant(db: Queryable, id: MerchantId): Promise<Merchant | undefined> {
  const [row] = await db.query<MerchantRow>(sql`
    select ${merchantColumns}
    from merchants
    where id = ${id}`)
  return row && merchantFrom(row)
}

export async function listMerchants(db: Queryable): Promise<Merchant[]> {
  const rows = await db.query<MerchantRow>(sql`
    select ${merchantColumns}
    from merchants
    order by created_at, id
    limit 1000`)
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

type KeyRow = {
  id: string
  merchant_id: string
  purpose: KeyPurpose
  secret_sealed: Buffer
  v2_only: boolean
  created_at: Date
  not_after: Date | null
  last_used_at: Date | null
  literal_used_at: Date | null
  v2_used_at: Date | null
}

export async function insertKey(
  tx: Tx,
  vault: Vault,
  key: Pick<ApiKey, 'id' | 'merchantId' | 'purpose' | 'secret' | 'v2Only'>,
): Promise<void> {
  await tx.query(sql`
    insert into api_keys (id, merchant_id, purpose, secret_sealed, v2_only)
    values (${key.id}, ${key.merchantId}, ${key.purpose}, ${vault.seal(key.secret, sealLabel(key))}, ${key.v2Only})`)
}

/** Keys that still count, newest first. */
export async function liveKeys(
  db: Queryable,
  vault: Vault,
  merchantId: MerchantId,
  purpose: KeyPurpose,
): Promise<ApiKey[]> {
  const rows = await db.query<KeyRow>(sql`
    select id, merchant_id, purpose, secret_sealed, v2_only, created_at, not_after, last_used_at, literal_used_at,
      v2_used_at
    from api_keys
    where merchant_id = ${merchantId} and purpose = ${purpose} and (not_after is null or not_after > inlet_now())
    order by created_at desc, id desc`)
  return rows.map((row) => keyFrom(row, vault))
}

/** The latest signing keys that ended. */
export async function findEndedKeys(db: Queryable, vault: Vault, merchantId: MerchantId): Promise<ApiKey[]> {
  const rows = await db.query<KeyRow>(sql`
    select id, merchant_id, purpose, secret_sealed, v2_only, created_at, not_after, last_used_at, literal_used_at,
      v2_used_at
    from api_keys
    where merchant_id = ${merchantId} and purpose = 'request' and not_after <= inlet_now()
    order by not_after desc, id desc
    limit ${bounds.endedKeys}`)
  return rows.map((row) => keyFrom(row, vault))
}

/** Which of these there are: many strangers' guesses are one question. */
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

/** Ends every other live key of this purpose after the overlap; one that ends sooner keeps its end. */
export async function endOtherKeys(
  tx: Tx,
  {
    merchantId,
    purpose,
    keep,
    overlapDays,
  }: {
    merchantId: MerchantId
    purpose: KeyPurpose
    keep: string
    overlapDays: number
  },
): Promise<void> {
  await tx.query(sql`
    update api_keys
    set not_after = least(not_after, inlet_now() + make_interval(days => ${overlapDays}::int))
    where merchant_id = ${merchantId}
      and purpose = ${purpose}
      and id <> ${keep}
      and (not_after is null or not_after > inlet_now())`)
}

/** False when the merchant has no such live key. */
export async function setV2Only(
  tx: Tx,
  { merchantId, keyId, v2Only }: { merchantId: MerchantId; keyId: string; v2Only: boolean },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update api_keys
    set v2_only = ${v2Only}
    where id = ${keyId}
      and merchant_id = ${merchantId}
      and purpose = 'request'
      and (not_after is null or not_after > inlet_now())
    returning id`)
  return rows.length > 0
}

export async function noteKeyUse(db: Queryable, keyId: string, rule: SigningRule): Promise<void> {
  await db.query(sql`
    update api_keys
    set
      last_used_at = inlet_now(),
      literal_used_at = case when ${rule}::text = 'literal' then inlet_now() else literal_used_at end,
      v2_used_at = case when ${rule}::text = 'v2' then inlet_now() else v2_used_at end
    where id = ${keyId}`)
}

export async function readMasterKeyCheck(db: Queryable): Promise<Buffer | null> {
  const [row] = await db.query<{ master_key_check: Buffer | null }>(
    sql`select master_key_check from installation`,
  )
  return row?.master_key_check ?? null
}

/** The first start writes the check; a start at the same moment keeps the first one. */
export async function writeMasterKeyCheck(db: Queryable, sealed: Buffer): Promise<void> {
  await db.query(sql`update installation set master_key_check = ${sealed} where master_key_check is null`)
}

const merchantFrom = (row: MerchantRow): Merchant => ({
  id: row.id,
  name: row.name,
  mode: row.mode,
  enabled: row.enabled,
  callbackUrl: row.callback_url,
  successUrl: row.success_url,
  rejectUrl: row.reject_url,
  optionalEvents: row.optional_events,
  language: row.language,
  settings: {
    choiceMinutes: row.choice_minutes,
    paymentMinutes: row.payment_minutes,
    lateGraceHours: row.late_grace_hours,
    lateGraceAccountHours: row.late_grace_account_hours,
    underpaidPolicy: row.underpaid_policy,
    underpaidToleranceCents: row.underpaid_tolerance_cents,
    overpaidPolicy: row.overpaid_policy,
    latePolicy: row.late_policy,
    ratePerSecond: row.rate_per_second,
    rateBurst: row.rate_burst,
    customerOpenDeposits: row.customer_open_deposits,
    customerDayCents: row.customer_day_cents,
    customerMonthCents: row.customer_month_cents,
  },
})

function keyFrom(row: KeyRow, vault: Vault): ApiKey {
  const key = { id: row.id, merchantId: row.merchant_id, purpose: row.purpose }
  return {
    ...key,
    secret: vault.open(row.secret_sealed, sealLabel(key)),
    v2Only: row.v2_only,
    createdAt: row.created_at,
    notAfter: row.not_after,
    lastUsedAt: row.last_used_at,
    literalUsedAt: row.literal_used_at,
    v2UsedAt: row.v2_used_at,
  }
}

/** The lane of the merchant's own address, from the merchant's first day. */
export async function insertOwnLane(tx: Tx, merchantId: MerchantId, hasAddress: boolean): Promise<void> {
  await tx.query(sql`
    insert into callback_lanes (merchant_id, origin, state)
    values (${merchantId}, null, ${hasAddress ? 'active' : 'waiting'})`)
}

/**
 * A new address frees what waits or was paused for the old one; without an address everything waits. What a
 * person paused stays so until a person resumes it.
 */
export async function updateOwnLane(tx: Tx, merchantId: MerchantId, hasAddress: boolean): Promise<void> {
  await tx.query(sql`
    update callback_lanes
    set
      state = ${hasAddress ? 'active' : 'waiting'},
      reason = null,
      failing_since = null,
      alarmed_at = null,
      trips = 0,
      open_until = '-infinity'
    where merchant_id = ${merchantId} and origin is null
      and (state <> 'paused' or reason = any(${automaticPauses}))`)
}
