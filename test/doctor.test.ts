/** `inlet doctor`: silent on a healthy gateway with traffic; finds every promise that somebody broke by hand. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  cancelDeposit,
  claimPayment,
  confirmDeposit,
  type DepositContext,
  receiveMoney,
} from '../src/domain/deposits/change-deposit.ts'
import { expireDeposits } from '../src/domain/deposits/expire-deposits.ts'
import { examine, type Finding, invariants } from '../src/domain/doctor/examine.ts'
import { addSource, changeSourceWithin } from '../src/domain/transfers/bank-source.ts'
import { rejectDeposit, reverseDeposit } from '../src/domain/transfers/end-deposit.ts'
import { sourceOf } from '../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../src/domain/transfers/take-transfers.ts'
import { sql, type Tx } from '../src/platform/db.ts'
import { createVault } from '../src/platform/vault.ts'
import { entryTo } from './support/bank.ts'
import { commandsOn, inlet } from './support/command.ts'
import { type Fields, openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'

const operator = { actor: 'operator:anna', reason: 'seen on the statement' }
const matcher = { actor: 'matcher', evidence: { transfer: 'T1' } }

let gateway: TestGateway
let shop: Shop
const ids: Record<
  | 'open'
  | 'open2'
  | 'card'
  | 'card2'
  | 'byHand'
  | 'byMoney'
  | 'late'
  | 'rejected'
  | 'gone'
  | 'taken'
  | 'settled',
  string
> = {
  open: '',
  open2: '',
  card: '',
  card2: '',
  byHand: '',
  byMoney: '',
  late: '',
  rejected: '',
  gone: '',
  taken: '',
  settled: '',
}

const zeros = `decode(repeat('00', 32), 'hex')`
const auditEntry = (at: string) => `
  update installation set sealing_since = '2020-01-01';
  insert into audit_entries (place, at, actor, act, subject, reason, before, after, previous, digest)
  values (7, ${at}, 'x', 'x', 'x', '', 'null', 'null', ${zeros}, ${zeros})`

before(async () => {
  // Without workers: nothing moves while a promise is being broken.
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  const context: DepositContext = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const cards: Record<string, Fields> = {
    card: { payment_type: 'any_bank', cents: 111_100 },
    card2: { payment_type: 'any_bank', cents: 222_200 },
  }
  for (const name of Object.keys(ids) as (keyof typeof ids)[]) {
    const { status, body } = await shop.create(cards[name] ?? {})
    assert.equal(status, 201)
    ids[name] = body.id
  }
  await gateway.database.owner.script(
    `update deposits set expires_at = created_at + interval '1 millisecond' where id in ('${ids.late}', '${ids.gone}')`,
  )
  await expireDeposits(context)
  await confirmDeposit(context, { depositId: ids.byHand, ...operator })
  await claimPayment(context, { depositId: ids.byMoney, actor: 'customer' })
  await receiveMoney(context, { depositId: ids.byMoney, ...matcher, cents: 100_000n })
  await receiveMoney(context, { depositId: ids.byMoney, ...matcher, cents: 50_001n })
  await receiveMoney(context, { depositId: ids.late, ...matcher, cents: 150_000n })
  await rejectDeposit(context, { depositId: ids.rejected, ...operator })
  await cancelDeposit(context, { depositId: ids.gone, actor: 'merchant', merchantId: shop.merchant }).catch(
    () => {},
  )
  await receiveMoney(context, { depositId: ids.taken, ...matcher, cents: 150_000n })
  await receiveMoney(context, { depositId: ids.taken, ...matcher, cents: -1_000n })
  await reverseDeposit(context, { depositId: ids.taken, ...operator })
  await payByBank(context)
  const more = await Promise.all(Array.from({ length: 30 }, () => shop.create()))
  for (const { body } of more) await rejectDeposit(context, { depositId: body.id, ...operator })
})

/** One transfer settles a deposit, and one is nobody's. */
async function payByBank(context: DepositContext): Promise<void> {
  const source = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'test', kind: 'sandbox', channel: 'sandbox' }),
  )
  const [deposit] = await gateway.db.query<{ account_id: string; reference: string }>(
    sql`select account_id, reference from deposits where id = ${ids.settled}`,
  )
  const { account_id: accountId, reference } = deposit!
  const payment = (cents: bigint, purpose: string) => entryTo(accountId, { cents, purpose })
  const taken = await takeTransfers(context, [payment(150_000n, reference), payment(17n, 'for nobody')], {
    source,
  })
  assert.partialDeepStrictEqual(taken, { matched: 1, unmatched: 1 })
}

