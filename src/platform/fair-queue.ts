/**
 * A bounded queue in which the many items of one owner do not delay the few of another. Owners are served in turn, one
 * item at a time. When it is full, the owner with the most loses its newest item to an owner with fewer. Pure.
 */
type FairQueue<Item> = {
  /** Returns the item that was dropped for it, if any: perhaps the item itself. */
  add(owner: string, item: Item): Item | undefined
  /** The next in turn, of those owners that may have one now. */
  take(mayHave?: (owner: string) => boolean): Item | undefined
  /** Whether another item of this owner would be refused. */
  isFullFor(owner: string): boolean
  readonly size: number
}

export function createFairQueue<Item>(most: number): FairQueue<Item> {
  /** In the order of their turns. */
  const lines = new Map<string, Item[]>()
  let size = 0

  /** The owner with the most, if taking its newest for this owner makes them more even. */
  function longest(owner: string): string | undefined {
    let length = (lines.get(owner)?.length ?? 0) + 1
    let found: string | undefined
    for (const [name, items] of lines) {
      if (items.length <= length) continue
      length = items.length
      found = name
    }
    return found
  }

  return {
    add(owner, item) {
      let dropped: Item | undefined
      if (size >= most) {
        const name = longest(owner)
        if (name === undefined) return item
        dropped = lines.get(name)!.pop()
        size--
      }
      const line = lines.get(owner)
      if (line) line.push(item)
      else lines.set(owner, [item])
      size++
      return dropped
    },
    take(mayHave = () => true) {
      for (const [owner, line] of lines) {
        if (!mayHave(owner)) continue
        const item = line.shift()!
        lines.delete(owner)
        if (line.length > 0) lines.set(owner, line)
        size--
        return item
      }
      return undefined
    },
    isFullFor: (owner) => size >= most && longest(owner) === undefined,
    get size() {
      return size
    },
  }
}
