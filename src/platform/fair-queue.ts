/**
 * A bounded queue in which the many items of one owner do not delay the few of another. Owners are served in turn, one
 * item at a time. When it is full, the owner with the most loses its newest item to an owner with fewer. Owners may be of
 * one group: then groups are served in turn, and the places are shared between groups first, so that nobody gains turns or places
 * by many names. Pure.
 */
type FairQueue<Item> = {
  /** Returns the item that was dropped for it, if any: perhaps the item itself. */
  add(owner: string, item: Item, group?: string): Item | undefined
  /** The next in turn, of those owners that may have one now. */
  take(mayHave?: (owner: string, group: string) => boolean): Item | undefined
  delete(owner: string, item: Item, group?: string): void
  /** Whether another item of this owner would be refused. */
  isFullFor(owner: string, group?: string): boolean
  readonly size: number
}

/** What waits of the owners of one group, in the order of their turns. */
type Lines<Item> = Map<string, Set<Item>>

export function createFairQueue<Item>(most: number): FairQueue<Item> {
  /** In the order of their turns. */
  const groups = new Map<string, Lines<Item>>()
  let size = 0

  /** The longest line of the group with the most, where taking its newest for this owner makes the groups more even; else of its own. */
  function longestLine(owner: string, group: string): { group: string; owner: string } | undefined {
    const sizeOf = (name: string) =>
      groups
        .get(name)
        ?.values()
        .reduce((sum, items) => sum + items.size, 0) ?? 0
    const own = sizeOf(group)
    let largest = { group, size: own }
    for (const other of groups.keys()) {
      const size = sizeOf(other)
      if (size > Math.max(largest.size, own + 1)) largest = { group: other, size }
    }
    const lines = groups.get(largest.group)
    let longest = largest.group === group ? (lines?.get(owner)?.size ?? 0) + 1 : 0
    let found: string | undefined
    for (const [name, items] of lines ?? []) {
      if (items.size <= longest) continue
      longest = items.size
      found = name
    }
    return found === undefined ? undefined : { group: largest.group, owner: found }
  }

  function remove(group: string, owner: string, item: Item): void {
    const lines = groups.get(group)
    const items = lines?.get(owner)
    if (!items?.delete(item)) return
    size--
    if (items.size === 0) lines!.delete(owner)
    if (lines!.size === 0) groups.delete(group)
  }

  return {
    add(owner, item, group = owner) {
      let leaving: Item | undefined
      if (size >= most) {
        const longest = longestLine(owner, group)
        if (!longest) return item
        leaving = [...groups.get(longest.group)!.get(longest.owner)!].at(-1)!
        remove(longest.group, longest.owner, leaving)
      }
      const lines: Lines<Item> = groups.get(group) ?? new Map()
      const items = lines.get(owner) ?? new Set()
      items.add(item)
      lines.set(owner, items)
      groups.set(group, lines)
      size++
      return leaving
    },
    take(mayHave = () => true) {
      for (const [group, lines] of groups) {
        const owner = lines.keys().find((name) => mayHave(name, group))
        if (owner === undefined) continue
        const items = lines.get(owner)!
        const [item] = items
        lines.delete(owner)
        lines.set(owner, items)
        groups.delete(group)
        groups.set(group, lines)
        remove(group, owner, item!)
        return item
      }
      return undefined
    },
    delete: (owner, item, group = owner) => remove(group, owner, item),
    isFullFor: (owner, group = owner) => size >= most && !longestLine(owner, group),
    get size() {
      return size
    },
  }
}