const notHolding = (findings: readonly Finding[]) =>
  findings
    .filter((finding) => finding.verdict !== 'holds')
    .map(({ name, offenders }) => ({ name, offenders }))

test('a healthy gateway with traffic breaks no promise, for the program’s own role', async () => {
  for (const all of [false, true]) assert.deepEqual(notHolding(await examine(gateway, { all })), [])
})

/** What the doctor finds after the owner ran a script. Everything is undone afterwards. */
async function findingsAfter(script: string, vault = gateway.vault): Promise<Finding[]> {
  let findings: Finding[] | undefined
  const undo = new Error('undo')
  await gateway.database.owner
    .transaction(async (tx) => {
      await tx.query({ text: script, name: '', values: [] })
      const db = { ...tx, transaction: <Result>(work: (tx: Tx) => Promise<Result>) => work(tx) }
      findings = await examine({ db, vault }, { all: false })
      throw undo
    })
    .catch((error) => {
      if (error !== undo) throw error
    })
  return findings!
}

const free = 'alter table deposits disable trigger user;'
const settling = () => `id in (select transfer_id from allocations where deposit_id = '${ids.settled}')`
const decided = () => `'${ids.settled}' = any(deposit_ids)`
const lane = () => `merchant_id = '${shop.merchant}' and origin is null`
const activeLane = () => `
  update merchants set callback_url = 'https://shop.example/in' where id = '${shop.merchant}';
  update endpoints set state = 'active' where ${lane()};`
const anyDue = (column = 'event_id') =>
  `(select ${column} from deliveries where deposit_id = '${ids.byHand}' limit 1)`

