/**
 * Draws bills and caches them. A version names everything that a bill is drawn from, so a cached one is never wrong, only
 * unused. The only font is ours.
 */
import { createHash } from 'node:crypto'
import { bounds } from '../../../platform/bounds.ts'
import type { WorkOwner } from '../../../platform/heavy-work.ts'
import { keptBytes } from '../../../platform/kept-bytes.ts'
import { ownBytes } from '../../../platform/own-bytes.ts'
import { drawPicture, refuseWhenDrawingIsFull } from '../../../platform/pictures.ts'
import { render } from '../../web/html.ts'
import type { Language } from '../../web/messages/languages.ts'
import { screenOf } from '../screen.ts'
import { type BillView, bill } from './bill.ts'
import { fontFiles, ruler } from './font.ts'

type Drawing = { view: BillView; language: Language; format: 'svg' | 'png' }

type Painter = {
  /**
   * Concurrent requests for one version draw it once. `mayDraw` is called before one that is not cached is drawn for
   * that site.
   */
  paint(drawing: Drawing, asked?: { site: string; mayDraw: () => void }): Promise<Uint8Array>
  /** Bytes of the bills kept. */
  readonly keptBytes: number
}

/** Raised when the fonts, the renderer, or what stands where on a bill changes. */
const drawnBy = 'bill 3, resvg 2.6.2, Noto Sans 2.004'

/** Of the time only its screen is drawn. */
export function versionOf({ view, language, format }: Drawing): string {
  const { now, ...rest } = view
  const drawn = [drawnBy, format, language, screenOf(view.deposit, now), rest]
  const text = JSON.stringify(drawn, (_name, value) => (typeof value === 'bigint' ? `${value}` : value))
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

export function createPainter({ keepBytes } = { keepBytes: bounds.billsKeptBytes as number }): Painter {
  const underWay = new Map<string, Promise<Uint8Array>>()
  const kept = keptBytes<Uint8Array>(keepBytes)

  return {
    async paint(drawing, { site, mayDraw } = { site: '', mayDraw: () => {} }) {
      const version = versionOf(drawing)
      const known = kept.get(version) ?? underWay.get(version)
      if (known) return known
      const owner = { name: site, isKnown: false }
      refuseWhenDrawingIsFull(owner)
      mayDraw()
      const picture = draw(drawing, owner).finally(() => underWay.delete(version))
      underWay.set(version, picture)
      kept.set(version, await picture)
      return picture
    },
    get keptBytes() {
      return kept.bytes
    },
  }
}

async function draw({ view, language, format }: Drawing, owner: WorkOwner): Promise<Uint8Array> {
  const svg = render(bill(view, language, ruler))
  if (format === 'svg') return ownBytes(Buffer.from(svg))
  return (await drawPicture({ svg, fonts, zoom: 2 }, owner)).png
}

const fonts = { files: fontFiles, family: 'Noto Sans' }
