// The door of the program. Plain JavaScript, so that an old Node finds a newer one instead of a syntax error.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { compileCache, isNewEnough, runNode } from './node.mjs'

// Names are looked up on libuv's threads. With the usual four of them, four names whose servers do not answer would
// hold up every other name and every file. It must be set before the first of them starts.
process.env.UV_THREADPOOL_SIZE ??= '64'

if (isNewEnough) {
  // Without it every command would read and compile the whole program anew. Where the folder is not ours, it does.
  module.enableCompileCache(compileCache)
  if (existsSync('.env')) process.loadEnvFile('.env')
  await import('../src/main.ts')
} else {
  runNode([...process.execArgv, ...process.argv.slice(1)])
}
