/**
 * Counts attacks by kind. Every attempt is noted with whether it got through; one that did fails its test by name.
 * INLET_ATTACKS=whole (npm run test:attacks) makes all of them, npm test a short slice.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { bounds } from '../../src/platform/bounds.ts'

export const isWhole = process.env.INLET_ATTACKS === 'whole'

/** How many of something: in the whole suite, and in the slice of npm test. */
export const many = (whole: number, slice: number): number => (isWhole ? whole : slice)

type Tally = { kind: string; made: number; through: number }

/** Of every attack file that this process has loaded, in their order. */
const tallies: Tally[] = []

const lineOf = ({ kind, made, through }: Tally): string =>
  `${kind.padEnd(24)} ${made.toLocaleString('en').padStart(7)} attempts  ${through} through`

const totalOf = (counted: readonly Tally[]): Tally => ({
  kind: 'in all',
  made: counted.reduce((sum, { made }) => sum + made, 0),
  through: counted.reduce((sum, { through }) => sum + through, 0),
})

/** Notes one attempt under the name by which a person can repeat it. */
export type Note = (attempt: string, gotThrough: boolean) => void

type Attacks = {
  /** A test made of attempts: none may get through. */
  attack(name: string, make: (note: Note, t: TestContext) => Promise<void>, options?: AttackOptions): void
  /** The last test of a file: tells how many attempts were made. */
  report(): void
}
type AttackOptions = { skip?: string | false; timeout?: number }

export function attacksOf(kind: string): Attacks {
  // Two files may make attempts of one kind.
  const known = tallies.find((tally) => tally.kind === kind)
  const tally: Tally = known ?? { kind, made: 0, through: 0 }
  if (!known) tallies.push(tally)
  let isSkipped = false
  return {
    attack(name, make, { skip = false, timeout = 600_000 } = {}) {
      if (skip) isSkipped = true
      test(name, { skip, timeout }, async (t) => {
        const through: string[] = []
        let made = 0
        await make((attempt, gotThrough) => {
          made++
          tally.made++
          if (!gotThrough) return
          tally.through++
          through.push(attempt)
        }, t)
        assert.ok(made > 0, 'no attempt was made')
        assert.deepEqual(through.slice(0, 20), [], `${through.length} of ${made} got through`)
      })
    },
    report() {
      test(`none got through: ${kind}`, (t) => {
        t.diagnostic(lineOf(tally))
        assert.ok(isSkipped || tally.made > 0, 'no attempt was made')
        assert.equal(tally.through, 0)
      })
    },
  }
}

/** The table of all kinds, for the end of a process that ran them all. */
export function reportAll(): void {
  test('attacks in all', (t) => {
    for (const tally of [...tallies, totalOf(tallies)]) t.diagnostic(lineOf(tally))
  })
}

/** So many at a time, which is how many connections the consoles have: more wait for one, on a slow machine in vain. */
export async function inTurns<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  atOnce: number = bounds.databaseConnections.people,
): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

let addresses = 0
/** An address of its own for every attempt, so that none is refused for those before it. */
export const fromAnywhere = (): Record<string, string> => {
  addresses++
  return { 'x-forwarded-for': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` }
}
/** What a gateway must believe for that. */
export const behindProxy = { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' }
