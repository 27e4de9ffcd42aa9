/** No sentence that a person meets in a console is missing in Russian, and no Russian one is said by nobody. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { recordWords } from '../src/surfaces/desk/audit/words.ts'
import { moneyRu } from '../src/surfaces/staff/sentences/ru-money.ts'
import { officeRu } from '../src/surfaces/staff/sentences/ru-office.ts'
import { statementsRu } from '../src/surfaces/staff/sentences/ru-statements.ts'
import { translateFileText } from '../src/surfaces/staff/sentences/translate.ts'

const root = resolve(import.meta.dirname, '..')
const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

/** Whoever speaks to people who sit at a console: the verbs behind its forms, and whoever writes into the books. */
const speakers = files(
  'src/domain/{approvals,audit,merchants,refunds,people/saved-views}/*.ts',
  'src/surfaces/staff/saved-views/*.ts',
  'src/domain/callbacks/replay-callbacks.ts',
  'src/domain/catalogue/change-limit.ts',
  'src/surfaces/console/**/{routes,change-members}.ts',
  'src/domain/callbacks/delivery/send-test.ts',
  'src/domain/deposits/{address,change-deposit,decide,deposit,expire-deposits}.ts',
  'src/surfaces/desk/**/{routes,*-routes,uploads}.ts',
  'src/surfaces/pay/routes.ts',
  'src/domain/people/{change-person,check-password,login-attempts,password,set-up-factor,sign-in}.ts',
  'src/domain/people/links/take-link.ts',
  'src/surfaces/staff/links/routes.ts',
  'src/platform/upload.ts',
  'src/domain/requisites/add-requisite.ts',
  'src/domain/rules/{change-list,listing}.ts',
  'src/domain/sandbox/{fake-bank,pass-time,simulate-bank}.ts',
  'src/domain/statements/{explained,import-statement,keep-mapping,totals}.ts',
  'src/domain/statements/undo/*.ts',
  'src/domain/statements/formats/*.ts',
  'src/domain/transfers/{bank-source,decide-transfer,matching,repetitions,restore-undone,revoke-transfer,sort-bank-entries,take-transfers,bank-entries}.ts',
).filter((file) => !/words|view-pieces|csv-mapping/.test(file))

/** Said, but not to them. */
const unheard = [
  'This was a dry run.', // Undoes a transaction.
  'Name the entry that the bank takes back.', // The fake bank's API.
  'Another entry of this account has this name: choose another.',
  // Faults of ours.
  'A password could not be hashed',
  'A password is hashed outside of transactions.',
  'A stored password is not in a format that can be compared.',
  'The operator of this installation takes no deposits of this customer. Nothing was stored.', // The API's.
]

/** What a file says in quotes, with `{}` for every value. Comments and patterns are no speech. */
function literalsIn(source: string): string[] {
  const found: string[] = []
  let at = 0
  const code = (end: string | null): void => {
    let before = ''
    for (; at < source.length; at++) {
      const letter = source[at]!
      if (letter === end) return
      if (source.startsWith('//', at)) at = source.indexOf('\n', at)
      else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1
      else if (letter === '/' && '(,=:[!&|?{;'.includes(before)) at = endOfPattern()
      else if (letter === '{') {
        at++
        code('}')
      } else if (`'"\``.includes(letter)) found.push(quoted(letter))
      if (letter.trim() !== '') before = letter
    }
  }
  const endOfPattern = () =>
    at + /^\/(?:[^/[\\\n]|\\.|\[(?:[^\]\\]|\\.)*\])+\//.exec(source.slice(at))![0].length - 1
  const quoted = (mark: string): string => {
    let text = ''
    for (at++; source[at] !== mark; at++) {
      if (source[at] === '\\') text += source[++at]
      else if (mark === '`' && source.startsWith('${', at)) {
        at += 2
        code('}')
        text += '{}'
      } else text += source[at]
    }
    return text
  }
  code(null)
  return found
}

const isSentence = (text: string) =>
  /[a-z]+ (?:[a-z]+|…)/i.test(text) && (/\.$/.test(text) || /^[A-Z]/.test(text))

const spoken = speakers.flatMap((file) =>
  literalsIn(read(file))
    .map((text) => text.trim())
    .filter((text) => isSentence(text) && !unheard.includes(text))
    .map((text) => ({ file, text })),
)
const known = Object.keys({ ...moneyRu, ...officeRu, ...statementsRu })

/** A piece of speech is in a table where one of its sentences could be this piece with its values, or holds it. */
const shapeOf = (text: string) =>
  new RegExp(text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll('{}', '.+'), 'u')

test('the reader of sources finds what is said, and nothing else', () => {
  const source = `// It's a comment.
    const a = text.replace(/[\`']/g, "It's one.")
    throw new Refusal('x', { detail: \`Line \${n > 1 ? \`\${n} of them\` : 'one'}: it isn\\'t.\` })`
  assert.deepEqual(literalsIn(source), ["It's one.", 'x', '{} of them', 'one', "Line {}: it isn't."])
})

test('every sentence that a person can meet is known in Russian', () => {
  assert.ok(spoken.length > 200, `${spoken.length} found`)
  const missing = spoken.filter(({ text }) => !known.some((sentence) => shapeOf(text).test(sentence)))
  assert.deepEqual(missing, [])
})

test('every complaint about the files of the vectors is said in Russian', () => {
  const complaints = files('test/vectors/statements/*.json').flatMap((file) =>
    [...read(file).matchAll(/"detail": ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string),
  )
  assert.ok(complaints.length > 90, `${complaints.length} found`)
  const said = complaints.map((text) => translateFileText(text, 'ru').replaceAll(/«.*?»/g, '«»'))
  assert.deepEqual(
    said.filter((text) => /[a-z]+ [a-z]+/.test(text)),
    [],
  )
})

test('nothing is known in Russian that nobody says any more', () => {
  const shapes = spoken.map(({ text }) => shapeOf(text))
  assert.deepEqual(
    known.filter((sentence) => !shapes.some((shape) => shape.test(sentence))),
    [],
  )
})

test('in the consoles a merchant and an approver have one Russian word each; a shop is what customers and the demo have', () => {
  const spoken = files(
    'src/surfaces/{console,desk,entrance,staff}/**/*words*.ts',
    'src/surfaces/staff/sentences/*.ts',
  ).flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => /(?<!Демо-)магазин|утверждающ/i.test(line))
      .map((line) => line.trim()),
  )
  // What the customer's page will say.
  assert.deepEqual(spoken, [
    "'Страница скажет, что магазин отозвал платёж, а номер заказа останется занят. Вернуть это нельзя.',",
  ])
})

test('every act of the record has a Russian name', () => {
  const acts = files('src/**/*.ts').flatMap((file) =>
    [...read(file).matchAll(/\bact: '(\w+)'|note\(tx, '(\w+)'|decided\(visit, '(\w+)'/g)].map(
      ([, act, noted, decided]) => act ?? noted ?? decided!,
    ),
  )
  assert.ok(acts.length > 30, `${acts.length} found`)
  assert.deepEqual(
    acts.filter((act) => /_/.test(act) && !Object.hasOwn(recordWords.ru.acts, act)),
    [],
  )
})
