/** Requisites have an owner, pass their country's rules, and exist once. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bankZone, currencies } from '../src/domain/money.ts'
import { addAccount, addRequisite, setRequisite } from '../src/domain/requisites/add-requisite.ts'
import { type Db, openDatabase, sql } from '../src/platform/db.ts'
import { atEnd } from './support/clean-up.ts'
import { createDatabase } from './support/database.ts'

let db: Db
let accountId: string
before(async () => {
  const { login } = await createDatabase()
  db = openDatabase(login, { role: 'inlet_runtime' })
  atEnd(() => db.close())
  accountId = (await addAccount(db, account)).id
})

const account = {
  mode: 'live',
  currency: 'RUB',
  merchantId: null,
  label: 'Main',
  ownerLegalName: 'ООО "Пример"',
  ownerPublicName: 'Пример',
  ownerTaxId: '7700000009',
  ownerAgreement: 'No. 1',
  addedBy: 'test',
} as const
const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
const card = { kind: 'card', number: '2200 0000 0000 0004', holder: 'TEST', bankName: 'Test' } as const
const add = (draft: Parameters<typeof addRequisite>[1]['draft'], confirmed = false) =>
  addRequisite(db, { accountId, draft, bankCode: null, limits, confirmed })

test('a receiving account without an owner on record cannot exist', async () => {
  for (const missing of ['ownerLegalName', 'ownerTaxId', 'ownerAgreement'] as const) {
    await assert.rejects(addAccount(db, { ...account, [missing]: '' }), { code: 'invalid_value' })
  }
})

test('a requisite is saved in its normal form, once', async () => {
  const { id } = await add(card)
  const [row] = await db.query<{ number: string; mode: string }>(
    sql`select number, mode from requisites where id = ${id}`,
  )
  assert.deepEqual(row, { number: '2200000000000004', mode: 'live' })
  await assert.rejects(add(card), { code: 'already_exists' })
})

test('one card is one receiving account, whatever its bank is called', async () => {
  const other = await addAccount(db, account)
  await assert.rejects(
    addRequisite(db, {
      accountId: other.id,
      draft: { ...card, bankName: 'Тест' },
      bankCode: null,
      limits,
      confirmed: true,
    }),
    { code: 'already_exists' },
  )
})

test('a requisite that breaks the country’s rules is not saved, and the refusal does not repeat the number', async () => {
  const refused = add({ ...card, number: '2200000000000005' }, true)
  await assert.rejects(refused, (error: { code: string; details: object }) => {
    assert.equal(error.code, 'invalid_value')
    assert.doesNotMatch(JSON.stringify(error.details), /2200000000000005/)
    return true
  })
})

test('an unusual requisite is saved after the operator has confirmed it', async () => {
  const unusual = { ...card, number: '8600123412341234' }
  await assert.rejects(add(unusual), { code: 'confirmation_required' })
  assert.ok((await add(unusual, true)).warnings.length > 0)
})

test('an unknown account or requisite is not found', async () => {
  const nobody = '00000000-0000-7000-8000-000000000000'
  await assert.rejects(
    addRequisite(db, { accountId: nobody, draft: card, bankCode: null, limits, confirmed: true }),
    {
      code: 'not_found',
    },
  )
  await assert.rejects(setRequisite(db, nobody, false), { code: 'not_found' })
})

test('the database’s bank day and the program’s bank zones agree', async () => {
  for (const currency of currencies) {
    for (const hour of [
      '2026-11-14T18:59:59Z',
      '2026-11-14T19:00:00Z',
      '2026-11-14T21:00:00Z',
      '2026-11-14T20:59:59Z',
    ]) {
      const [row] = await db.query<{ day: string }>(
        sql`select bank_day(${currency}, ${hour}::timestamptz) as day`,
      )
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: bankZone[currency] }).format(new Date(hour))
      assert.equal(row!.day, day, `${currency} ${hour}`)
    }
  }
})
