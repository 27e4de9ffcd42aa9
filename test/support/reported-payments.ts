/** One payment as different banks, sources and files report it, for searches among all the ways that there are. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { insertStatement } from '../../src/domain/statements/store.ts'
import type { IncomingEntry } from '../../src/domain/transfers/bank-entries.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { newId } from '../../src/platform/clock.ts'
import { type BankSources, bankDay, entryTo } from './bank.ts'
import type { TestGateway } from './gateway.ts'

/** How one payer is written by different banks and in different files. */
const payers = [
  {
    account: [
      ...['4081…0001', '****0001', '2200…1234', '3023…5678', ''],
      // A Visa card begins like a Russian account, and so may its end alone; a Mir card begins like an Uzbek account.
      ...['4058…4017', '4017', '2204…1234', '2261…0001'],
    ],
    name: ['Иванова Анна Петровна', 'Анна И.', 'IVANOVA ANNA', ''],
  },
  {
    account: [
      ...['4081…0002', '****0002', '2200…4321', '3023…5678', ''],
      ...['4058…4018', '4018', '2204…4321', '2261…0002'],
    ],
    name: ['Петров Олег Ильич', 'Олег П.', 'PETROV OLEG', ''],
  },
]

const report = fc.record({
  number: fc.constantFrom('ofOrder', 'ofPayer', 'none'),
  account: fc.nat({ max: 8 }),
  name: fc.nat({ max: 3 }),
  purpose: fc.constantFrom('whole', 'whole', 'prefixed', 'cut', 'none'),
  days: fc.constantFrom(0, 0, 1, 3, 9),
  hasPaidOn: fc.boolean(),
})

const wayOf = (name: keyof BankSources, channel: IncomingEntry['channel'], hasIds: fc.Arbitrary<boolean>) =>
  fc.record({
    name: fc.constant(name),
    channel: fc.constant(channel),
    hasIds,
    first: report,
    /** A second file of the same bank: to the letter, or in another layout, on the same day. */
    again: fc.option(fc.option(report, { freq: 2 }), { freq: 2 }),
    /** Of each payment, whether this way leaves it out. */
    omits: fc.array(fc.constantFrom(false, false, false, true), { minLength: 3, maxLength: 3 }),
  })

/** One to three ways, each with its own idea of every payment. */
export const ways = fc.uniqueArray(
  fc.oneof(
    wayOf('one', 'push', fc.constant(true)),
    wayOf('other', 'push', fc.constant(true)),
    wayOf('file', '1c', fc.constant(false)),
    wayOf('file', 'csv', fc.boolean()),
    wayOf('file', 'xlsx', fc.boolean()),
    wayOf('file', 'camt', fc.constant(true)),
    wayOf('file', 'mt940', fc.boolean()),
  ),
  { minLength: 1, maxLength: 3, selector: ({ name, channel }) => name + channel },
)

type Report = typeof report extends fc.Arbitrary<infer Drawn> ? Drawn : never
type Way = typeof ways extends fc.Arbitrary<(infer Drawn)[]> ? Drawn : never
export type Payment = { cents: bigint; payer: number; day: number; reference: string } & Record<
  'ofOrder' | 'ofPayer' | 'none',
  string
>
export type Delivery = { source: Source; entries: IncomingEntry[] }

let documents = 100
/** The numbers that different formats may have of one payment. */
export function newNumbers(): Pick<Payment, 'ofOrder' | 'ofPayer' | 'none'> {
  documents += 2
  return { ofOrder: String(documents), ofPayer: `INV-${documents + 1}`, none: '' }
}

export async function newStatement(
  { db }: TestGateway,
  facts: { format?: string; numberedBy?: string } = {},
): Promise<string> {
  const id = newId()
  const named = { fileName: 'day', format: '1c', takenBy: 'test', ...facts }
  const digests = { digest: randomBytes(32), fileDigest: randomBytes(32) }
  await db.transaction((tx) => insertStatement(tx, { id, mode: 'test', ...digests, ...named }))
  return id
}

const purposeOf = ({ reference }: Payment, how: Report['purpose']): string =>
  ({
    whole: reference || 'Перевод',
    prefixed: `СБП: ${reference || 'Перевод'}`,
    cut: (reference || 'Перевод').slice(0, 5),
    none: '',
  })[how]

/** Equal rows of one file are numbered, as an import does it. */
export function numbered(entries: readonly IncomingEntry[]): IncomingEntry[] {
  const times = new Map<string, number>()
  return entries.map((entry) => {
    const key = [
      ...[entry.direction, entry.bookedOn, entry.cents, entry.documentNumber, entry.purpose],
      ...[entry.payerAccount, entry.payerName],
    ].join()
    times.set(key, (times.get(key) ?? 0) + 1)
    return entry.bankId === null ? { ...entry, occurrence: times.get(key)! } : entry
  })
}

/** Each file, and each push, in the order of the ways. The text of an entry says which payment it is. */
export async function deliveriesOf(
  { gateway, sources }: { gateway: TestGateway; sources: BankSources },
  used: readonly Way[],
  payments: readonly Payment[],
  accountId: string,
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  for (const { name, channel, hasIds, first, again, omits } of used) {
    const ids = payments.map(() => (hasIds ? newId() : null))
    const reports = again === null || channel === 'push' ? [first] : [first, again ?? first]
    for (const { number: field, account, name: spelt, purpose: how, hasPaidOn } of reports) {
      // Of one format, files have the number in the same field, or not at all.
      const number = field === 'none' || first.number === 'none' ? field : first.number
      const statementId = channel === 'push' ? null : await newStatement(gateway)
      const entries = payments.flatMap((payment, place) => {
        if (omits[place]) return []
        const { cents, payer, day } = payment
        const purpose = purposeOf(payment, how)
        return entryTo(accountId, {
          ...{
            cents,
            documentNumber: payment[number],
            bankId: ids[place]!,
            purpose,
            purposeParts: [purpose],
            raw: `p${place}`,
          },
          ...{ bookedOn: bankDay(day + first.days), paidOn: hasPaidOn ? bankDay(day) : null },
          ...{ payerAccount: payers[payer]!.account[account]!, payerName: payers[payer]!.name[spelt]! },
          ...{ channel, version: 0n, statementId, line: place + 1 },
        })
      })
      if (channel === 'push')
        deliveries.push(...entries.map((entry) => ({ source: sources[name], entries: [entry] })))
      else deliveries.push({ source: sources[name], entries: numbered(entries) })
    }
  }
  return deliveries
}
