// The door of the program. Plain JavaScript, so that an old Node gets a sentence and not a stack of syntax errors.
import { existsSync } from 'node:fs'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `Inlet needs Node 24 or newer; this is ${process.versions.node}. ` +
      'Run it with "npm start" after "npm ci" (npm brings its own Node), or install Node 24.',
  )
  process.exit(1)
}
if (existsSync('.env')) process.loadEnvFile('.env')
await import('../src/main.ts')
