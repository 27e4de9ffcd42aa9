// Where a thread of thread-pool.ts begins. Plain JavaScript, so that it can say where compiled code is kept before the
// first TypeScript is loaded: whatever Inlet has compiled already is found there, and the compiler of types, 25 MB in
// each thread, is not even loaded.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

const { script, compileCache } = workerData
if (compileCache) enableCompileCache(compileCache)
await import(script)
flushCompileCache()
