/** Hands out reference numbers from blocks, so that most references need no query. */
import { bounds } from '../../platform/bounds.ts'
import type { Queryable } from '../../platform/db.ts'
import { type Reference, referenceFor } from './reference.ts'
import { referenceOrder } from './reference-order.ts'
import { takeReferenceBlock } from './reference-store.ts'

export class ReferenceNumbers {
  #next = 0
  #end = 0
  #order: ((n: number) => number) | undefined

  async next(db: Queryable): Promise<Reference> {
    if (this.#next === this.#end) {
      const { first, seed } = await takeReferenceBlock(db)
      this.#order ??= referenceOrder(seed)
      this.#next = first
      this.#end = first + bounds.referenceBlock
    }
    return referenceFor(this.#order!(this.#next++))
  }
}
