/** The references of the bench: all of its databases draw them in one known order, so that rows written here never have one that Inlet draws. */
import { type Reference, referenceFor } from '../src/domain/deposits/reference.ts'
import { referenceOrder } from '../src/domain/deposits/reference-order.ts'

export const referenceSeed = Buffer.alloc(32, 7)
const order = referenceOrder(referenceSeed)

/** The reference that is drawn as the n-th. */
export const drawnReference = (n: number): Reference => referenceFor(order(n))
