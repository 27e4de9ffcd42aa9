/**
 * Reads `:86:` in the variants of banks: numbered subfields (`~01…~06…` of Russian banks, `?20…?32…` of European ones), codes
 * between slashes (`/ORDP/…/REMI/…`), or plain text. A payer may write such codes too, so no payer that is read here proves that two
 * reports are of two payments (`channelFacts`), and a number of the payment is not read at all: it would be the payer's.
 */
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { splitTaxId } from '../../transfers/payer-shapes.ts'

type Party = { name: string; account: string; taxId: string; bank: string }

type PurposeFields = {
  /** The other side of a credit. */
  payer: Party
  /** The bank says that it is the side which orders the payment, also of a debit. */
  isOrdering: boolean
  /** The whole text, if it has no field for the purpose. */
  purposeParts: string[]
}

export const nobody: Party = { name: '', account: '', taxId: '', bank: '' }

export function readPurposeFields(lines: readonly string[]): PurposeFields {
  const text = new JoinedLines(lines)
  const { codes, meanings } = dialectOf(text.all)
  const fields = codes ? text.fields(codes) : []
  const purposes = fields.filter(({ code }) => meanings[code] === 'purpose')
  const payer = { ...nobody }
  let isReceiving = false
  for (const { code, from, to } of fields) {
    if (code === 'ORDP' || code === 'BENM') isReceiving = code === 'BENM'
    const meaning = meanings[code]
    if (meaning && meaning !== 'purpose' && !isReceiving) fill(payer, meaning, text.all.slice(from, to))
  }
  return {
    payer,
    isOrdering: fields.some(({ code }) => code === 'ORDP'),
    purposeParts:
      purposes.length > 0 ? purposes.flatMap(({ from, to }) => text.parts(from, to)) : text.parts(),
  }
}

/** The first value counts: the payer's own text comes after the bank's. */
function fill(party: Party, key: keyof Party, value: string): void {
  if (key === 'name') {
    const { name, taxId } = splitTaxId(value)
    party.name ||= name
    party.taxId ||= taxId
  } else if (key === 'account') {
    const [account = '', bank = ''] = value.split(',')
    party.account ||= normalizeAccountNumber(account)
    party.bank ||= bank.trim()
  } else party[key] ||= value
}

type Field = { code: string; from: number; to: number }

/** Lines joined without a separator, because banks cut them within a word or a code. It remembers where the cuts were. */
class JoinedLines {
  readonly all: string
  readonly #ends: number[]

  constructor(lines: readonly string[]) {
    this.all = lines.join('')
    let end = 0
    this.#ends = lines.map(({ length }) => (end += length))
  }

  /** What follows each code, up to the next one. Behind the purpose a code of a party is the payer's own text. */
  fields(codes: RegExp): Field[] {
    let isBehind = false
    const found = [...this.all.matchAll(codes)].filter(([, code]) => {
      if (isBehind && partyCodes.includes(code!)) return false
      isBehind ||= code === 'REMI'
      return true
    })
    return found.map((match, place) => ({
      code: match[1]!,
      ...this.#trimmed(match.index + match[0].length, found[place + 1]?.index ?? this.all.length),
    }))
  }

  /** The text between two positions, split where the bank cut its lines. */
  parts(from = 0, to = this.all.length): string[] {
    const ends = [...this.#ends.filter((end) => end > from && end < to), to]
    return ends
      .map((end, nth) => this.all.slice(ends[nth - 1] ?? from, end).trim())
      .filter((part) => part !== '')
  }

  /** Without the slashes and blanks at both ends. A loop, because a pattern would backtrack over each of them. */
  #trimmed(from: number, to: number): Pick<Field, 'from' | 'to'> {
    while (from < to && ' /'.includes(this.all[from]!)) from++
    while (from < to && ' /'.includes(this.all[to - 1]!)) to--
    return { from, to }
  }
}

type Meanings = Record<string, keyof Party | 'purpose' | undefined>

const russian: Meanings = { '01': 'name', '02': 'taxId', '03': 'account', '05': 'bank', '06': 'purpose' }

const european: Meanings = {
  ...{ '30': 'bank', '31': 'account', '38': 'account', '32': 'name' },
  ...Object.fromEntries(
    [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 60, 61, 62, 63].map((code) => [code, 'purpose']),
  ),
}

const slashes: Meanings = {
  ...{ ORDP: 'name', BENM: 'name', NAME: 'name', IBAN: 'account', ACCW: 'account', ACCT: 'account' },
  ...{ ID: 'taxId', INN: 'taxId', BIN: 'taxId', BIC: 'bank', BANK: 'bank', REMI: 'purpose' },
}

const partyCodes = [...Object.keys(slashes).filter((code) => code !== 'REMI'), 'CNTP', 'ADDR', 'CITY']

/** Every known code, used here or not: each ends the value of the code before it. */
export const slashCodes = [
  ...['REMI', ...partyCodes, 'EREF', 'PREF', 'KREF', 'IREF', 'MARF', 'CSID', 'TRTP', 'TRCD', 'ISDT', 'ORDT'],
  ...['RTRN', 'PURP', 'ULTD', 'ULTC', 'ULTB', 'SVCL', 'OCMT', 'COAM', 'CHGS', 'EXCH', 'NBTR'],
]

const everyCode = new RegExp(`/(${slashCodes.join('|')})(?=/)`, 'g')
const codesFirst = new RegExp(`^\\s*/(?:${slashCodes.join('|')})/`)

/** No codes: the text is plain. */
function dialectOf(text: string): { codes?: RegExp; meanings: Meanings } {
  const [, sign, first] = /^\s*(?:\d{3})?([?~<>^|])(\d{2})/.exec(text) ?? []
  if (sign !== undefined)
    return { codes: new RegExp(`\\${sign}(\\d{2})`, 'g'), meanings: first === '01' ? russian : european }
  return codesFirst.test(text) ? { codes: everyCode, meanings: slashes } : { meanings: {} }
}

/** Empty for a placeholder: a word without digits, such as NONREF, or only zeros. */
export const numberIn = (text: string): string => (/\d/.test(text) && !/^0+$/.test(text) ? text : '')

/**
 * The text of one field in its parts, of a message whose reference to the sender begins with `+`: Russian as SWIFT-RUR
 * (version 6) writes it, one Latin letter for each, with an apostrophe before and behind what is Latin itself.
 */
export function fromTranslit(parts: readonly string[]): string[] {
  let isLatin = false
  return parts.map((part) => {
    let text = ''
    for (const letter of part) {
      if (letter === "'") isLatin = !isLatin
      else text += isLatin ? letter : (letters[letter] ?? letter)
    }
    return text
  })
}

const latin = 'ABVGDEoJZIiKLMNOPRSTUFHCcQqxYXeuanpjm'
const russianLetters = 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ№%\'"'

const letters: Record<string, string> = Object.fromEntries(
  [...latin].map((letter, place) => [letter, [...russianLetters][place]!]),
)