/** The promise, what somebody does, and the id that is found when it is a deposit's. */
const violations: [name: string, title: string, script: () => string, id?: keyof typeof ids][] = [
  [
    'one-deposit-per-order',
    'one order twice',
    () => `alter table deposits drop constraint deposit_order_once; ${free}
      update deposits set order_id = (select order_id from deposits where id = '${ids.open2}') where id = '${ids.open}'`,
    'open',
  ],
  [
    'history-is-a-path',
    'a line taken out',
    () => `delete from deposit_history where deposit_id = '${ids.byMoney}' and entry = 2`,
    'byMoney',
  ],
  [
    'history-is-a-path',
    'a state that history does not know',
    () => `${free} update deposits set state = 'canceled', final_at = now() where id = '${ids.open}'`,
    'open',
  ],
  [
    'history-is-a-path',
    'a step that does not exist',
    () => `update deposit_history set action = 'expire' where deposit_id = '${ids.byHand}' and entry = 2`,
    'byHand',
  ],
  [
    'history-is-a-path',
    'life after the end',
    () => `insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor)
      values ('${ids.rejected}', 3, now(), 'confirm', 'rejected', 'confirmed', 'operator:anna');
      ${free} update deposits set state = 'confirmed' where id = '${ids.rejected}'`,
    'rejected',
  ],
  [
    'one-final-outcome',
    'a final time lost',
    () => `update deposits set final_at = null where id = '${ids.byHand}'`,
    'byHand',
  ],
  [
    'one-final-outcome',
    'money taken after the grace',
    () => `update deposits set late_until = expires_at where id = '${ids.late}'`,
    'late',
  ],
  [
    'change-has-one-callback',
    'an event lost',
    () => `delete from events where deposit_id = '${ids.byHand}'`,
    'byHand',
  ],
  [
    'change-has-one-callback',
    'an event twice',
    () => `insert into events (made_on, id, merchant_id, sequence, deposit_id, type, body, made_at)
      select made_on, gen_random_uuid(), merchant_id, 1000000, deposit_id, type, body, made_at
      from events where deposit_id = '${ids.byHand}'`,
    'byHand',
  ],
  [
    'callback-has-its-change',
    'an event of nothing',
    () => `update events set type = 'deposit.reversed' where deposit_id = '${ids.byHand}'`,
  ],
  [
    'events-without-gap',
    'a number missing',
    () => `delete from events where merchant_id = '${shop.merchant}' and sequence = 3`,
  ],
  [
    'events-without-gap',
    'a number twice, on two days',
    () => `update events set made_on = made_on + 1, sequence = 4
      where merchant_id = '${shop.merchant}' and sequence = 3`,
  ],
  [
    'events-without-gap',
    'a counter ahead',
    () =>
      `update event_counters set last_sequence = last_sequence + 1 where merchant_id = '${shop.merchant}'`,
  ],
  [
    'callback-is-not-lost',
    'out of the queue unsent',
    () => `delete from deliveries where event_id = ${anyDue()}`,
  ],
  [
    'queue-fits-records',
    'its record on another day',
    () => `update deliveries set made_on = made_on - 1 where event_id = ${anyDue()}`,
  ],
  [
    'lease-ends',
    'a lease without end',
    () =>
      `update endpoints set owner = gen_random_uuid(), owner_until = now() + interval '1 hour' where ${lane()}`,
  ],
  [
    'lease-ends',
    'a dead owner and nobody after it',
    () => `${activeLane()}
      update endpoints set owner = gen_random_uuid(), owner_until = now() - interval '10 minutes' where ${lane()};
      update deliveries set due_at = now() - interval '10 minutes'`,
  ],
  [
    'callbacks-wait-for-a-reason',
    'active without an address',
    () => `update endpoints set state = 'active' where ${lane()}`,
  ],
  [
    'callbacks-wait-for-a-reason',
    'waiting with one',
    () => `update merchants set callback_url = 'https://shop.example/in' where id = '${shop.merchant}'`,
  ],
  [
    'due-is-sent',
    'due for two hours',
    () =>
      `${activeLane()} update deliveries set due_at = now() - interval '2 hours' where event_id = ${anyDue()}`,
  ],
  [
    'amount-belongs-to-one',
    'a slot lost',
    () => `delete from deposit_slots where deposit_id = '${ids.card}'`,
    'card',
  ],
  [
    'amount-belongs-to-one',
    'two deposits on one',
    () => `${free} update deposits set (amount_cents, account_id, requisite_id) =
        (select amount_cents, account_id, requisite_id from deposits where id = '${ids.card}')
      where id = '${ids.card2}'`,
    'card',
  ],
  [
    'reference-names-one',
    'one reference twice',
    () => `drop index deposit_reference_once; ${free}
      update deposits set (reference, account_id, requisite_id) =
        (select reference, account_id, requisite_id from deposits where id = '${ids.open2}')
      where id = '${ids.open}'`,
    'open',
  ],
  [
    'confirmed-for-a-reason',
    'by hand without a reason',
    () => `update deposit_history set reason = ' ' where deposit_id = '${ids.byHand}' and action = 'confirm'`,
    'byHand',
  ],
  [
    'confirmed-for-a-reason',
    'by nobody in particular',
    () =>
      `update deposit_history set actor = 'operator:' where deposit_id = '${ids.byHand}' and action = 'confirm'`,
    'byHand',
  ],
  [
    'confirmed-for-a-reason',
    'by the matcher without money',
    () =>
      `update deposit_history set actor = 'matcher' where deposit_id = '${ids.byHand}' and action = 'confirm'`,
    'byHand',
  ],
  [
    'confirmed-for-a-reason',
    'for too little money',
    () => `update deposits set received_cents = 1, labels = '{}' where id = '${ids.byMoney}'`,
    'byMoney',
  ],
  [
    'shown-is-kept',
    'a number wiped out',
    () => `${free} update deposits set shown = shown - 'number' where id = '${ids.open}'`,
    'open',
  ],
  [
    'shown-is-kept',
    'nothing kept',
    () => `alter table deposits drop constraint deposit_shown_whole, drop constraint deposit_created_is_shown; ${free}
      update deposits set shown = null where id = '${ids.open}'`,
    'open',
  ],
  [
    'merchants-stay-apart',
    'test and live',
    () => `update merchants set mode = 'live' where id = '${shop.merchant}'`,
  ],
  [
    'merchants-stay-apart',
    'an account of somebody else',
    () => `insert into merchants (id, name, mode) values ('00000000-0000-7000-8000-000000000001', 'Other', 'test');
      update receiving_accounts set merchant_id = '00000000-0000-7000-8000-000000000001'`,
  ],
  [
    'merchants-stay-apart',
    'a callback to somebody else',
    () => `update events set merchant_id = gen_random_uuid() where deposit_id = '${ids.byHand}'`,
  ],
  [
    'transfers-balance',
    'a coin too many',
    () => `alter table transfers drop constraint transfer_balances;
      update transfers set open_cents = open_cents + 1 where state = 'unmatched'`,
  ],
  [
    'transfers-balance',
    'a coin from nowhere that hides another',
    () => `alter table transfers drop constraint transfer_balances;
      update transfers set deposit_cents = deposit_cents - 1 where ${settling()};
      update transfers set open_cents = open_cents + 1 where state = 'unmatched'`,
  ],
  [
    'transfers-balance',
    'with a deposit, and not matched',
    () => `alter table transfers drop constraint transfer_settles;
      update transfers set state = 'set_aside' where ${settling()}`,
  ],
  [
    'transfers-balance',
    'a share less than the sum',
    () => `alter table allocations disable trigger user; update allocations set cents = cents - 1`,
  ],
  [
    'matched-money-is-received',
    'received less than its transfers brought',
    () => `update deposits set received_cents = received_cents - 1 where id = '${ids.settled}'`,
    'settled',
  ],
  [
    'matched-money-is-received',
    'a surplus that nobody gave up',
    () => `update deposits set surplus_kept_cents = 1 where id = '${ids.settled}'`,
    'settled',
  ],
  [
    'matched-money-is-received',
    'one payment for two',
    () => `alter table allocations disable trigger user;
      insert into allocations (transfer_id, deposit_id, cents)
      select id, '${ids.settled}', cents from transfers where state = 'unmatched';
      update transfers set state = 'matched', deposit_cents = cents, open_cents = 0 where state = 'unmatched'`,
    'settled',
  ],
  [
    'matched-money-is-received',
    'another currency',
    () =>
      `alter table transfers disable trigger user; update transfers set currency = 'KZT' where ${settling()}`,
    'settled',
  ],
  ['transfer-is-as-decided', 'no decision left', () => `delete from transfer_decisions where ${decided()}`],
  [
    'transfer-is-as-decided',
    'another state than decided',
    () => `update transfers set state = 'set_aside' where state = 'unmatched'`,
  ],
  [
    'transfer-is-as-decided',
    'another deposit than decided',
    () => `update allocations set deposit_id = '${ids.open}' where deposit_id = '${ids.settled}'`,
  ],
  [
    'transfer-is-as-decided',
    'a decision taken out',
    () => `insert into transfer_decisions (transfer_id, entry, at, state, deposit_ids, actor, rule, reason, evidence)
      select transfer_id, 3, at, state, deposit_ids, actor, rule, reason, evidence
      from transfer_decisions where ${decided()}`,
  ],
  [
    'undone-import-is-gone',
    'a payment of an undone file',
    () => `insert into statements
        (id, mode, digest, file_name, account_ids, format, taken_by, finished_at, undo_started_at, undone_by, undo_reason, undo_report, undone_at)
      values ('00000000-0000-7000-8000-000000000001', 'test', '\\x00', 'x', '{}', '1c', 'x', now(), now(), 'x', 'x', '{}', now());
      insert into report_rows (statement_id, place, line, transfer_id, origin_id, role, outcome)
      select '00000000-0000-7000-8000-000000000001', 0, 1, id, id, 'booked', 'new' from transfers where ${settling()}`,
  ],
  [
    'undone-import-is-gone',
    'booked, and told by no file',
    () => `update transfers set told_booked_at = now() where ${settling()}`,
  ],
  [
    'transfers-stay-in-their-mode',
    'a live source on a test account',
    () => `update bank_sources set mode = 'live'`,
  ],
  [
    'sources-are-bound',
    'a bank that pushes for every account',
    () => `insert into bank_sources (id, name, mode, kind, channel, token_digest)
      values (gen_random_uuid(), 'Old bank', 'live', 'push', 'push', '\\x01')`,
  ],
  [
    'transfers-stay-in-their-mode',
    'test money for a live deposit',
    () => `update merchants set mode = 'live' where id = '${shop.merchant}'`,
  ],
  [
    'deadlines-are-kept',
    'open past its deadline',
    () => `${free} update deposits
      set created_at = now() - interval '1 hour', expires_at = now() - interval '6 minutes' where id = '${ids.open}'`,
    'open',
  ],
  [
    'load-is-true',
    'counted one too many',
    () => 'update requisite_loads set open_deposits = open_deposits + 1',
  ],
  ['load-is-true', 'not counted at all', () => 'delete from requisite_loads'],
  ['limits-are-kept', 'too many open', () => 'update requisites set open_deposits = 1'],
  ['limits-are-kept', 'too much for a day', () => 'update requisites set daily_cents = 1'],
  ['clock-is-true', 'shifted', () => `update installation set shift = '1 hour'`],
  ['server-keeps-its-word', 'synchronous_commit off', () => 'set local synchronous_commit = off'],
  [
    'server-settings-are-usual',
    'another isolation',
    () => `set local default_transaction_isolation = 'serializable'`,
  ],
  ['rules-are-in-force', 'a trigger off', () => free],
  [
    'rules-are-in-force',
    'a constraint dropped',
    () => 'alter table deposits drop constraint deposit_order_once',
  ],
  ['rules-are-in-force', 'an index dropped', () => 'drop index deposit_reference_once'],
  [
    'rules-are-in-force',
    'the sum of a transfer unguarded',
    () => 'alter table transfers drop constraint transfer_balances',
  ],
  ['rules-are-in-force', 'keys unguarded', () => 'alter table transfer_keys drop constraint transfer_key_id'],
  ['rules-are-in-force', 'facts unguarded', () => 'alter table transfers disable trigger user'],
  [
    'rules-are-in-force',
    'decisions that can be rewritten',
    () => 'grant update on transfer_decisions to inlet_runtime',
  ],
  ['rules-are-in-force', 'a right too many', () => 'grant update on deposit_history to inlet_runtime'],
  [
    'days-ahead-exist',
    'tomorrow missing',
    () => `do $$ begin
      execute 'drop table delivery_attempts_' || to_char(inlet_now() at time zone 'UTC' + interval '1 day', 'YYYYMMDD');
    end $$`,
  ],
  [
    'proxy-is-trusted',
    'a peer that nobody trusts',
    () => "update upkeep set forwarded_by = '192.0.2.1', forwarded_at = inlet_now()",
  ],
  ['backup-is-recent', 'production without any', () => 'update upkeep set backups_missing = true'],
  [
    'backup-is-recent',
    'WAL that is not copied',
    () =>
      "update upkeep set backups_on = true, full_backup_at = now(), wal_stored_at = now() - interval '16 minutes'",
  ],
  [
    'backup-is-recent',
    'a full one that is late',
    () =>
      "update upkeep set backups_on = true, full_backup_at = now() - interval '49 hours', wal_stored_at = now()",
  ],
  [
    'backup-is-recent',
    'a drill that failed',
    () => "update upkeep set drill_ok = false, drill_problem = 'audit-record-is-whole is broken.'",
  ],
  [
    'backup-is-recent',
    'old ones that the store does not let go',
    () =>
      "update upkeep set backups_on = true, full_backup_at = now(), wal_stored_at = now(), full_backup_problem = 'AccessDenied'",
  ],
  [
    'events-without-gap',
    'a number missing beside those that a restore left out',
    () => `delete from events where merchant_id = '${shop.merchant}' and sequence = 3;
      update event_counters
      set last_sequence = 1000000000, skipped = int8multirange(int8range(last_sequence + 1, 1000000001)) where merchant_id = '${shop.merchant}'`,
  ],
  [
    'secrets-open',
    'a seal damaged',
    () => `update api_keys set secret_sealed = '\\x01'::bytea || secret_sealed`,
  ],
  [
    'one-master-key',
    'a master key that was left, with values still sealed by it',
    () => `insert into key_generations (generation, key_id, next_key_id, recovery_key_sealed, head_key_sealed)
      values (0, '0123abcd', '4567abcd', ${zeros}, ${zeros})`,
  ],
  ['audit-record-is-whole', 'an entry without a place', () => auditEntry('now()')],
  [
    'audit-record-is-whole',
    'a seal of somebody else',
    () =>
      `insert into audit_seals (number, place, digest, sealed_at, mac) values (1, 1, ${zeros}, now(), ${zeros})`,
  ],
  ['audit-record-is-sealed', 'an entry that nobody sealed', () => auditEntry("now() - interval '3 hours'")],
]

