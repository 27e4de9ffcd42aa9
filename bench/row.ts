/** A row of the performance table: what it measures and what it must reach. */
import type { World } from './world.ts'

/** `deposits`: how many old ones the rows about growth write. */
type Options = { deposits: number }

/** `ratio` is value ÷ reference, both taken in this run; a row without a reference is judged by its value. */
export type Measured = {
  value: number
  unit: string
  reference: number | null
  ratio: number | null
  /** What the figures were taken with, in a few words. */
  note: string
}

/** In the ratio where there is one, else in the value. */
export type Goal = { least: number } | { most: number }

export type Row = {
  name: string
  /** Null where the figure only explains others. */
  must: Goal | null
  aim: Goal | null
  measure(world: World, options: Options): Promise<Measured>
}

export function reaches(goal: Goal, { value, ratio }: Measured): boolean {
  const figure = ratio ?? value
  return 'least' in goal ? figure >= goal.least : figure <= goal.most
}
