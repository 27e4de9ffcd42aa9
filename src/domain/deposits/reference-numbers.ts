/** Hands out reference numbers from blocks, so that most references need no query. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { type Reference, referenceFor } from './reference.ts'
import { takeReferenceBlock } from './store.ts'

export class ReferenceNumbers {
  #next = 0
  #end = 0

  async next(db: Db): Promise<Reference> {
    if (this.#next === this.#end) {
      this.#next = await takeReferenceBlock(db)
      this.#end = this.#next + bounds.referenceBlock
    }
    return referenceFor(this.#next++)
  }
}
