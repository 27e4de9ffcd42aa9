/** Which change of limits is looser: those wait for a second person. */
import type { Cents } from '../money.ts'

/** Limits by their names; null is none. */
export type LimitValues = Readonly<Record<string, Cents | number | null>>

/** Whether one of them lets more through than before. A higher minimum is stricter. */
export const isLooser = (before: LimitValues, wanted: LimitValues): boolean =>
  Object.entries(wanted).some(([name, is]) => {
    const was = before[name] ?? null
    if (is === null || was === null) return is === null && was !== null
    return name === 'minCents' ? is < was : is > was
  })

/** Those that differ, by what they were and are. */
export function changedLimits(before: LimitValues, wanted: LimitValues) {
  const names = Object.keys(wanted).filter((name) => (before[name] ?? null) !== wanted[name])
  const pick = (values: LimitValues) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  return { before: pick(before), after: pick(wanted), isUnchanged: names.length === 0 }
}
