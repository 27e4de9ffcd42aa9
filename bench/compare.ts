/**
 * Machines here are shared and noisy, so what is compared takes turns, two seconds each, and the round with the median ratio is
 * the result: noise that lasts hits both sides of a round, and a round that noise hit on one side is none of the middle.
 */
import type { Measured } from './row.ts'
import { settings } from './settings.ts'
import type { World } from './world.ts'

/** What a phase did. */
export type Phase = { answered: number; perSecond: number; p99Ms: number }

type Sides = { value: () => Promise<Phase>; reference: () => Promise<Phase> }

/** Runs both in turn and returns the round with the median ratio. */
export async function alternate(
  world: World,
  label: string,
  figure: 'perSecond' | 'p99Ms',
  sides: Sides,
): Promise<Measured> {
  const rounds: { value: number; reference: number; ratio: number }[] = []
  const cpu: { inlet: number; postgres: number }[] = []
  for (let round = 1; round <= settings.rounds; round++) {
    world.status(`${label}: round ${round} of ${settings.rounds}, reference`)
    const reference = (await sides.reference())[figure]
    world.status(`${label}: round ${round} of ${settings.rounds}, measured`)
    const before = await world.cpuMs()
    const phase = await sides.value()
    const after = await world.cpuMs()
    cpu.push({
      inlet: (after.inlet - before.inlet) / phase.answered,
      postgres: (after.postgres - before.postgres) / phase.answered,
    })
    rounds.push({ value: phase[figure], reference, ratio: phase[figure] / reference })
  }
  const sorted = rounds.toSorted((left, right) => left.ratio - right.ratio)
  const micros = (program: 'inlet' | 'postgres') =>
    Math.round(median(cpu.map((each) => each[program])) * 1000)
  return {
    ...sorted[sorted.length >> 1]!,
    unit: figure === 'perSecond' ? '1/s' : 'ms',
    note: `ratios ${sorted[0]!.ratio.toFixed(2)} to ${sorted.at(-1)!.ratio.toFixed(2)}; processor each: Inlet ${micros('inlet')} µs, PostgreSQL ${micros('postgres')} µs`,
  }
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
