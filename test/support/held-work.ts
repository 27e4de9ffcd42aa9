/** Work of owners that goes on until it is ended, for tests of who begins when. */
import { setImmediate } from 'node:timers/promises'

export function heldWork(inTurn: (owner: string, work: () => Promise<void>) => Promise<void>) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (owner: string) =>
    inTurn(owner, () => {
      begun.push(owner)
      return new Promise<void>((end) => ends.push(end))
    })
  /** Ends what began first. */
  async function endOne(): Promise<void> {
    ends.shift()!()
    await setImmediate()
  }
  return { ask, begun, endOne }
}
