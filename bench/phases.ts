/**
 * The pieces the rows are made of. Machines here are shared and noisy, so what is compared takes turns, two
 * seconds each, and the round with the median ratio is the result: noise that lasts hits both sides of a round,
 * and a round that noise hit on one side is none of the middle.
 */
import { type Bared, openBare } from './bare.ts'
import { type LoadResult, openLoad } from './load.ts'
import type { OrderKind } from './orders.ts'
import type { Place, World } from './world.ts'

export const phase = {
  rounds: 5,
  seconds: 2,
  // A young process costs twice as much for each request: it is compiled while it runs.
  warmUpSeconds: 10,
  rewarmSeconds: 1,
  trialSeconds: 1.5,
  connections: 64,
  /** Requests prepared for each second; a faster Inlet ends its phase early and loses nothing by it. */
  mostPerSecond: 12_000,
} as const

/** What a phase did: its work, and the processor time all of it took, which noise changes least. */
type Phase = { perSecond: number; p99Ms: number; cpuMicros: number | null }

/** Creates over HTTP on one database, warmed up. */
type Creates = {
  /** As fast as answers come, or at a rate. */
  run(seconds?: number, rate?: number | null): Promise<Phase>
  /** Sends again what the last run sent, perhaps to another server. */
  replay(to?: number): Promise<Phase>
  close(): Promise<void>
}

export async function openCreates(world: World, place: Place, kind: OrderKind): Promise<Creates> {
  const { port, lastWords } = await world.inlet(place)
  const load = openLoad(lastWords)
  const { connections } = phase
  const run = async (seconds: number = phase.seconds, rate: number | null = null) => {
    const count = Math.ceil(seconds * (rate ?? phase.mostPerSecond))
    await load.prepare({ shop: world.shop, kind, from: world.draw(count), count })
    return metered(world, () => load.drive({ port, connections, seconds, rate }, 201))
  }
  const replay = (to = port) => {
    const drive = { port: to, connections, seconds: phase.seconds, rate: null, replay: true }
    return metered(world, () => load.drive(drive, 200))
  }
  return closedOnFault(load, async () => {
    await run(warmed.has(port) ? phase.rewarmSeconds : phase.warmUpSeconds)
    warmed.add(port)
    return { run, replay, close: () => load.close() }
  })
}

/** The ports of the Inlets that are warm. */
const warmed = new Set<number>()

/** Bare commits of the same rows, at the concurrency that serves them best. */
type Reference = {
  connections: number
  run(): Promise<Phase>
  close(): Promise<void>
}

const concurrencies = [4, 8, 16, 32]

export async function openReference(
  world: World,
  place: Place,
  kind: OrderKind,
  tried: readonly number[] = concurrencies,
): Promise<Reference> {
  const receivers = kind === 'card' ? world.cards : world.accounts
  const bare = await openBare({ login: world.login(place), kind, shop: world.shop, receivers })
  const commit = async (connections: number, seconds: number) => {
    const count = Math.ceil(seconds * phase.mostPerSecond)
    const rows = await bare.prepare(world.draw(count), count)
    return metered(world, () => bare.commit(rows, connections, seconds))
  }
  return closedOnFault(bare, async () => {
    await commit(tried[0]!, phase.trialSeconds) // Warms up.
    let best = { connections: tried[0]!, perSecond: 0 }
    for (const connections of tried) {
      world.status(`reference: bare commits on ${connections} connections`)
      const { perSecond } = await commit(connections, phase.trialSeconds)
      if (perSecond > best.perSecond) best = { connections, perSecond }
    }
    const { connections } = best
    return { connections, run: () => commit(connections, phase.seconds), close: () => bare.close() }
  })
}

async function metered(world: World, work: () => Promise<LoadResult | Bared>): Promise<Phase> {
  const before = await world.cpuMs()
  const { answered, perSecond, p99Ms } = await work()
  const after = await world.cpuMs()
  const cpuMicros = before === null || after === null ? null : ((after - before) / answered) * 1000
  return { perSecond, p99Ms, cpuMicros }
}

type Compared = { value: number; reference: number; ratio: number; cpu: string; range: string }

/** Runs both in turn and returns the round with the median ratio. */
export async function alternate(
  world: World,
  label: string,
  figure: 'perSecond' | 'p99Ms',
  sides: { value: () => Promise<Phase>; reference: () => Promise<Phase> },
): Promise<Compared> {
  const rounds: { value: Phase; reference: Phase; ratio: number }[] = []
  for (let round = 1; round <= phase.rounds; round++) {
    world.status(`${label}: round ${round} of ${phase.rounds}, reference`)
    const reference = await sides.reference()
    world.status(`${label}: round ${round} of ${phase.rounds}, measured`)
    const value = await sides.value()
    rounds.push({ value, reference, ratio: value[figure] / reference[figure] })
  }
  rounds.sort((left, right) => left.ratio - right.ratio)
  const { value, reference, ratio } = rounds[rounds.length >> 1]!
  const micros = (side: 'value' | 'reference') =>
    Math.round(median(rounds.map((round) => round[side].cpuMicros ?? 0)))
  return {
    value: value[figure],
    reference: reference[figure],
    ratio,
    range: `ratios ${rounds[0]!.ratio.toFixed(2)} to ${rounds.at(-1)!.ratio.toFixed(2)}`,
    // Client, Inlet and PostgreSQL together. On a busy machine it tells more than the rate.
    cpu: `CPU each ${micros('value')} µs against ${micros('reference')} µs`,
  }
}

export function median(figures: number[]): number {
  const sorted = figures.toSorted((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

async function closedOnFault<Result>(
  opened: { close(): Promise<void> },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await opened.close()
    throw error
  }
}