for (const [name, title, script, id] of violations) {
  test(`${name}: ${title}`, async () => {
    const findings = await findingsAfter(script())
    const found = findings.find((finding) => finding.name === name)!
    const isWarning = [
      'sources-are-bound',
      'audit-record-is-sealed',
      'server-settings-are-usual',
      'backup-is-recent',
      'one-master-key',
    ].includes(name)
    const verdict = isWarning ? 'warning' : 'broken'
    assert.equal(found.verdict, verdict, JSON.stringify(notHolding(findings)))
    assert.ok(found.offenders.every((offender) => offender.id && offender.detail))
    if (id)
      assert.ok(
        found.offenders.some((offender) => offender.id === ids[id] || offender.detail.includes(ids[id])),
      )
  })
}

test('every invariant is violated here once, except for those that need a second server', () => {
  assert.deepEqual(
    invariants.map(({ name }) => name).filter((name) => !violations.some(([violated]) => violated === name)),
    // test/platform/replication.test.ts
    ['standby-has-what-was-acknowledged', 'replication-can-be-seen'],
  )
})

for (const [title, name, script] of [
  [
    'expiry that waits after an absence',
    'deadlines-are-kept',
    () => `${free} update upkeep set expiry_from = now();
      update deposits set created_at = now() - interval '1 hour', expires_at = now() - interval '6 minutes'
      where id = '${ids.open}'`,
  ],
  [
    'a callback that is held back by an earlier one of its deposit',
    'due-is-sent',
    () => `${activeLane()}
      update deliveries set attempts = 1, due_at = now() + interval '3 hours' where deposit_id = '${ids.byMoney}';
      update deliveries set due_at = now() - interval '2 hours' where deposit_id = '${ids.byMoney}'
        and sequence = (select max(sequence) from deliveries where deposit_id = '${ids.byMoney}')`,
  ],
  [
    'a paused endpoint with a backlog',
    'due-is-sent',
    () => `${activeLane()} update endpoints set state = 'paused' where ${lane()};
      update deliveries set due_at = now() - interval '2 days'`,
  ],
  [
    'a slot that is free again after the grace',
    'amount-belongs-to-one',
    () => `${free} delete from deposit_slots where deposit_id = '${ids.card}';
      update deposits set state = 'expired', late_until = expires_at, expires_at = created_at + interval '1 second'
        where id = '${ids.card}';
      update deposits set late_until = now() - interval '1 second', expires_at = created_at + interval '1 millisecond'
        where id = '${ids.card}'`,
  ],
] as const) {
  test(`${title} breaks nothing: ${name}`, async () => {
    const findings = await findingsAfter(script())
    assert.equal(findings.find((finding) => finding.name === name)!.verdict, 'holds')
  })
}

