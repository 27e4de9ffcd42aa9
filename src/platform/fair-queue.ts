/**
 * A bounded queue in which the many items of one owner do not delay the few of another. Owners are served in turn, one
 * item at a time. When it is full, the owner with the most loses its newest item to an owner with fewer. Pure.
 */
type FairQueue<Item> = {
  /** Returns the item that was dropped for it, if any: perhaps the item itself. */
  add(owner: string, item: Item): Item | undefined
  /** The next in turn. */
  take(): Item | undefined
  delete(owner: string, item: Item): void
  /** Whether another item of this owner would be refused. */
  isFullFor(owner: string): boolean
  readonly size: number
}

export function createFairQueue<Item>(most: number): FairQueue<Item> {
  /** In the order of their turns. */
  const lines = new Map<string, Set<Item>>()
  let size = 0

  /** The longest line, where taking its newest for this owner makes the lines more even. */
  function longestLine(owner: string): [string, Set<Item>] | undefined {
    const own = lines.get(owner)?.size ?? 0
    let longest: [string, Set<Item>] | undefined
    for (const line of lines) if (line[1].size > (longest?.[1].size ?? own + 1)) longest = line
    return longest
  }

  function remove(owner: string, line: Set<Item>, item: Item): void {
    if (!line.delete(item)) return
    size--
    if (line.size === 0) lines.delete(owner)
  }

  return {
    add(owner, item) {
      let leaving: Item | undefined
      if (size >= most) {
        const longest = longestLine(owner)
        if (!longest) return item
        leaving = [...longest[1]].at(-1)!
        remove(...longest, leaving)
      }
      const line = lines.get(owner) ?? new Set()
      lines.set(owner, line.add(item))
      size++
      return leaving
    },
    take() {
      const [first] = lines
      if (!first) return undefined
      const [owner, line] = first
      const [item] = line
      lines.delete(owner)
      lines.set(owner, line)
      remove(owner, line, item!)
      return item
    },
    delete(owner, item) {
      const line = lines.get(owner)
      if (line) remove(owner, line, item)
    },
    isFullFor: (owner) => size >= most && !longestLine(owner),
    get size() {
      return size
    },
  }
}
