/**
 * A bounded queue in which the many items of one owner do not delay the few of another. Owners are served in turn, one
 * item at a time. When it is full, the owner with the most loses its newest item to an owner with fewer. Owners may be of
 * one group: then the places are shared between groups first, so that nobody gains places by many names. Pure.
 */
type FairQueue<Item> = {
  /** Returns the item that was dropped for it, if any: perhaps the item itself. */
  add(owner: string, item: Item, group?: string): Item | undefined
  /** The next in turn, of those owners that may have one now. */
  take(mayHave?: (owner: string) => boolean): Item | undefined
  delete(owner: string, item: Item): void
  /** Whether another item of this owner would be refused. */
  isFullFor(owner: string, group?: string): boolean
  readonly size: number
}

/** What waits of one owner. */
type Line<Item> = { group: string; items: Set<Item> }

export function createFairQueue<Item>(most: number): FairQueue<Item> {
  /** In the order of their turns. */
  const lines = new Map<string, Line<Item>>()
  let size = 0

  /** The longest line of the group with the most, where taking its newest for this owner makes the groups more even; else of its own. */
  function longestLine(owner: string, group: string): [string, Line<Item>] | undefined {
    const sizes = new Map([[group, 0]])
    for (const line of lines.values()) sizes.set(line.group, (sizes.get(line.group) ?? 0) + line.items.size)
    let largest = group
    for (const [other, size] of sizes)
      if (size > Math.max(sizes.get(largest)!, sizes.get(group)! + 1)) largest = other
    const least = largest === group ? (lines.get(owner)?.items.size ?? 0) + 1 : 0
    let longest: [string, Line<Item>] | undefined
    for (const line of lines)
      if (line[1].group === largest && line[1].items.size > (longest?.[1].items.size ?? least)) longest = line
    return longest
  }

  function remove(owner: string, { items }: Line<Item>, item: Item): void {
    if (!items.delete(item)) return
    size--
    if (items.size === 0) lines.delete(owner)
  }

  return {
    add(owner, item, group = owner) {
      let leaving: Item | undefined
      if (size >= most) {
        const longest = longestLine(owner, group)
        if (!longest) return item
        leaving = [...longest[1].items].at(-1)!
        remove(...longest, leaving)
      }
      const line = lines.get(owner) ?? { group, items: new Set() }
      line.items.add(item)
      lines.set(owner, line)
      size++
      return leaving
    },
    take(mayHave = () => true) {
      const first = lines.entries().find(([owner]) => mayHave(owner))
      if (!first) return undefined
      const [owner, line] = first
      const [item] = line.items
      lines.delete(owner)
      lines.set(owner, line)
      remove(owner, line, item!)
      return item
    },
    delete(owner, item) {
      const line = lines.get(owner)
      if (line) remove(owner, line, item)
    },
    isFullFor: (owner, group = owner) => size >= most && !longestLine(owner, group),
    get size() {
      return size
    },
  }
}
