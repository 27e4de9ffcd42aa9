/**
 * A thread that draws bills, as SVG and of that as PNG. It knows no font but ours. Drawing the code takes milliseconds and
 * encoding a PNG fifty of them, which the thread that answers requests does not have.
 */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js'
import { serveThread } from '../../../platform/serve-thread.ts'
import { render } from '../../web/html.ts'
import { bill } from './bill.ts'
import { fontFiles, ruler } from './font.ts'
import type { Drawing } from './painter.ts'

const options: ResvgRenderOptions = {
  font: {
    loadSystemFonts: false,
    fontFiles,
    defaultFontFamily: 'Noto Sans',
  },
  fitTo: { mode: 'zoom', value: 2 },
}

// A picture holds ten megabytes of native memory that V8 knows nothing of: without this it is kept for hundreds of them.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
// A flag applies to the whole process, and code that was compiled under other flags is not used: later threads would compile
// everything again.
setFlagsFromString('--no-expose-gc')

serveThread(async ({ view, language, format }: Drawing) => {
  const svg = render(bill(view, language, ruler))
  if (format === 'svg') return { output: new TextEncoder().encode(svg) }
  const output = pngOf(svg)
  collectGarbage()
  // Native memory is freed in the turn after the collection: before the next picture takes its own.
  await setImmediate()
  return { output, transfer: [output.buffer] }
})

const pngOf = (svg: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Resvg(svg, options).render().asPng())
