/** What a test file opened is closed when the file ends, the last opened first. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { after } from 'node:test'
import './unfollowed.ts'

type Undo = (() => Promise<unknown>)[]

const ofProcess: Undo = []
const ofFile = new AsyncLocalStorage<Undo>()
const undo = (): Undo => ofFile.getStore() ?? ofProcess

export const atEnd = (work: () => Promise<unknown>): void => void undo().push(work)

/** Opens what several files of a process share: it ends with the process. */
export const shared = <Result>(open: () => Promise<Result>): Promise<Result> => ofFile.run(ofProcess, open)

// Registered while the file loads: a hook inside a hook would run at the end of that hook.
after(cleanUp)

/** Loads one of several test files of this process: what it opens ends with it, not with the process. */
export const asFile = (load: () => Promise<unknown>): Promise<void> =>
  ofFile.run([], async () => {
    after(cleanUp)
    await load()
  })

async function cleanUp(): Promise<void> {
  for (const work of undo().splice(0).reverse()) await work()
}
