/** Counts how many places are taken, in all, by each owner and by each group of owners, up to a bound of each. Pure. */
type Places = {
  isFreeFor(owner: string, group?: string): boolean
  take(owner: string, group?: string): void
  free(owner: string, group?: string): void
  /** How many are taken now. */
  readonly taken: number
}

export function createPlaces({
  inAll,
  ofOwner,
  ofGroup = inAll,
}: {
  inAll: number
  ofOwner: number
  ofGroup?: number
}): Places {
  const takenBy = new Map<string, number>()
  const takenByGroup = new Map<string, number>()
  let taken = 0

  function count(counts: Map<string, number>, name: string, more: 1 | -1): void {
    const own = (counts.get(name) ?? 0) + more
    if (own > 0) counts.set(name, own)
    else counts.delete(name)
  }

  function change(owner: string, group: string, more: 1 | -1): void {
    taken += more
    count(takenBy, owner, more)
    count(takenByGroup, group, more)
  }

  return {
    isFreeFor: (owner, group = owner) =>
      taken < inAll && (takenBy.get(owner) ?? 0) < ofOwner && (takenByGroup.get(group) ?? 0) < ofGroup,
    take: (owner, group = owner) => change(owner, group, 1),
    free: (owner, group = owner) => change(owner, group, -1),
    get taken() {
      return taken
    },
  }
}
