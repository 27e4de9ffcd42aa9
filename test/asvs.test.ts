/** docs/asvs.md stays true: its list is whole, its counts add up, and every file and test that it names exists. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { refusals } from '../src/platform/refusals.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const document = read('docs/asvs.md')

/** Levels 1 and 2 of ASVS 5.0.0: of each section the numbers, as ranges. */
const asked: Record<string, string> = {
  '1.1': '1-2',
  '1.2': '1-9',
  '1.3': '1-11',
  '1.4': '1-3',
  '1.5': '1-2',
  '2.1': '1-3',
  '2.2': '1-3',
  '2.3': '1-4',
  '2.4': '1',
  '3.2': '1-2',
  '3.3': '1-4',
  '3.4': '1-6',
  '3.5': '1-5',
  '3.7': '1-2',
  '4.1': '1-3',
  '4.2': '1',
  '4.3': '1-2',
  '4.4': '1-4',
  '5.1': '1',
  '5.2': '1-3',
  '5.3': '1-2',
  '5.4': '1-3',
  '6.1': '1-3',
  '6.2': '1-12',
  '6.3': '1-4',
  '6.4': '1-4',
  '6.5': '1-5',
  '6.6': '1-3',
  '6.8': '1-4',
  '7.1': '1-3',
  '7.2': '1-4',
  '7.3': '1-2',
  '7.4': '1-5',
  '7.5': '1-2',
  '7.6': '1-2',
  '8.1': '1-2',
  '8.2': '1-3',
  '8.3': '1',
  '8.4': '1',
  '9.1': '1-3',
  '9.2': '1-4',
  '10.1': '1-2',
  '10.2': '1-2',
  '10.3': '1-4',
  '10.4': '1-11',
  '10.5': '1-5',
  '10.6': '1-2',
  '10.7': '1-3',
  '11.1': '1-2',
  '11.2': '1-3',
  '11.3': '1-3',
  '11.4': '1-4',
  '11.5': '1',
  '11.6': '1',
  '12.1': '1-3',
  '12.2': '1-2',
  '12.3': '1-4',
  '13.1': '1',
  '13.2': '1-5',
  '13.3': '1-2',
  '13.4': '1-5',
  '14.1': '1-2',
  '14.2': '1-4',
  '14.3': '1-3',
  '15.1': '1-3',
  '15.2': '1-3',
  '15.3': '1-7',
  '16.1': '1',
  '16.2': '1-5',
  '16.3': '1-4',
  '16.4': '1-3',
  '16.5': '1-3',
  '17.1': '1',
  '17.2': '1-4',
  '17.3': '1-2',
}
const numbers = (section: string, range: string): string[] => {
  const [first, last = first] = range.split('-').map(Number) as [number, number?]
  return Array.from({ length: last! - first! + 1 }, (_, at) => `${section}.${first! + at}`)
}

const states = ['tested', 'held', 'operator', 'gap', 'n/a']

/** A row is one requirement, or several of a section that are answered together. */
const rows = [...document.matchAll(/^\| (\d[\d.–]+) \| (\S+) \| (.+?) \| (.*?) ?\|$/gm)].map(
  ([, ids, state, text, shown]) => {
    const [first, last] = ids!.split('–') as [string, string?]
    const section = first.slice(0, first.lastIndexOf('.'))
    const end = last?.slice(last.lastIndexOf('.') + 1)
    const range = first.slice(section.length + 1) + (end ? `-${end}` : '')
    return { ids: numbers(section, range), state: state!, text: text!, shown: shown! }
  },
)

test('every requirement of levels 1 and 2 is answered once', () => {
  const answered = rows.flatMap(({ ids }) => ids)
  assert.deepEqual(
    answered,
    Object.entries(asked).flatMap(([section, range]) => numbers(section, range)),
  )
  assert.deepEqual(
    rows.filter(({ state }) => !states.includes(state)),
    [],
  )
})

test('the counts at the top are those of the rows, and every gap is listed there', () => {
  const counted = (chapter: string) =>
    states.map((state) =>
      rows
        .filter((row) => row.state === state)
        .flatMap(({ ids }) => ids)
        .filter((id) => chapter === '' || id.startsWith(`${chapter}.`)),
    )
  const lengths = (chapter: string) => counted(chapter).map(({ length }) => length)
  const chapters = [...document.matchAll(/^\| V(\d+) [^|]+\|([\d |]+)\|$/gm)]
  assert.equal(chapters.length, 17)
  for (const [, chapter, cells] of chapters)
    assert.deepEqual(cells!.split('|').map(Number), lengths(chapter!), `V${chapter}`)
  const all = /^\| \*\*all\*\* \|(.+)\|$/m.exec(document)![1]!
  assert.deepEqual(all.replaceAll('*', '').split('|').map(Number), lengths(''))

  const top = document.slice(document.indexOf('## Gaps'), document.indexOf('## V1 '))
  const listed = [...top.matchAll(/\((\d+\.\d+\.\d+)\)/g)].map(([, id]) => id!)
  assert.deepEqual(listed.sort(), counted('')[states.indexOf('gap')]!.sort())
})

/** Titles as they stand in the file; a part in a template is not known here. */
const titlesOf = (file: string): string[] =>
  [
    ...read(file).matchAll(
      /(?:\b(?:test|it|describe|attack)|\.test)\(\s*(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)")/g,
    ),
  ].map(([, single, template, double]) => (single ?? template ?? double)!)

test('every named test exists, and every tested requirement names one', () => {
  const missing: string[] = []
  for (const { ids, state, shown } of rows) {
    const named = [...shown.matchAll(/`([^`]+)` “([^”]+)”/g)]
    if ((state === 'tested') !== named.length > 0)
      missing.push(`${ids[0]}: ${state} with ${named.length} tests`)
    for (const [, file, title] of named) {
      if (!existsSync(resolve(root, file!))) missing.push(`${ids[0]}: ${file}`)
      // An ellipsis stands for what is different in each of several tests.
      else if (!titlesOf(file!).some((found) => isTitle(found, title!)))
        missing.push(`${ids[0]}: ${file} “${title}”`)
    }
  }
  assert.deepEqual(missing, [])
})

function isTitle(title: string, named: string): boolean {
  if (named.startsWith('…')) return title.endsWith(named.slice(1))
  if (named.endsWith('…')) return title.startsWith(named.slice(0, -1))
  return title === named
}

test('every file, setting and constraint that the security documents name exists', () => {
  const migrations = globSync('migrations/*.sql', { cwd: root }).map(read).join('\n')
  const settings = read('.env.example')
  const missing = ['docs/asvs.md', 'docs/security.md', 'docs/dependencies.md', 'SECURITY.md'].flatMap(
    (file) => {
      const names = [...read(file).matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!)
      return [
        ...names.filter(
          (name) => /^(src|test|docs|sdk|bin)[/]/.test(name) && !existsSync(resolve(root, name)),
        ),
        ...names.filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name) && !isKnown(name, migrations)),
        ...names.filter((name) => /^INLET_[A-Z_]+$/.test(name) && !settings.includes(name)),
      ].map((name) => `${file}: ${name}`)
    },
  )
  assert.deepEqual(missing, [])
})

/** A constraint or trigger, a refusal, or a field of the API. */
const isKnown = (name: string, migrations: string): boolean =>
  migrations.includes(name) || name in refusals || /_url$/.test(name)