test('a wrong master key is found by the keys it cannot open', async () => {
  const findings = await examine({ db: gateway.db, vault: createVault(Buffer.alloc(32, 9)) }, { all: false })
  assert.deepEqual(
    notHolding(findings).map(({ name }) => name),
    ['secrets-open'],
  )
})

test('at most twenty violations are listed, and more are announced', async () => {
  const findings = await findingsAfter('delete from deliveries')
  const { offenders, more } = findings.find(({ name }) => name === 'callback-is-not-lost')!
  assert.deepEqual([offenders.length, more], [20, true])
})

test('a question that is not answered in time is unknown, and the others are asked', async () => {
  let asked = 0
  const db = {
    ...gateway.db,
    transaction: async <Result>(work: (tx: Tx) => Promise<Result>) => {
      asked += 1
      if (asked === 2) throw Object.assign(new Error('canceling statement'), { code: '57014' })
      return gateway.db.transaction(work)
    },
  }
  const findings = await examine({ db, vault: gateway.vault }, { all: false })
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict === 'unknown').map(({ name }) => name),
    [invariants[1]!.name],
  )
  assert.equal(findings.length, invariants.length)
})

test('queries of doctor cannot write', async () => {
  const db = {
    ...gateway.db,
    transaction: <Result>(work: (tx: Tx) => Promise<Result>) =>
      gateway.db.transaction(async (tx) => {
        await work(tx)
        return tx.query(sql`update merchants set name = 'x'`) as Result
      }),
  }
  await assert.rejects(examine({ db, vault: gateway.vault }, { all: false }), { code: '25006' })
})

