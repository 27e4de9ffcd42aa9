// Compiles the server before it begins, where that has not been done since the last change of its files: at the first start after an
// install or an upgrade, and when an image is built (`node bin/compile.mjs`, with the flags and the user of the server).
//
// Node strips the types of each file that it finds nothing compiled of. Stripping takes 15 MB of memory, which is never
// freed: so a process of its own does it.
import { accessSync, constants, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCache } from './node.mjs'

const sources = fileURLToPath(new URL('../src', import.meta.url))

/** Together they import everything that the server loads. */
const entries = ['program.ts', 'supervise.ts', 'start.ts', 'gateway.ts']

/** Makes Node use compiled code. If the folder does not belong to this user, everything is compiled at each start. */
export function useCompiled() {
  module.enableCompileCache(compileCache)
  // Our own files name each other exactly, so nothing has to be searched for: five thousand imports in 0.2 s less.
  module.registerHooks({
    resolve: (name, context, search) =>
      name.startsWith('.') && name.endsWith('.ts')
        ? { url: new URL(name, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
        : search(name, context),
  })
}

export function isCompiled() {
  try {
    return readFileSync(stamp(), 'utf8') === lastChange()
  } catch {
    return false
  }
}

const stamp = () => join(module.getCompileCacheDir(), 'compiled-at')

/**
 * When a folder of the sources changed last. Git, npm and tar replace files, which changes their folder; a file that was edited in
 * place is stripped of its types at each start. In seconds: an image keeps no parts of them, and is compiled before it is written.
 */
function lastChange() {
  const folders = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
  return `${Math.max(...[sources, ...folders].map((folder) => Math.floor(statSync(folder).mtimeMs / 1_000)))}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  useCompiled()
  const change = lastChange()
  accessSync(module.getCompileCacheDir(), constants.W_OK)
  for (const entry of entries) await import(`../src/${entry}`)
  module.flushCompileCache()
  writeFileSync(stamp(), change)
}
