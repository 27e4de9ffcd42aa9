/** Every file of test/vectors/statements, as a whole and cut into chunks anywhere. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { expectationOf } from '../../../../test/vectors/statements/expectation.ts'
import { cases } from '../../../../test/vectors/statements/make.ts'
import { currencyOf } from '../../../../test/vectors/statements/statement-case.ts'
import { formatNames } from '../../transfers/channel.ts'
import type { Part, ReadContext } from '../entry.ts'
import { CamtReader } from './camt.ts'
import { CsvReader } from './csv.ts'
import { mappingProblems } from './csv-mapping.ts'
import { formatOf, statementFormats } from './detect.ts'
import { Lines, partsOf } from './lines.ts'
import { Mt940Reader } from './mt940.ts'
import { OneCReader } from './one-c.ts'
import { XmlReader } from './xml.ts'

const folder = resolve(import.meta.dirname, '../../../../test/vectors/statements')
const expected = (file: string) => JSON.parse(readFileSync(resolve(folder, `${file}.json`), 'utf8'))

test('the statements in the folder are what their makers write, and none is left over', () => {
  const files = readdirSync(folder).filter((file) => !/\.(ts|json|gitattributes)$/.test(file))
  assert.deepEqual(files.sort(), cases.map(({ file }) => file).sort())
  for (const { file, bytes } of cases)
    assert.ok(readFileSync(resolve(folder, file)).equals(bytes), `${file} differs: run make.ts`)
})

for (const made of cases)
  test(`${made.file} is read as expected`, async () => {
    assert.deepEqual(JSON.parse(JSON.stringify(await expectationOf(made))), expected(made.file))
  })

test('every format has a file here that is read without a complaint', () => {
  const read = cases
    .map(({ file }) => expected(file))
    .filter(({ refused, parts }) => !refused && parts.length > 0)
  const missing = formatNames.filter((name) => !read.some(({ format }) => format === name))
  assert.deepEqual(missing, [], 'Does formatOf in detect.ts know it, and does make.ts list its cases?')
})

test('a card number is masked in every format, in the entry’s own text too', async () => {
  const masked = new Set<string>()
  for (const { bytes, mapping, file } of cases) {
    if (!JSON.stringify(expected(file)).includes('411111******1111')) continue
    const format = formatOf(bytes)!
    masked.add(format)
    async function* chunks() {
      yield bytes
    }
    for await (const part of statementFormats[format].read(chunks(), {
      currencyOf,
      ...(mapping && { mapping }),
    }))
      if ('entry' in part)
        for (const text of Object.values(part.entry)) assert.doesNotMatch(`${text}`, /4111111111111111/, file)
  }
  const missing = formatNames.filter((name) => !masked.has(name))
  assert.deepEqual(missing, [], 'Add a case with the card number 4111111111111111 in a purpose.')
})

test('the mappings of these files are such as may be saved', () => {
  for (const { file, mapping } of cases) if (mapping) assert.deepEqual(mappingProblems(mapping), [], file)
})

test('the same file in any encoding says the same', () => {
  const { parts } = expected('ru-windows-1251.txt')
  for (const file of ['ru-cp866.txt', 'ru-utf-8.txt', 'ru-utf-8-bom.txt', 'ru-cr-only.txt'])
    assert.deepEqual(expected(file).parts, parts, file)
  const { parts: camt } = expected('camt-053-08.xml')
  for (const file of ['camt-053-02.xml', 'camt-windows-1251.xml', 'camt-prefixed.xml'])
    assert.deepEqual(expected(file).parts, camt, file)
  const early = JSON.parse(JSON.stringify(camt).replace('"role":"booked"', '"role":"early"'))
  for (const file of ['camt-052.xml', 'camt-054.xml']) assert.deepEqual(expected(file).parts, early, file)
  const { parts: mt940 } = expected('mt940-plain.sta')
  for (const dress of ['windows-1251', 'cp866', 'bom', 'lf', 'cr', 'old-tags', 'available', 'account-bic'])
    assert.deepEqual(expected(`mt940-${dress}.sta`).parts, mt940, dress)
})

test('chunks of bytes cut anywhere give the same result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cases), fc.array(fc.nat(), { maxLength: 20 }), async (made, cuts) => {
      const { bytes } = made
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      assert.deepEqual(JSON.parse(JSON.stringify(await expectationOf(made, chunks))), expected(made.file))
    }),
    { numRuns: 300 },
  )
})

type TextReader = {
  push(text: string): Iterable<Part> | AsyncIterable<Part>
  end(): Iterable<Part>
}

/** The readers themselves, without the decoder, which would make large pieces of small ones. A workbook is no text. */
function textReader(bytes: Uint8Array, context: ReadContext): TextReader {
  const format = formatOf(bytes)
  if (format === 'camt') {
    const [xml, reader] = [new XmlReader(), new CamtReader(context)]
    return {
      async *push(text) {
        for (const event of xml.push(text)) {
          const ended = reader.take(event)
          if (ended) yield* reader.partsOf(ended)
        }
      },
      end() {
        xml.end()
        return []
      },
    }
  }
  const reader =
    format === 'csv'
      ? new CsvReader(context)
      : new { '1c': OneCReader, mt940: Mt940Reader }[format as '1c'](bytes, context)
  const lines = new Lines(reader)
  return {
    push: (text) => partsOf(lines.push(text), reader),
    *end() {
      yield* partsOf(lines.end(), reader)
      yield* reader.end()
    },
  }
}

async function readTexts(reader: TextReader, texts: string[]) {
  const parts: Part[] = []
  try {
    for (const text of texts) for await (const part of reader.push(text)) parts.push(part)
    parts.push(...reader.end())
  } catch (error) {
    assert.equal((error as Error).name, 'DamagedStatement', String(error))
    return { parts, error: (error as Error).message }
  }
  return { parts, error: null }
}

test('pieces of text cut anywhere give the same result', async () => {
  const readable = cases.filter(
    ({ file, mapping }) =>
      expected(file).parts.length > 0 &&
      (mapping || expected(file).format !== 'csv') &&
      !file.endsWith('.xlsx'),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...readable),
      fc.array(fc.nat(), { maxLength: 40 }),
      async ({ bytes, mapping }, cuts) => {
        const context = { currencyOf, ...(mapping && { mapping }) }
        const text = new TextDecoder().decode(bytes)
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        const texts = places.slice(1).map((end, index) => text.slice(places[index], end))
        const cut = await readTexts(textReader(bytes, context), texts)
        const whole = await readTexts(textReader(bytes, context), [text])
        assert.equal(cut.error, whole.error)
        // What stands before the damage may have been given or not: it counts for nothing.
        if (whole.error === null) assert.deepEqual(cut.parts, whole.parts)
      },
    ),
    { numRuns: 300 },
  )
})

test('a file with bytes changed is read, rejected in rows or refused, and never breaks the reader', async () => {
  const change = fc.tuple(fc.nat(), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cases), fc.array(change, { maxLength: 5 }), async (made, changes) => {
      const bytes = Uint8Array.from(made.bytes)
      for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
      for (const part of (await expectationOf({ ...made, bytes })).parts as { entry?: { cents: string } }[])
        if (part.entry) assert.match(part.entry.cents, /^[1-9]\d*$/)
    }),
    { numRuns: 500 },
  )
})
