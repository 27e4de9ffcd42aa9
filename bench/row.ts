/** A row of the performance table: what it measures and what it must reach. */
import type { World } from './world.ts'

/** `ratio` is value ÷ reference, both taken in this run; a row without a reference is judged by its value. */
export type Measured = {
  /** Null where something that the row needs is not installed: the note says what. */
  value: number | null
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
  /** What is measured, and what its reference is. */
  what: string
  must: Goal
  aim: Goal
  measure(world: World): Promise<Measured>
}

export function reaches(goal: Goal, { value, ratio }: Measured): boolean {
  const figure = ratio ?? value ?? Number.NaN
  return 'least' in goal ? figure >= goal.least : figure <= goal.most
}
