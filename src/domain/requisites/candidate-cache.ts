/**
 * Candidates read a moment ago. The write of a deposit checks everything that may have changed since then (see
 * `add_loads`), so an old candidate costs a second attempt at most. Candidates are shared by id: a requisite that
 * serves several payment types counts its load, and its account's, once.
 */
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/db.ts'
import type { AccountLoad, Candidate } from './choice.ts'
import { readCandidates, type Wanted } from './store.ts'

/** `isFresh`: read from the database just now. */
export type Candidates = { candidates: readonly Candidate[]; isFresh: boolean }

export class CandidateCache {
  readonly #lists = new Map<string, { candidates: readonly Candidate[]; readAt: number }>()
  readonly #requisites = new Map<string, Candidate>()
  readonly #accounts = new Map<string, AccountLoad>()

  kept(wanted: Wanted): Candidates | undefined {
    const list = this.#lists.get(choiceKey(wanted))
    if (!list || monotonicMs() - list.readAt >= bounds.candidatesKeptMs) return undefined
    return { candidates: list.candidates, isFresh: false }
  }

  async read(db: Queryable, wanted: Wanted): Promise<Candidates> {
    const readAt = monotonicMs()
    const read = await readCandidates(db, wanted)
    if (this.#lists.size >= bounds.candidateLists) {
      this.#lists.clear()
      this.#requisites.clear()
      this.#accounts.clear()
    }
    const candidates = read.map((candidate) => this.#share(candidate))
    this.#lists.set(choiceKey(wanted), { candidates, readAt })
    return { candidates, isFresh: true }
  }

  /** The next read of these candidates asks the database. Those of other merchants stay. */
  forget(wanted: Wanted): void {
    this.#lists.delete(choiceKey(wanted))
  }

  #share(read: Candidate): Candidate {
    const account = read.account && update(this.#accounts, read.accountId, read.account)
    return update(this.#requisites, read.id, { ...read, account })
  }
}

export const choiceKey = ({ merchantId, currency, type }: Wanted) =>
  `${merchantId}:${currency}:${type.group}:${type.bankCode}`

function update<Value extends object>(known: Map<string, Value>, id: string, read: Value): Value {
  const value = known.get(id)
  if (value) return Object.assign(value, read)
  known.set(id, read)
  return read
}
