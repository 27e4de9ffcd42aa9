/** How long and how much is measured. `--quick` measures so little that it only shows that each row works. */
export const settings = {
  rounds: 5,
  seconds: 2,
  /** A young process costs twice as much for each request: it is compiled while it runs. */
  warmUpSeconds: 10,
  connections: 64,
  /** Orders signed for each second; a faster Inlet ends its phase early and loses nothing by it. */
  mostPerSecond: 12_000,
  /** Old deposits of the rows `history` and `lists`. */
  deposits: 1_000_000,
  /** Of the deposits, callbacks and transfers that other rows need. */
  share: 1,
}

export const quick = {
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  mostPerSecond: 4_000,
  deposits: 10_000,
  share: 0.02,
}

export const shareOf = (count: number): number => Math.ceil(count * settings.share)
