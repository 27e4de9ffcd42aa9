/**
 * Writes the statements of this folder: invented files in the encodings of real ones. Run it after a change here;
 * with `--expect` it also writes what our readers make of them, to be read by a person before it is believed.
 *
 *     node bin/node.mjs test/vectors/statements/make.ts [--expect] && npx biome check --write test/vectors
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { bankTableCases } from './bank-table-cases.ts'
import { camtCases } from './camt-cases.ts'
import { csvCases } from './csv-cases.ts'
import { expectationOf } from './expectation.ts'
import { mt940Cases } from './mt940-cases.ts'
import { oneCCases } from './one-c-cases.ts'
import { type Case, encoded } from './statement-case.ts'
import { tableCases } from './table-cases.ts'
import { workbookCases } from './workbook-cases.ts'

const zip = (name: string) =>
  Buffer.concat([
    Buffer.from('PK\u0003\u0004\u0014\0\0\0\u0008\0', 'latin1'),
    Buffer.alloc(16),
    Buffer.from(name),
  ])

const foreignCases: Case[] = [
  { file: 'empty.txt', bytes: new Uint8Array(0) },
  // A bomb is only a zip that nobody should open: its first bytes are those of any other.
  { file: 'zip-bomb.zip', bytes: zip('statement.txt') },
  { file: 'workbook-cut.xlsx', bytes: zip('[Content_Types].xml') },
  // The names of a password-protected workbook's streams stand in UTF-16.
  {
    file: 'workbook-password.xlsx',
    bytes: Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(120),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]),
  },
  { file: 'old-workbook.xls', bytes: Buffer.from('d0cf11e0a1b11ae1', 'hex') },
  { file: 'gzip.gz', bytes: gzipSync('1CClientBankExchange', { level: 0 }) },
  { file: 'report.pdf', bytes: Buffer.from('%PDF-1.7\n') },
  { file: 'mt940.sta', bytes: Buffer.from('{1:F01TESTRUMMAXXX0000000000}{2:I940}{4:\r\n:20:1\r\n') },
  { file: 'web-page.xml', bytes: Buffer.from('<!DOCTYPE html><html><body>Sign in</body></html>') },
  { file: 'utf-16.txt', bytes: Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('1CClient', 'utf16le')]) },
  { file: 'binary.bin', bytes: Buffer.from('00010203', 'hex') },
  { file: 'prose.txt', bytes: encoded('Просто текст', 'utf-8') },
]

export const cases: Case[] = [
  ...oneCCases,
  ...camtCases,
  ...csvCases,
  ...tableCases,
  ...bankTableCases,
  ...workbookCases,
  ...mt940Cases,
  ...foreignCases,
]

if (import.meta.main) {
  for (const made of cases) {
    writeFileSync(resolve(import.meta.dirname, made.file), made.bytes)
    if (!process.argv.includes('--expect')) continue
    const json = resolve(import.meta.dirname, `${made.file}.json`)
    const expectation = JSON.parse(JSON.stringify(await expectationOf(made)))
    // What says the same stays as the formatter has left it.
    if (!existsSync(json) || !isDeepStrictEqual(JSON.parse(readFileSync(json, 'utf8')), expectation))
      writeFileSync(json, `${JSON.stringify(expectation, null, 2)}\n`)
  }
}
