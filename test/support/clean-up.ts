/** What a test file opened is closed when the file ends, the last opened first. */
import { after } from 'node:test'

const undo: (() => Promise<unknown>)[] = []

export const atEnd = (work: () => Promise<unknown>): void => void undo.push(work)

// Registered while the file loads: a hook inside a hook would run at the end of that hook.
after(async () => {
  for (const work of undo.reverse()) await work()
})
