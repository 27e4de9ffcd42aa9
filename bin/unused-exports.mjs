// Part of `npm run check`: fails when a file exports what no other file imports, types included. `--tests` also lists what
// only tests import. Roots, whose exports are for others: the SDK's index.ts, and the set-up that Node's test runner calls.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const roots = ['sdk/index.ts', 'test/support/global-setup.ts']
const folders = ['src', 'sdk', 'test', 'bench', 'docs', 'bin']
const isTest = (file) => /^(test|bench|docs)\/|\.test\.ts$/.test(file)

const root = fileURLToPath(new URL('..', import.meta.url))
const files = folders
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith('test/clients/'))
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

const namesIn = (list) =>
  list
    .split(',')
    .map((name) => name.replace(/^\s*type\s/, '').trim())
    .filter(Boolean)

/** What a file exports, by the name that others import. */
const exportsOf = (text) => [
  ...[...text.matchAll(/^export (?:async )?(?:const|function|class|type|interface)\*? (\w+)/gm)].map(
    ([, name]) => name,
  ),
  ...[...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    namesIn(list).map((name) => name.replace(/^.* as /, '')),
  ),
]

/** Who imports what: `file name` → the importing files. A lazy import counts by the names it takes out. */
const importers = new Map()
const taken =
  /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*)\s+from\s+'(\.[^']+)'|(?:const (\{[^}]*\}) = )?\(?await import\('(\.[^']+)'\)\)?(?:\.(\w+))?/g
for (const [file, text] of texts) {
  for (const [, list, from, lazyList, lazyFrom, member] of text.matchAll(taken)) {
    const target = normalize(join(dirname(file), from ?? lazyFrom)).replaceAll('\\', '/')
    const names =
      list === '*'
        ? exportsOf(texts.get(target))
        : namesIn((list ?? lazyList ?? member ?? '').replace(/[{}]/g, ''))
    for (const name of names) {
      const key = `${target} ${name.replace(/( as |:).*$/, '')}`
      importers.set(key, [...(importers.get(key) ?? []), file])
    }
  }
}

const unused = []
const testsOnly = []
for (const [file, text] of texts) {
  if (roots.includes(file)) continue
  for (const name of exportsOf(text)) {
    const users = importers.get(`${file} ${name}`)
    if (!users) {
      const isUsedHere = text.match(new RegExp(`\\b${name}\\b`, 'g')).length > 1
      unused.push(
        `${file}: ${name} ${isUsedHere ? 'is used in this file only: drop `export`' : 'is used nowhere: call it where it belongs, or delete it'}`,
      )
    } else if (!isTest(file) && users.every(isTest)) testsOnly.push(`${file}: ${name} (${users.join(', ')})`)
  }
}
if (process.argv.includes('--tests')) console.log(`Imported by tests only:\n${testsOnly.join('\n')}\n`)
if (unused.length > 0) console.log(`Exported for nobody:\n${unused.join('\n')}`)
process.exitCode = unused.length > 0 ? 1 : 0
