/**
 * The orders that this process answered last, of which some will be repeated: they are looked up before they are written. Only
 * hashes in a table of a fixed size: an order that is forgotten, or mistaken for another, costs one query more, and no answer
 * comes from here. Pure.
 */
const entries = 1 << 18

export class AnsweredOrders {
  readonly #hashes = new Uint32Array(entries)

  add(key: string): void {
    const hash = hashOf(key)
    this.#hashes[hash % entries] = hash
  }

  has(key: string): boolean {
    const hash = hashOf(key)
    return this.#hashes[hash % entries] === hash
  }
}

/** FNV-1a. Zero is an empty entry. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash >>> 0 || 1
}
