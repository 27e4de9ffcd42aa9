/** What a file books on a day that is over, and what was told early of it: what people decide about the two. */

import type { WrittenEntry } from '../../src/domain/statements/writers/statement.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, importBytes, transferTo } from './bank.ts'
import type { TestGateway } from './gateway.ts'
import { writeCamt } from './writers/camt.ts'

export const yesterday = bankDay(-1)

/** Two valid tax ids: what has one is not what has the other, so that the two are held. */
const taxIds = ['7700000009', '7707083893'] as const

const accountNumber = async ({ db }: TestGateway, id: string): Promise<string> =>
  (await db.one<{ number: string }>(sql`select number from receiving_accounts where id = ${id}`)).number

type Row = Partial<WrittenEntry> & { cents: bigint }

/** A camt.053 file of one day; `madeOn`: a file of a later day closes it. */
export async function fileOfDay(
  gateway: TestGateway,
  accountId: string,
  rows: readonly Row[],
  { day = yesterday, madeOn = bankDay(0) } = {},
): Promise<Uint8Array> {
  const account = await accountNumber(gateway, accountId)
  const entries = rows.map((row, place) => ({
    ...{
      line: place + 1,
      direction: 'credit' as const,
      bankId: newId(),
      documentNumber: '',
      purpose: 'Перевод',
    },
    ...{ bookedOn: day, bookedAt: null, paidOn: null },
    ...{ payerName: 'Иванова Анна', payerAccount: '', payerTaxId: '', payerBank: '' },
    ...row,
  }))
  const id = newId().slice(0, 35)
  return writeCamt([{ account, currency: 'RUB', from: day, to: day, entries }], `${madeOn}T20:00:00`, id)
}

export async function importDay(
  gateway: TestGateway,
  accountId: string,
  rows: readonly Row[],
  how: { day?: string; madeOn?: string } = {},
) {
  return importBytes(depositContextOf(gateway), await fileOfDay(gateway, accountId, rows, how), {
    name: 'day.xml',
  })
}

/** Payments that were told early, and booked rows of the same amounts that are held for them; ids in the order of the amounts. */
export async function heldDay(
  gateway: TestGateway,
  accountId: string,
  amounts: readonly bigint[],
  { day = yesterday, purpose = 'Перевод' } = {},
): Promise<{ early: string[]; held: string[] }> {
  const early: string[] = []
  for (const cents of amounts)
    early.push(await transferTo(gateway, accountId, { cents, bookedOn: day, payerTaxId: taxIds[0] }))
  const rows = amounts.map((cents) => ({ cents, payerTaxId: taxIds[1], purpose }))
  const file = await fileOfDay(gateway, accountId, rows, { day })
  await importBytes(depositContextOf(gateway), file, { name: 'day.xml', isComplete: true })
  const held: string[] = []
  for (const cents of amounts) {
    const { id } = await gateway.db.one<{ id: string }>(
      sql`select id from transfers where account_id = ${accountId} and cents = ${cents} and state = 'held'`,
    )
    held.push(id)
  }
  return { early, held }
}

export const stateOfTransfer = async ({ db }: TestGateway, id: string): Promise<string> =>
  (await db.one<{ state: string }>(sql`select state from transfers where id = ${id}`)).state
