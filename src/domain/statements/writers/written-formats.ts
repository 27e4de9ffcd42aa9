/**
 * The formats that the fake bank writes. The API, the command line, the reference and the tests read this table; a format
 * that is only read is not in it.
 */
import type { FormatName } from '../../transfers/channel.ts'
import { writeCamt } from './camt.ts'
import { writeOneC } from './one-c.ts'
import type { WrittenStatement } from './statement.ts'

type WrittenFormat = {
  /** `madeAt`: when the file was made, in the bank's time. `id` names the file. */
  write(statements: readonly WrittenStatement[], file: { madeAt: string; id: string }): Uint8Array
  extension: string
  /** With the encoding of a text. */
  contentType: string
  /** For the reference of the API. */
  description: string
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
} as const satisfies Partial<Record<FormatName, WrittenFormat>>

export type WrittenFormatName = keyof typeof formats
export const writtenFormats: Record<WrittenFormatName, WrittenFormat> = formats
export const writtenFormatNames = Object.keys(formats) as WrittenFormatName[]
