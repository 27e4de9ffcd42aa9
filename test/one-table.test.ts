/** What the database, the API and the client spell once more is compared with the tables of the domain. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import type * as client from '../sdk/client.ts'
import { signedFields } from '../sdk/signature.ts'
import type { ProposalState } from '../src/domain/approvals/proposal.ts'
import { optionalEvents } from '../src/domain/callbacks/callback.ts'
import type { Outcome } from '../src/domain/callbacks/delivery/phases.ts'
import type { LimitAnswer } from '../src/domain/catalogue/limit.ts'
import { flows } from '../src/domain/catalogue/payment-type.ts'
import { depositStates, transitions } from '../src/domain/deposits/deposit.ts'
import {
  type BuildAnswer,
  BuildRequest,
  CreateRequest,
  type DepositPage,
  type DepositRecord,
  type PaymentData,
  requestFields,
} from '../src/domain/deposits/record.ts'
import { keyPurposes } from '../src/domain/merchants/api-key.ts'
import { logoTones } from '../src/domain/merchants/brand.ts'
import { modes, settingRules } from '../src/domain/merchants/merchant.ts'
import { statementsEn } from '../src/domain/messages/statements.ts'
import { bankOffset, bankZone, currencies, mostCents } from '../src/domain/money.ts'
import { linkHours } from '../src/domain/people/links/link.ts'
import { consoleLanguages, merchantRoles, operatorRoles, type Strength } from '../src/domain/people/person.ts'
import { amountMatchings, requisiteGroups, requisiteKinds } from '../src/domain/requisites/requisite.ts'
import { listKinds, lists } from '../src/domain/rules/listing.ts'
import type { SandboxTransferAnswer, SandboxTransferRequest } from '../src/domain/sandbox/record.ts'
import { channels, type FormatName, type Ids } from '../src/domain/transfers/channel.ts'
import type { Source } from '../src/domain/transfers/source.ts'
import { directions, type Told, transferStates } from '../src/domain/transfers/transfer.ts'
import { roles } from '../src/domain/transfers/voice.ts'
import { type Db, openDatabase, sql } from '../src/platform/db.ts'
import type { Static } from '../src/platform/schema.ts'
import type {
  CallbackPage,
  CallbackPayload,
  CallbackRecord,
  EventPage,
} from '../src/surfaces/api/callbacks/records.ts'
import { statementCommands } from '../src/surfaces/command-line/statement.ts'
import type { UploadState } from '../src/surfaces/desk/statements/rows.ts'
import { uploadWords } from '../src/surfaces/desk/statements/words.ts'
import { statementsRu } from '../src/surfaces/staff/sentences/ru-statements.ts'
import { languages } from '../src/surfaces/web/messages/languages.ts'
import { atEnd } from './support/clean-up.ts'
import { createDatabase } from './support/database.ts'

/** The members of a union; the compiler says when one is missing. */
const membersOf = <Union extends string>(members: Record<Union, true>) => Object.keys(members)

/** By the column that holds one of them. */
const tables: Record<string, readonly string[]> = {
  'api_keys.purpose': keyPurposes,
  'account_voices.ids': membersOf<Ids>({ lasting: true, daily: true, none: true }),
  'account_voices.role': roles,
  'bank_sources.channel': channels,
  'bank_sources.kind': membersOf<Source['kind']>({ push: true, file: true, sandbox: true, hand: true }),
  'bank_sources.mode': modes,
  'delivery_attempts.outcome': membersOf<Outcome>({ ok: true, retry: true, dead: true, probe: true }),
  'endpoints.state': ['active', 'waiting', 'paused'],
  'deliveries.state': ['open', 'dead'],
  'deposits.currency': currencies,
  'deposits.flow': flows,
  'deposits.state': depositStates,
  'list_entries.kind': listKinds,
  'list_entries.list': lists,
  'memberships.role': merchantRoles,
  'merchants.logo_tone': logoTones,
  'merchants.language': languages,
  'merchants.late_policy': settingRules.latePolicy.values,
  'merchants.mode': modes,
  'merchants.overpaid_policy': settingRules.overpaidPolicy.values,
  'merchants.underpaid_policy': settingRules.underpaidPolicy.values,
  'payment_limits.currency': currencies,
  'payment_types.requisite_group': [...requisiteGroups, 'select'],
  'people.language': consoleLanguages,
  'people.operator_role': operatorRoles,
  'proposals.state': membersOf<ProposalState>({ open: true, approved: true, refused: true, withdrawn: true }),
  'receiving_accounts.amount_matching': amountMatchings,
  'receiving_accounts.currency': currencies,
  'receiving_accounts.mode': modes,
  'requisites.kind': requisiteKinds,
  'sessions.strength': membersOf<Strength>({ password: true, full: true }),
  'sign_in_links.merchant_role': merchantRoles,
  'sign_in_links.operator_role': operatorRoles,
  'sign_in_links.purpose': Object.keys(linkHours),
  'staged_entries.role': [...roles, 'parked'],
  'staged_entries.outcome': membersOf<Exclude<Told['outcome'], 'new'>>({
    paired: true,
    known: true,
    held: true,
  }),
  'statement_uploads.state': membersOf<UploadState | 'arriving'>({
    arriving: true,
    reading: true,
    unmapped: true,
    previewed: true,
    taking: true,
    stopped: true,
    taken: true,
    failed: true,
  }),
  'statements.mode': modes,
  'report_rows.outcome': membersOf<Told['outcome']>({ new: true, paired: true, known: true, held: true }),
  'report_rows.role': roles,
  'transfer_keys.role': roles,
  'transfers.channel': channels,
  'transfers.currency': currencies,
  'transfers.direction': directions,
  'transfers.state': transferStates,
}

