// The door of the program. Plain JavaScript, so that an old Node finds a newer one instead of a syntax error.
import { existsSync } from 'node:fs'
import { isNewEnough, runNode } from './node.mjs'

if (isNewEnough) {
  if (existsSync('.env')) process.loadEnvFile('.env')
  await import('../src/main.ts')
} else {
  runNode(process.argv.slice(1))
}
