/**
 * Draws bills in a worker thread and caches them. A version names everything that a bill is drawn
 * from, so a cached one is never wrong, only unused. Few are drawn at once; the cache is bounded in bytes.
 */
import { createHash } from 'node:crypto'
import { bounds } from '../../../platform/bounds.ts'
import { createThreadPool, largeJobTurn } from '../../../platform/thread-pool.ts'
import type { Language } from '../../web/messages/languages.ts'
import { screenOf } from '../screen.ts'
import type { BillView } from './bill.ts'

export type Drawing = { view: BillView; language: Language; format: 'svg' | 'png' }

type Painter = {
  /**
   * Concurrent requests for one version draw it once. `mayDraw` is called before one that is not cached is drawn for
   * that site.
   */
  paint(drawing: Drawing, asked?: { site: string; mayDraw: () => void }): Promise<Uint8Array>
  /** Bytes of the bills kept. */
  readonly keptBytes: number
  close(): Promise<void>
}

/** Raised when the fonts, the renderer, or what stands where on a bill changes. */
const drawnBy = 'bill 2, resvg 2.6.2, Noto Sans 2.004'

/** Of the time only its screen is drawn. */
export function versionOf({ view, language, format }: Drawing): string {
  const { now, ...rest } = view
  const drawn = [drawnBy, format, language, screenOf(view.deposit, now), rest]
  const text = JSON.stringify(drawn, (_name, value) => (typeof value === 'bigint' ? `${value}` : value))
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

export function createPainter({ keepBytes } = { keepBytes: bounds.billsKeptBytes as number }): Painter {
  const underWay = new Map<string, Promise<Uint8Array>>()
  const kept = new Map<string, Uint8Array>()
  let keptBytes = 0
  const pool = createThreadPool<Drawing, Uint8Array>({
    ...bounds.billThreads,
    script: new URL('./draw-thread.ts', import.meta.url),
    failure: 'A bill could not be drawn',
    turn: largeJobTurn,
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
    paint(drawing, { site, mayDraw } = { site: '', mayDraw: () => {} }) {
      const version = versionOf(drawing)
      const known = kept.get(version)
      if (known) {
        kept.delete(version)
        kept.set(version, known)
        return Promise.resolve(known)
      }
      const begun = underWay.get(version)
      if (begun) return begun
      const owner = { name: site, isKnown: false }
      pool.refuseWhenFull(owner)
      mayDraw()
      const picture = pool.run(drawing, owner)
      underWay.set(version, picture)
      picture
        .then(
          (drawn) => keep(version, drawn),
          () => {},
        )
        .finally(() => underWay.delete(version))
      return picture
    },
    get keptBytes() {
      return keptBytes
    },
    close: () => pool.close(),
  }
}
