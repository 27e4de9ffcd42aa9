/**
 * Combines many lookups of one kind: while one query runs, the keys that arrive meanwhile wait
 * and become the next. No caller gets an answer that was read before its call.
 */
export function batched<Answer>(
  lookUp: (keys: string[]) => Promise<ReadonlyMap<string, Answer>>,
  { most, atOnce }: { most: number; atOnce: number } = { most: 200, atOnce: 2 },
): (key: string) => Promise<Answer | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<Answer | undefined>>()
  let running = 0

  async function run(): Promise<void> {
    const batch = new Map([...waiting].slice(0, most))
    waiting = new Map([...waiting].slice(most))
    running++
    try {
      const answers = await lookUp([...batch.keys()])
      for (const [key, { resolve }] of batch) resolve(answers.get(key))
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    } finally {
      running--
      if (waiting.size > 0) void run()
    }
  }

  return (key) => {
    const pending = waiting.get(key)
    if (pending) return pending.promise
    const answer = Promise.withResolvers<Answer | undefined>()
    waiting.set(key, answer)
    // Deferred, so that all keys of this turn of the event loop are included.
    if (running < atOnce) {
      setImmediate(() => {
        if (waiting.size > 0 && running < atOnce) void run()
      })
    }
    return answer.promise
  }
}
