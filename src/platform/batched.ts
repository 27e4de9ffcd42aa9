/**
 * Combines many lookups of one kind: while one query runs, the keys that arrive meanwhile wait
 * and become the next. No caller gets an answer that was read before its call.
 */
export function batched<Answer>(
  ask: (keys: string[]) => Promise<ReadonlyMap<string, Answer>>,
  { most, atOnce }: { most: number; atOnce: number },
): (key: string) => Promise<Answer | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<Answer | undefined>>()
  let underWay = 0

  async function run(): Promise<void> {
    const taken = new Map([...waiting].slice(0, most))
    waiting = new Map([...waiting].slice(most))
    underWay++
    try {
      const answers = await ask([...taken.keys()])
      for (const [key, { resolve }] of taken) resolve(answers.get(key))
    } catch (error) {
      for (const { reject } of taken.values()) reject(error)
    } finally {
      underWay--
      if (waiting.size > 0) void run()
    }
  }

  return (key) => {
    const known = waiting.get(key)
    if (known) return known.promise
    const asked = Promise.withResolvers<Answer | undefined>()
    waiting.set(key, asked)
    // Not at once: what arrives in this turn of the event loop goes along.
    if (underWay < atOnce) {
      setImmediate(() => {
        if (waiting.size > 0 && underWay < atOnce) void run()
      })
    }
    return asked.promise
  }
}
