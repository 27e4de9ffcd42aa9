/** A database that dies at a step, as the process of its user does; and one beside which something happens at a step. */
import type { Db } from '../../src/platform/db.ts'

/** Before each call: what the ones before it did is committed, and a process that dies within a transaction has done nothing in it. */
type At = (step: number) => Promise<void> | void

export function withSteps(db: Db, at: At): Db {
  let steps = 0
  const asked = ['query', 'find', 'one', 'has', 'run', 'transaction'] as const
  const wrapped = Object.fromEntries(
    asked.map((name) => [
      name,
      async (...words: unknown[]) => {
        await at(++steps)
        return (db[name] as (...words: unknown[]) => Promise<unknown>)(...words)
      },
    ]),
  )
  return new Proxy(db, {
    get: (target, name) => wrapped[name as string] ?? Reflect.get(target, name),
  })
}

/** From this step on every call fails: also those that would clear away what was left. */
export function dyingAt(db: Db, last: number): { db: Db; hasDied: () => boolean } {
  let hasDied = false
  const dying = withSteps(db, (step) => {
    if (step < last) return
    hasDied = true
    throw new Error('killed')
  })
  return { db: dying, hasDied: () => hasDied }
}
