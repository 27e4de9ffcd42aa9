// Part of `npm run check`: fails when a file exports what no other file imports, types included. Roots, whose exports are for others: the SDK's index.ts, and the set-up that Node's test runner calls.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const roots = ['sdk/index.ts', 'test/support/global-setup.ts']
const folders = ['src', 'sdk', 'test', 'bench', 'docs', 'bin']

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

/** What is imported, as `file name`. A lazy import counts by the names it takes out. */
const imported = new Set()
const taken =
  /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*)\s+from\s+'(\.[^']+)'|(?:const (\{[^}]*\}) = )?\(?await import\('(\.[^']+)'\)\)?(?:\.(\w+))?/g
for (const [file, text] of texts) {
  for (const [, list, from, lazyList, lazyFrom, member] of text.matchAll(taken)) {
    const target = normalize(join(dirname(file), from ?? lazyFrom)).replaceAll('\\', '/')
    const names =
      list === '*'
        ? exportsOf(texts.get(target))
        : namesIn((list ?? lazyList ?? member ?? '').replace(/[{}]/g, ''))
    for (const name of names) imported.add(`${target} ${name.replace(/( as |:).*$/, '')}`)
  }
}

const unused = [...texts]
  .filter(([file]) => !roots.includes(file))
  .flatMap(([file, text]) => exportsOf(text).map((name) => `${file} ${name}`))
  .filter((key) => !imported.has(key))
if (unused.length > 0)
  console.log(`Exported for nobody: drop \`export\`, or delete it.\n${unused.join('\n')}`)
process.exitCode = unused.length > 0 ? 1 : 0
