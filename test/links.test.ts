/** Every link of our documents to another file, or to a heading in one, leads there; translations are in step. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** As GitHub makes the anchors of headings. */
const anchorsOf = (document: string): string[] =>
  [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

test('every link between documents leads to a file, and to a heading in it', () => {
  const documents = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules/**'] })
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:|mailto:|\/)([^)\s]+)\)/g)].map(([, link]) => ({
      document,
      link: link!,
    })),
  )
  const broken = links.filter(({ document, link }) => {
    const [path, anchor] = link.split('#') as [string, string | undefined]
    const target = path === '' ? document : join(dirname(document), path)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
  })
  assert.deepEqual(broken, [])
  assert.ok(links.length > 50, `${links.length} links`)
})

/** What a translation must share with its original: levels of headings, pictures, code, and how long its lists and tables are. */
const skeletonOf = (document: string): string[] =>
  [
    ...read(document).matchAll(
      /^ *```[\s\S]*?^ *```$|^#+(?= )|^\|(?=.* \|$)|^ *(?:-|\d+\.)(?= )|(?<=screenshots\/)[\w-]+\.webp/gm,
    ),
  ].map(([piece]) => piece)

test('the Russian documents have the headings, code, lists and tables of the English ones', () => {
  const documents = ['operate', 'operators', 'merchants', 'glossary'].map((name) => [
    `docs/${name}.md`,
    `docs/ru/${name}.md`,
  ])
  for (const [english, russian] of [['README.md', 'README.ru.md'], ...documents])
    assert.deepEqual(skeletonOf(russian!), skeletonOf(english!), russian)
})