let db: Db
let constraints: { table: string; name: string; rule: string }[]
before(async () => {
  const { login } = await createDatabase()
  db = openDatabase(login, { role: 'inlet_runtime' })
  atEnd(() => db.close())
  constraints = await db.query<(typeof constraints)[number]>(sql`
    select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as rule
    from pg_constraint c
    join pg_class r on r.oid = c.conrelid
    where c.contype = 'c' and c.connamespace = 'inlet'::regnamespace and not r.relispartition`)
})

test('the database knows the members of every list that the program has', () => {
  const listed = constraints
    .filter(({ rule }) => !/ OR |CASE/.test(rule))
    .flatMap(({ table, rule }) =>
      [...rule.matchAll(/\((\w+) = ANY \(ARRAY\[('[^\]]+)\]\)\)/g)].map(([, column, members]) => [
        `${table}.${column}`,
        [...members!.matchAll(/'(\w+)'::text/g)].map(([, member]) => member!).sort(),
      ]),
    )
  const known = Object.entries(tables).map(([column, members]) => [column, members.toSorted()])
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(known))
})

test('the database knows the paths of a deposit', async () => {
  const [{ body } = { body: '' }] = await db.query<{ body: string }>(sql`
    select prosrc as body from pg_proc where oid = 'inlet.keep_deposit_path'::regproc`)
  const allowed = [...body.matchAll(/when '(\w+)' then new\.state (.+)/g)].flatMap(([, from, states]) =>
    [...states!.matchAll(/'(\w+)'/g)].map(([, to]) => `${from} → ${to}`),
  )
  const paths = Object.values(transitions).flatMap(({ from, to }) =>
    to === 'same' ? [] : from.map((state) => `${state} → ${to}`),
  )
  assert.deepEqual(allowed.sort(), paths.sort())
})

test('the database knows every event that a merchant may ask for', () => {
  const { rule } = constraints.find(({ name }) => name === 'merchant_optional_events')!
  assert.deepEqual(
    rule.match(/deposit\.\w+/g)?.sort(),
    optionalEvents.toSorted(),
    'A migration has to replace the check merchant_optional_events.',
  )
})

test('the database has the bounds of the settings and of every amount', () => {
  const bounds = new Map<string, { least: number; most: number }>(
    constraints.flatMap(({ table, rule }) =>
      [...rule.matchAll(/\((\w+) >= (\d+)\) AND \(\1 <= '?(\d+)'?(?:::bigint)?\)/g)].map(
        ([, column, least, most]) =>
          [`${table}.${column}`, { least: Number(least), most: Number(most) }] as const,
      ),
    ),
  )
  for (const column of ['deposits.amount_cents', 'transfers.cents'])
    assert.deepEqual(bounds.get(column), { least: 1, most: Number(mostCents) }, column)
  const { choiceMinutes, paymentMinutes, lateGraceHours, lateGraceAccountHours, ratePerSecond, rateBurst } =
    settingRules
  const settings = {
    choiceMinutes,
    paymentMinutes,
    lateGraceHours,
    lateGraceAccountHours,
    ratePerSecond,
    rateBurst,
  }
  for (const [name, { least, most }] of Object.entries(settings)) {
    const column = `merchants.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
    assert.deepEqual(bounds.get(column), { least, most }, column)
  }
})

test('the offset of each bank is that of its zone, in summer and in winter', () => {
  for (const currency of currencies)
    for (const day of ['2026-01-15', '2026-07-15']) {
      const zone = new Intl.DateTimeFormat('en', { timeZone: bankZone[currency], timeZoneName: 'longOffset' })
      const named = zone.formatToParts(new Date(day)).find(({ type }) => type === 'timeZoneName')
      assert.equal(named!.value, `GMT${bankOffset[currency]}`)
    }
})

test('every field of a request is signed', () => {
  assert.deepEqual(Object.keys({ ...requestFields, merchant: '' }).sort(), signedFields.create)
  for (const [operation, { properties }] of Object.entries({ create: CreateRequest, build: BuildRequest }))
    assert.deepEqual(Object.keys(properties).sort(), signedFields[operation as 'create' | 'build'])
})

/** `true` where both have the same fields; the compiler refuses the call below where they differ. */
type SameFields<One, Other> = [keyof One, keyof Other] extends [keyof Other, keyof One] ? true : false
/** An answer of the API, as the client reads it. */
type Reads<Read, Answer extends Read> = SameFields<Read, Answer>

test('the client has the fields of the API, each with its type', () => {
  const answers: [
    Reads<client.Deposit, Static<typeof DepositRecord>>,
    Reads<client.PaymentData, Static<typeof PaymentData>>,
    Reads<client.BuiltDeposit, Static<typeof BuildAnswer>>,
    Reads<client.DepositPage, Static<typeof DepositPage>>,
    Reads<client.Limits, Static<typeof LimitAnswer>>,
    Reads<client.CallbackEvent, Static<typeof CallbackPayload>>,
    Reads<client.EventPage, Static<typeof EventPage>>,
    Reads<client.Callback, Static<typeof CallbackRecord>>,
    Reads<client.CallbackPage, Static<typeof CallbackPage>>,
    Reads<client.SandboxPaid, Static<typeof SandboxTransferAnswer>>,
  ] = [true, true, true, true, true, true, true, true, true, true]
  const requests: [
    SameFields<client.NewDeposit & { merchant: string }, Static<typeof CreateRequest>>,
    SameFields<client.NewSelection & { merchant: string; payment_type: string }, Static<typeof BuildRequest>>,
    SameFields<client.SandboxPayment, Static<typeof SandboxTransferRequest>>,
  ] = [true, true, true]
  assert.ok([...answers, ...requests].every(Boolean))
})

test('every sentence and guide that lists the formats of statements names all of them', () => {
  const shown: Record<FormatName, RegExp> = {
    '1c': /1[CС]/, // Latin and Russian.
    camt: /camt\.053/,
    csv: /CSV/,
    mt940: /MT940/,
    xlsx: /Excel|XLSX/,
  }
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  const texts: Record<string, string> = {
    'not_a_statement in messages/statements.ts': statementsEn.not_a_statement,
    'not_a_statement in ru-statements.ts': statementsRu.not_a_statement,
    'uploadText in desk/statements/words.ts, en': uploadWords.uploadText[0],
    'uploadText in desk/statements/words.ts, ru': uploadWords.uploadText[1],
    'summary in command-line/statement.ts': statementCommands['statement import']!.summary,
    'README.md, at "statement import"': /statement import.*/.exec(read('README.md'))![0],
    'docs/operators.md, at "Bank statements"': read('docs/operators.md')
      .split('## Bank statements')[1]!
      .slice(0, 400),
    'docs/banks.md, its first paragraph': read('docs/banks.md').split('\n\n')[1]!,
  }
  const missing = Object.entries(texts).flatMap(([place, text]) =>
    Object.entries(shown).flatMap(([format, name]) =>
      name.test(text) ? [] : [`${format} is missing from ${place}`],
    ),
  )
  assert.deepEqual(missing, [])
  // Where a file is refused, and where it is uploaded, the list is the same.
  const list = (text: string) => /1[CС][^(]*\(\.xlsx\)/.exec(text)?.[0]
  assert.equal(list(statementsEn.not_a_statement), list(uploadWords.uploadText[0]))
  assert.equal(list(statementsRu.not_a_statement), list(uploadWords.uploadText[1]))
})
