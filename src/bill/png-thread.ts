/**
 * A thread that makes pictures: SVG in, PNG out. Of its own, because encoding a PNG takes 50 ms and more of one
 * processor, which the thread that answers requests does not have. It knows no font but ours.
 */
import { parentPort } from 'node:worker_threads'
import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js'
import { fontFiles } from './font.ts'

const options: ResvgRenderOptions = {
  font: {
    loadSystemFonts: false,
    fontFiles,
    defaultFontFamily: 'Noto Sans',
  },
  fitTo: { mode: 'zoom', value: 2 },
}

parentPort!.on('message', (svg: string) => {
  const png = new Uint8Array(new Resvg(svg, options).render().asPng())
  parentPort!.postMessage(png, [png.buffer])
})
