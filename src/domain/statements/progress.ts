/** Progress of an import: how far it is, and how long the rest will take. */

export type ImportProgress = {
  /** Every row is read before the first one is matched. */
  phase: 'reading' | 'matching'
  rows: number
  /** Null while the number is unknown. */
  total: number | null
  matched: number
  /** What is done of this phase, from 0 to 1. */
  share: number
  elapsedMs: number
}

export const notBegun: ImportProgress = {
  phase: 'reading',
  rows: 0,
  total: null,
  matched: 0,
  share: 0,
  elapsedMs: 0,
}

/** Until the end of this phase, at the current rate. */
export const secondsLeft = ({ share, elapsedMs }: ImportProgress): number | null =>
  share > 0 && share < 1 ? Math.ceil((elapsedMs * (1 - share)) / share / 1000) : null

/** `1:05`, `2:03:07`. */
export function clockText(seconds: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const rest = two(Math.floor(seconds % 60))
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`
}
