/**
 * Detects the format of a file by its first bytes; the file name does not count. Unsupported formats are named,
 * with what to ask the bank for. No archive is opened but a workbook, whose reader limits what it unpacks.
 */
import { type Message, message } from '../../messages/message.ts'
import { DamagedStatement, type StatementFormat } from '../entry.ts'
import { camt } from './camt.ts'
import { csv } from './csv.ts'
import { decodeHead, hasMark } from './decode.ts'
import { beginsMt940, mt940 } from './mt940.ts'
import { oneC } from './one-c.ts'
import { xlsx } from './xlsx.ts'

export const statementFormats: Record<StatementFormat['name'], StatementFormat> = {
  '1c': oneC,
  camt,
  csv,
  mt940,
  xlsx,
}

/** A few hundred bytes are enough; undefined for a text that looks like none of them. */
export function formatOf(firstBytes: Uint8Array): StatementFormat['name'] | undefined {
  if (firstBytes.length === 0) throw new DamagedStatement(1, message('file_is_empty'))
  const bytes = decodeHead(firstBytes, 'windows-1251')
  if (workbook.test(bytes)) return 'xlsx'
  const foreign = foreignFiles.find(({ starts }) => starts.test(bytes))
  if (foreign) throw unsupported(foreign.detail)

  const text = hasMark(firstBytes) ? bytes.slice(3) : bytes
  if (/^\s*1cclientbank/i.test(text)) return '1c'
  if (/^\s*</.test(text)) return 'camt'
  if (beginsMt940(text)) return 'mt940'
  if (text.includes('\0')) throw unsupported(message('not_a_text_file', { ask: askFor }))
  return /[;,\t]/.test(text) ? 'csv' : undefined
}

export const unsupported = (detail: Message): DamagedStatement =>
  new DamagedStatement(1, detail, { code: 'statement_format_unsupported' })

const askFor = message('ask_bank_for_text_statement')
const unpack = message('file_is_archive')

/** A zip that begins with what workbooks begin with. */
const workbook = /^PK\u0003[\s\S]*(?:\[Content_Types\]\.xml|_rels\/\.rels|docProps\/|xl\/)/

/** The signatures as windows-1251 shows them. */
const foreignFiles: { starts: RegExp; detail: Message }[] = [
  {
    starts: /^РП\u0011а[\s\S]*E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e/,
    detail: message('workbook_has_password'),
  },
  { starts: /^РП\u0011а/, detail: message('file_is_old_office') },
  { starts: /^(?:PK[\u0003\u0005\u0007]|\u001f‹|BZh\d|7zјЇ|Rar!|э7zXZ|\(µ\/э)/, detail: unpack },
  { starts: /^(?:п»ї)?\s*%PDF/, detail: message('file_is_pdf', { ask: askFor }) },
  {
    starts: /^(?:яю|юя)/,
    detail: message('file_is_utf16'),
  },
  {
    starts: /^(?:п»ї)?\s*(?:<!doctype html|<html)/i,
    detail: message('file_is_web_page'),
  },
]
