// The thread of pictures.ts: takes one picture at a time and answers it. Plain JavaScript, because what strips types takes 25 MB in
// each thread that loads a TypeScript file.
import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'

// A picture holds ten megabytes of native memory that V8 knows nothing of: without this it is kept for hundreds of them.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
// A flag applies to the whole process, and code that was compiled under other flags is not used.
setFlagsFromString('--no-expose-gc')

// Where both want a processor, the thread that answers requests gets three times as much of it. On Linux the priority is of this
// thread alone; elsewhere it would be of the whole process.
try {
  if (process.platform === 'linux') setPriority(5)
} catch {} // Forbidden by a sandbox.

/** resvg gives colours multiplied with their opacity. */
const plain = (pixels) =>
  new Uint8Array(pixels).map((value, at) => (at % 4 === 3 ? value : (value * 255) / (pixels[at | 3] || 1)))

parentPort.on('message', async ({ svg, fonts, zoom = 1, withPixels }) => {
  const image = new Resvg(svg, {
    font: { loadSystemFonts: false, fontFiles: fonts?.files, defaultFontFamily: fonts?.family },
    fitTo: { mode: 'zoom', value: zoom },
  }).render()
  const png = new Uint8Array(image.asPng())
  const pixels = withPixels ? plain(image.pixels) : undefined
  collectGarbage()
  // Native memory is freed in the turn after the collection: before the next picture takes its own.
  await setImmediate()
  parentPort.postMessage({ png, pixels }, [png.buffer])
})
