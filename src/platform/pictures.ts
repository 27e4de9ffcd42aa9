/**
 * Draws SVG that Inlet wrote, as PNG. One thread does it: drawing and encoding a bill takes a hundred milliseconds, which the main
 * thread does not have. resvg's own `renderAsync` is no help: it encodes on the main thread, and each of libuv's threads that has
 * drawn once keeps ten megabytes: 740 after 200 bills, here 20 after 2,000.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { bounds } from './bounds.ts'
import { createHeavyWork, type WorkOwner } from './heavy-work.ts'

type Job = {
  svg: string
  /** What its texts are written in. */
  fonts?: { files: readonly string[]; family: string }
  /** Pixels of the picture for one of the SVG. */
  zoom?: number
  /** The picture is needed as pixels too. */
  withPixels?: boolean
}

/** `pixels`: red, green, blue and opacity of each. */
type Picture = { png: Uint8Array<ArrayBuffer>; pixels?: Uint8Array }

const work = createHeavyWork('pictures', bounds.picturesWaiting)

export const refuseWhenDrawingIsFull = work.refuseWhenFull

export const drawPicture = (job: Job, owner: WorkOwner): Promise<Picture> => work.run(owner, () => draw(job))

let thread: Worker | undefined

/** A picture that cannot be drawn ends its thread; the next one gets a new one. */
async function draw(job: Job): Promise<Picture> {
  try {
    thread ??= start()
    thread.ref()
    thread.postMessage(job)
    const [picture] = await once(thread, 'message', { signal: AbortSignal.timeout(10_000) })
    thread.unref() // The process may end while there is nothing to draw.
    return picture
  } catch (cause) {
    void thread?.terminate()
    thread = undefined
    throw new Error('A picture could not be drawn.', { cause })
  }
}

function start(): Worker {
  return new Worker(new URL('./draw-thread.mjs', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
}
