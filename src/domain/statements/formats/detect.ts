/**
 * Detects the format of a file by its first bytes; the file name does not count. No archive is opened but a workbook,
 * whose reader limits what it unpacks.
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
  if (foreign.test(bytes)) return undefined

  const text = hasMark(firstBytes) ? bytes.slice(3) : bytes
  if (/^\s*1cclientbank/i.test(text)) return '1c'
  if (/^\s*</.test(text)) return 'camt'
  if (beginsMt940(text)) return 'mt940'
  return /[;,\t]/.test(text) && !text.includes('\0') ? 'csv' : undefined
}

export const unsupported = (detail: Message): DamagedStatement =>
  new DamagedStatement(1, detail, { code: 'statement_format_unsupported' })

/** A zip that begins with what workbooks begin with. */
const workbook = /^PK\u0003[\s\S]*(?:\[Content_Types\]\.xml|_rels\/\.rels|docProps\/|xl\/)/

/** Office files with a password and old ones, archives, PDF, UTF-16 and web pages, as windows-1251 shows their first bytes. */
const foreign =
  /^(?:РП\u0011а|PK[\u0003\u0005\u0007]|\u001f‹|BZh\d|7zјЇ|Rar!|э7zXZ|\(µ\/э|яю|юя|(?:п»ї)?\s*(?:%PDF|<!doctype html|<html))/i
