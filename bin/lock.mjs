// Takes the packages' demands on Node out of the lockfile. npm compares them with the Node that runs npm, 20 or newer,
// and would print pages of warnings; but what runs these packages is the Node that comes with them (bin/node.mjs), and
// test/supply-chain.test.ts holds their demands against that one.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lockfile = JSON.parse(readFileSync(file, 'utf8'))
for (const [path, locked] of Object.entries(lockfile.packages)) if (path !== '') delete locked.engines
writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