test('inlet doctor: a table and exit code 0 without findings; each violated invariant with advice and exit code 1 otherwise', async () => {
  await commandsOn(gateway)
  const well = await inlet('doctor')
  assert.deepEqual([well.code, well.stderr], [0, ''])
  assert.match(well.stdout, /^promise +verdict +what it says\none-deposit-per-order +holds /)
  assert.match(well.stdout, /Every promise holds\.\n$/)
  assert.equal(JSON.parse((await inlet('doctor', '--all', '--json')).stdout).healthy, true)

  await gateway.database.shiftClock('1 minute')
  const unwell = await inlet('doctor')
  const asJson = await inlet('doctor', '--json')
  await gateway.database.shiftClock('0')
  assert.deepEqual([unwell.code, asJson.code], [1, 1])
  assert.match(
    unwell.stdout,
    /clock-is-true is broken: .+\n {2}What to do: .+\n {2}clock {2}shifted by 00:01:00\n/,
  )
  const { healthy, looked_at, promises: asked } = JSON.parse(asJson.stdout)
  assert.deepEqual([healthy, looked_at], [false, 'the last 7 days and everything open'])
  const clock = asked.find(({ name }: Finding) => name === 'clock-is-true')
  assert.deepEqual(clock.offenders, [{ id: 'clock', detail: 'shifted by 00:01:00' }])
})

test('inlet doctor: a bank source without listed accounts is a warning, and the exit code stays 0', async () => {
  await commandsOn(gateway)
  const { id } = await addSource(gateway.db, { name: 'Old bank', mode: 'test' })
  const warned = await inlet('doctor')
  assert.deepEqual([warned.code, warned.stderr], [0, ''])
  assert.match(warned.stdout, /sources-are-bound +warning /)
  assert.match(
    warned.stdout,
    new RegExp(`a warning: .+\\n {2}What to do: .+\\n {2}${id} {2}source "Old bank"`),
  )
  assert.match(warned.stdout, /Every promise holds\.\n$/)
  assert.equal(JSON.parse((await inlet('doctor', '--json')).stdout).healthy, true)
  await gateway.db.transaction((tx) => changeSourceWithin(tx, id, { accounts: () => [] }))
  assert.match((await inlet('doctor')).stdout, /sources-are-bound +holds /)
})
