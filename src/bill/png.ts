/**
 * Pictures of bills, made by threads of their own and kept for the next who asks. A version names what is drawn, so a
 * picture that is kept is never wrong, only unused. Encoding one takes 50 ms and more of a processor and 20 MB of native
 * memory, so few are drawn at once; those kept are bounded by their bytes.
 */
import { bounds } from '../bounds.ts'
import { createThreadPool } from '../platform/thread-pool.ts'

export type Painter = {
  /** The same version asked for twice at once is drawn once. `mayDraw` is asked before one that is not kept is drawn. */
  paint(version: string, svg: string, mayDraw?: () => void): Promise<Uint8Array>
  /** Bytes of the pictures kept. */
  readonly keptBytes: number
  close(): Promise<void>
}

export function createPainter(
  { keepBytes }: { keepBytes: number } = { keepBytes: bounds.billsKeptBytes },
): Painter {
  const drawing = new Map<string, Promise<Uint8Array>>()
  const kept = new Map<string, Uint8Array>()
  let keptBytes = 0
  const pool = createThreadPool<string, Uint8Array>({
    ...bounds.billThreads,
    script: new URL('./png-thread.ts', import.meta.url),
    failure: 'A bill could not be drawn',
    refusal: { code: 'overloaded', retryAfterSeconds: bounds.overloadedRetrySeconds },
  })

  function keep(version: string, picture: Uint8Array): void {
    kept.set(version, picture)
    keptBytes += picture.length
    // The one asked for last is dropped last.
    for (const [oldest, { length }] of kept) {
      if (keptBytes <= keepBytes) return
      kept.delete(oldest)
      keptBytes -= length
    }
  }

  return {
    paint(version, svg, mayDraw = () => {}) {
      const known = kept.get(version)
      if (known) {
        kept.delete(version)
        kept.set(version, known)
        return Promise.resolve(known)
      }
      const begun = drawing.get(version)
      if (begun) return begun
      pool.refuseWhenFull()
      mayDraw()
      const picture = pool.run(svg)
      drawing.set(version, picture)
      picture
        .then(
          (png) => keep(version, png),
          () => {},
        )
        .finally(() => drawing.delete(version))
      return picture
    },
    get keptBytes() {
      return keptBytes
    },
    close: () => pool.close(),
  }
}
