/** Sends what one merchant asks for, spread evenly over the time, and reports how often each kind got which status. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

export type CrowdRequest = {
  name: string
  path: string
  headers: Record<string, string>
  /** With a body it is a POST. */
  body?: Uint8Array<ArrayBuffer>
}

const { url, seconds, requests } = workerData as { url: string; seconds: number; requests: CrowdRequest[] }

const seen: Record<string, number> = {}
const begin = performance.now()
const count = (answer: string) => {
  seen[answer] = (seen[answer] ?? 0) + 1
}

const kinds = Map.groupBy(requests, ({ name }) => name)
await Promise.all(
  [...kinds].map(async ([name, ofKind]) => {
    const answers: Promise<void>[] = []
    for (const [n, { path, headers, body }] of ofKind.entries()) {
      await sleep(Math.max(0, begin + (n * seconds * 1000) / ofKind.length - performance.now()))
      const method = body ? 'POST' : 'GET'
      const asked = fetch(url + path, { method, headers, redirect: 'manual', ...(body && { body }) })
      answers.push(
        asked.then(
          async (answer) => {
            await answer.arrayBuffer()
            count(`${name} ${answer.status}`)
          },
          (error) => count(`${name} ${error.cause?.code ?? 'failed'}`),
        ),
      )
    }
    await Promise.all(answers)
  }),
)
parentPort!.postMessage(seen)
