/** The formats that the fake bank writes. The API, the command line, the reference and the tests read this table. */
import type { FormatName } from '../../transfers/channel.ts'
import { writeCamt } from './camt.ts'
import { writeOneC } from './one-c.ts'
import type { WrittenStatement } from './statement.ts'

type WrittenFormat = {
  /** `madeAt`: when the file was made, in the bank's time. `id` names the file. */
  write(statements: readonly WrittenStatement[], madeAt: string, id: string): Uint8Array
  extension: string
  /** With the encoding of a text. */
  contentType: string
  /** For the reference of the API. */
  description: string
}

export const writtenFormats = {
  '1c': {
    write: writeOneC,
    extension: 'txt',
    contentType: 'text/plain; charset=windows-1251',
    description: '1CClientBankExchange in windows-1251.',
  },
  camt: {
    write: writeCamt,
    extension: 'xml',
    contentType: 'application/xml; charset=utf-8',
    description: 'camt.053.001.08.',
  },
} satisfies Partial<Record<FormatName, WrittenFormat>>

export type WrittenFormatName = keyof typeof writtenFormats
export const writtenFormatNames = Object.keys(writtenFormats) as WrittenFormatName[]
