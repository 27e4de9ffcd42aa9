// Runs Node 24.7 or newer with the arguments given: this very Node if it is new enough, else the one that npm installed.
// Not by way of node_modules/.bin: npm 10 forgets that link when it skips the packages of other platforms.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where compiled code is kept between runs: next to what npm installed, where only we write. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/inlet', import.meta.url))

/** The first one whose node:crypto has argon2, which passwords are kept with. */
export const leastNode = '24.7'

export function isNewEnoughNode(version) {
  const [major, minor] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = leastNode.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

export const isNewEnough = isNewEnoughNode(process.versions.node)

export function runNode(words) {
  const node = findNode()
  if (!node) {
    console.error(
      `Inlet needs Node ${leastNode} or newer; this is ${process.versions.node}, and npm has none for ` +
        `${process.platform}-${process.arch} here. Install Node ${leastNode} or newer, or run "npm ci" without omitting optional packages.`,
    )
    process.exit(1)
  }
  // By the end of the channel a server notices that this process was killed with -9.
  const child = spawn(node, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

function findNode() {
  if (isNewEnough) return process.execPath
  const installed = `../node_modules/node-${process.platform}-${process.arch}/bin/node`
  const path = fileURLToPath(new URL(installed, import.meta.url))
  return existsSync(path) ? path : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.env.NODE_COMPILE_CACHE ??= compileCache
  runNode(process.argv.slice(2))
}
