/** Records the last use of a key or token: at most once a minute for each, and without delaying the request. */
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'

/** `onError` gets the error of a use that could not be written. */
export function createUseRecorder(
  onError: (error: unknown) => void,
): (key: string, write: () => Promise<unknown>) => void {
  const lastWritten = new Map<string, number>()
  return (key, write) => {
    const now = monotonicMs()
    if (now - (lastWritten.get(key) ?? -Infinity) < bounds.keyUseWriteMs) return
    lastWritten.delete(key)
    lastWritten.set(key, now)
    if (lastWritten.size > bounds.merchantCacheEntries) lastWritten.delete(lastWritten.keys().next().value!)
    write().catch(onError)
  }
}
