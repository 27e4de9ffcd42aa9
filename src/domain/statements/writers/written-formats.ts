/**
 * The formats that the fake bank writes. The API, the command line, the reference and the tests read this table; a format
 * that is only read is not in it.
 */
import type { FormatName } from '../../transfers/transfer.ts'
import { writeCamt } from './camt.ts'
import { writeCsv } from './csv.ts'
import { writeMt940 } from './mt940.ts'
import { writeOneC } from './one-c.ts'
import type { WrittenStatement } from './statement.ts'
import { writeXlsx } from './xlsx.ts'

type Statements = readonly [WrittenStatement, ...WrittenStatement[]]

type WrittenFormat = {
  /** `madeAt`: when the file was made, in the bank's time. `id` names the file. */
  write(statements: Statements, file: { madeAt: string; id: string }): Uint8Array
  extension: string
  /** With the encoding of a text. */
  contentType: string
  /** For the reference of the API. */
  description: string
  /** How messages name a file of this kind if it is a table: it is of one account, and is read with a mapping. */
  tableName?: string
}

const formats = {
  '1c': {
    write: (statements, { madeAt }) => writeOneC(statements, madeAt),
    extension: 'txt',
    contentType: 'text/plain; charset=windows-1251',
    description: '1CClientBankExchange in windows-1251.',
  },
  camt: {
    write: (statements, { madeAt, id }) => writeCamt(statements, madeAt, id),
    extension: 'xml',
    contentType: 'application/xml; charset=utf-8',
    description: 'camt.053.001.08.',
  },
  csv: {
    write: ([statement]) => writeCsv(statement),
    extension: 'csv',
    contentType: 'text/csv; charset=utf-8',
    description: 'CSV in UTF-8.',
    tableName: 'CSV file',
  },
  xlsx: {
    write: ([statement]) => writeXlsx(statement),
    extension: 'xlsx',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    description: 'Excel workbook.',
    tableName: 'workbook',
  },
  mt940: {
    write: (statements, { id }) => writeMt940(statements, id),
    extension: 'sta',
    contentType: 'text/plain; charset=utf-8',
    description: 'MT940 in UTF-8.',
  },
} as const satisfies Partial<Record<FormatName, WrittenFormat>>

export type WrittenFormatName = keyof typeof formats
export const writtenFormats: Record<WrittenFormatName, WrittenFormat> = formats
export const writtenFormatNames = Object.keys(formats) as WrittenFormatName[]
