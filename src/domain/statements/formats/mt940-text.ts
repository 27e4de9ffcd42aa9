/**
 * Reads `:86:` in the variants of banks: numbered subfields (`~01…~06…` of Russian banks, `?20…?32…` of European ones), codes
 * between slashes (`/ORDP/…/REMI/…`), or plain text. A payer may write such codes too, so a
 * number of the payment is not read: it would be the payer's.
 */
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { splitTaxId } from '../../transfers/payer-shapes.ts'
import type { Payer } from '../entry.ts'

type PurposeFields = {
  /** The other side of a credit. */
  payer: Payer
  /** The bank says that it is the side which orders the payment, also of a debit. */
  isOrdering: boolean
  /** The whole text, if it has no field for the purpose. */
  purposeParts: string[]
}

export const nobody: Payer = { payerName: '', payerAccount: '', payerTaxId: '', payerBank: '' }

export function readPurposeFields(lines: readonly string[]): PurposeFields {
  const text = lines.join('\n')
  const { codes, meanings } = dialectOf(text)
  const fields = codes ? fieldsIn(text, codes) : []
  const purposes = fields.filter(({ code }) => meanings[code] === 'purpose')
  const payer = { ...nobody }
  let isReceiving = false
  for (const { code, value } of fields) {
    if (code === 'ORDP' || code === 'BENM') isReceiving = code === 'BENM'
    const meaning = meanings[code]
    if (meaning && meaning !== 'purpose' && !isReceiving) fill(payer, meaning, value.replaceAll('\n', ''))
  }
  return {
    payer,
    isOrdering: fields.some(({ code }) => code === 'ORDP'),
    purposeParts: (purposes.length > 0 ? purposes.map(({ value }) => value) : [text])
      .flatMap((value) => value.split('\n'))
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  }
}

/** The first value counts: the payer's own text comes after the bank's. */
function fill(payer: Payer, key: keyof Payer, value: string): void {
  if (key === 'payerName') {
    const { name, taxId } = splitTaxId(value)
    payer.payerName ||= name
    payer.payerTaxId ||= taxId
  } else if (key === 'payerAccount') {
    const [account = '', bank = ''] = value.split(',')
    payer.payerAccount ||= normalizeAccountNumber(account)
    payer.payerBank ||= bank.trim()
  } else payer[key] ||= value
}

/** What follows each code, up to the next one. Behind the purpose between slashes everything is the payer's own text. */
function fieldsIn(text: string, codes: RegExp): { code: string; value: string }[] {
  const all = [...text.matchAll(codes)].map((match) => ({
    ...{ code: match[1]!.replaceAll('\n', ''), at: match.index, end: match.index + match[0].length },
  }))
  const purpose = all.findIndex(({ code }) => code === 'REMI')
  const found = purpose === -1 ? all : all.slice(0, purpose + 1)
  return found.map(({ code, end }, place) => {
    let [from, to] = [end, found[place + 1]?.at ?? text.length]
    // A pattern would backtrack over each of the slashes and blanks.
    while (from < to && ' /\n'.includes(text[from]!)) from++
    while (from < to && ' /\n'.includes(text[to - 1]!)) to--
    return { code, value: text.slice(from, to) }
  })
}

type Meanings = Record<string, keyof Payer | 'purpose' | undefined>

const russian: Meanings = {
  '01': 'payerName',
  '02': 'payerTaxId',
  '03': 'payerAccount',
  '05': 'payerBank',
  '06': 'purpose',
}

const european: Meanings = {
  ...{ '30': 'payerBank', '31': 'payerAccount', '38': 'payerAccount', '32': 'payerName' },
  ...Object.fromEntries(
    [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 60, 61, 62, 63].map((code) => [code, 'purpose']),
  ),
}

const slashes: Meanings = {
  ...{
    ORDP: 'payerName',
    BENM: 'payerName',
    NAME: 'payerName',
    IBAN: 'payerAccount',
    ACCW: 'payerAccount',
    ACCT: 'payerAccount',
  },
  ...{
    ID: 'payerTaxId',
    INN: 'payerTaxId',
    BIN: 'payerTaxId',
    BIC: 'payerBank',
    BANK: 'payerBank',
    REMI: 'purpose',
  },
}

/** Every known code, used here or not: each ends the value of the code before it. */
export const slashCodes = [
  ...Object.keys(slashes),
  ...['CNTP', 'ADDR', 'CITY', 'EREF', 'PREF', 'KREF', 'IREF', 'MARF', 'CSID', 'TRTP', 'TRCD', 'ISDT', 'ORDT'],
  ...['RTRN', 'PURP', 'ULTD', 'ULTC', 'ULTB', 'SVCL', 'OCMT', 'COAM', 'CHGS', 'EXCH', 'NBTR'],
]

/** Banks cut their lines anywhere, also within a code. */
const slashCode = `/(${slashCodes.map((code) => [...code].join('\\n?')).join('|')})(?=\n?/)`
const everyCode = new RegExp(slashCode, 'g')
const codeFirst = new RegExp(`^\\s*${slashCode}`)

function dialectOf(text: string): { codes?: RegExp; meanings: Meanings } {
  const [, sign, first] = /^\s*(?:\d{3})?([?~])(\d{2})/.exec(text) ?? []
  if (sign !== undefined)
    return {
      codes: new RegExp(`\\${sign}(\\n?\\d\\n?\\d)`, 'g'),
      meanings: first === '01' ? russian : european,
    }
  return codeFirst.test(text) ? { codes: everyCode, meanings: slashes } : { meanings: {} }
}

/** Empty for a placeholder: a word without digits, such as NONREF, or only zeros. */
export const numberIn = (text: string): string => (/\d/.test(text) && !/^0+$/.test(text) ? text : '')
