/** A thread that makes pictures: SVG in, PNG out. It knows no font but ours. */
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js'
import { serveThread } from '../platform/serve-thread.ts'
import { fontFiles } from './font.ts'

const options: ResvgRenderOptions = {
  font: {
    loadSystemFonts: false,
    fontFiles,
    defaultFontFamily: 'Noto Sans',
  },
  fitTo: { mode: 'zoom', value: 2 },
}

serveThread((svg: string) => {
  const output = new Uint8Array(new Resvg(svg, options).render().asPng())
  return { output, transfer: [output.buffer] }
})
