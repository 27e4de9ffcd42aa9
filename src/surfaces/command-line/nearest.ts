/** The known word within one or two typing errors of the typed one. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const most = Math.min(2, Math.floor(typed.length / 3))
  const slips = known.map((word) => ({ word, count: editDistance(typed, word) }))
  return slips.filter(({ count }) => count <= most).sort((a, b) => a.count - b.count)[0]?.word
}

/** Counts letters that are left out, added, replaced, or exchanged with their neighbour. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        rows[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        rows[i - 1]![j - 1]! + (isSame ? 0 : 1),
        isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
