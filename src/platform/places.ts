/** Counts how many places are taken, in all and by each owner, up to a bound of both. Pure. */
type Places = {
  isFreeFor(owner: string): boolean
  take(owner: string): void
  free(owner: string): void
  /** How many are taken now. */
  readonly taken: number
}

export function createPlaces({ inAll, ofOwner }: { inAll: number; ofOwner: number }): Places {
  const takenBy = new Map<string, number>()
  let taken = 0

  function count(owner: string, more: 1 | -1): void {
    taken += more
    const own = (takenBy.get(owner) ?? 0) + more
    if (own > 0) takenBy.set(owner, own)
    else takenBy.delete(owner)
  }

  return {
    isFreeFor: (owner) => taken < inAll && (takenBy.get(owner) ?? 0) < ofOwner,
    take: (owner) => count(owner, 1),
    free: (owner) => count(owner, -1),
    get taken() {
      return taken
    },
  }
}
