/** How this process itself is doing: how late its event loop runs, how much memory it holds. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

type ProcessHealth = {
  /** Of the time since it was last asked. */
  eventLoopDelay(): { medianSeconds: number; p99Seconds: number; maxSeconds: number }
  residentBytes(): number
  stop(): void
}

const sampleMs = 10

export function watchProcess(): ProcessHealth {
  const delays = monitorEventLoopDelay({ resolution: sampleMs })
  delays.enable()
  // Node measures from one sample to the next: a loop that is never late shows the pause between them.
  const lateness = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - sampleMs / 1e3)
  return {
    eventLoopDelay() {
      const seen = {
        medianSeconds: lateness(delays.percentile(50)),
        p99Seconds: lateness(delays.percentile(99)),
        maxSeconds: lateness(delays.max),
      }
      delays.reset()
      return seen
    },
    residentBytes: () => process.memoryUsage.rss(),
    stop: () => void delays.disable(),
  }
}
