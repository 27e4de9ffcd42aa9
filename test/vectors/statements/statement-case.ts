/** What the makers of test statements share: one case, and text in the encodings that banks write. */
import type { Currency } from '../../../src/domain/money.ts'
import type { CsvMapping } from '../../../src/domain/statements/formats/csv-mapping.ts'

export type Case = {
  file: string
  bytes: Uint8Array
  mapping?: CsvMapping
}

/** Invented; their check digits are right. */
const ownAccounts = new Map<string, Currency>([
  ['40702810300000000042', 'RUB'],
  ['40702810600000000043', 'RUB'],
  ['KZ90999TEST000000001', 'KZT'],
  ['20208000100000000001', 'UZS'],
])

export const currencyOf = (account: string): Currency | undefined => ownAccounts.get(account)

export function encoded(text: string, encoding: 'utf-8' | 'windows-1251' | 'ibm866' | 'koi8-r'): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  const table = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return Uint8Array.from(text, (letter) => {
    const byte = table.indexOf(letter)
    if (byte === -1) throw new RangeError(`${letter} cannot be written in ${encoding}`)
    return byte
  })
}
