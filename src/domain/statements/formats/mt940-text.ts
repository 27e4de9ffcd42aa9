/**
 * Reads `:86:` in the variants of banks: numbered subfields (`?20…?32…` of German and other
 * European banks, `~01…~06…` of a Russian one), codes between slashes (`/ORDP/…/REMI/…`), or plain text. Which payer
 * it names proves nothing: a payer may write codes too, so what the bank writes before the payer's text counts, and
 * what it writes behind it only where it does not contradict itself.
 */
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'

export type Party = { name: string; account: string; taxId: string; bank: string }

type PurposeFields = {
  /** Who ordered the payment, where the bank says so; who stands on the other side, where it says only that. */
  ordering: Party | null
  receiving: Party | null
  other: Party | null
  /** The whole text, where no field of it is for the purpose. */
  purposeParts: string[]
  /** The payer's own number of the payment. */
  number: string
}

export function readPurposeFields(lines: readonly string[]): PurposeFields {
  const text = new Joined(lines)
  const numbered = /^\s*(?:\d{3})?([?~<>^|])\d{2}/.exec(text.all)?.[1]
  if (numbered !== undefined) return byNumbers(text, numbered)
  if (codesFirst.test(text.all)) return byCodes(text)
  return { ordering: null, receiving: null, other: null, purposeParts: text.parts(), number: '' }
}

/** Lines put together as the bank has cut them, in the middle of a word or a code; and where the cuts were. */
class Joined {
  readonly all: string
  readonly #ends: number[]

  constructor(lines: readonly string[]) {
    this.all = lines.join('')
    let end = 0
    this.#ends = lines.map(({ length }) => (end += length))
  }

  text(from: number, to: number): string {
    return this.all.slice(from, to).trim()
  }

  /** The text between two places, in the lines it stood in. */
  parts(from = 0, to = this.all.length): string[] {
    const parts: string[] = []
    let start = from
    for (let nth = this.#firstEndBehind(from); start < to; nth++) {
      const end = Math.min(this.#ends[nth] ?? to, to)
      parts.push(this.all.slice(start, end).trim())
      start = end
    }
    return parts.filter((part) => part !== '')
  }

  /** By halves: a text of a thousand lines may have a hundred thousand fields. */
  #firstEndBehind(from: number): number {
    let [low, high] = [0, this.#ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ends[middle]! > from) high = middle
      else low = middle + 1
    }
    return low
  }
}

type Field = { code: string; from: number; to: number }

/** What follows each code, up to the next one. */
const fieldsOf = ({ all }: Joined, found: readonly RegExpExecArray[]): Field[] =>
  found.map((match, place) => ({
    code: match[1]!,
    from: match.index + match[0].length,
    to: found[place + 1]?.index ?? all.length,
  }))

function byNumbers(text: Joined, sign: string): PurposeFields {
  const codes = new RegExp(`[${sign === '^' ? '\\^' : sign}](\\d{2})`, 'g')
  const fields = fieldsOf(text, [...text.all.matchAll(codes)])
  const isRussian = fields[0]?.code === '01'
  const names = isRussian
    ? { taxId: ['02'], account: ['03'], bank: ['05', '04'] }
    : { taxId: [], account: ['31', '38'], bank: ['30'] }
  // A repeated code may be the payer's, so its value is not trusted.
  const value = (code: string): string => {
    const all = fields.filter((field) => field.code === code).map(({ from, to }) => text.text(from, to))
    return new Set(all).size === 1 ? all[0]! : ''
  }
  const first = (codes: string[]): string => codes.map(value).find((code) => code !== '') ?? ''
  const purposes = fields.filter(({ code }) => (isRussian ? code === '06' : germanPurpose.test(code)))
  const { purposeParts, number } = isRussian
    ? { purposeParts: purposes.flatMap(({ from, to }) => text.parts(from, to)), number: '' }
    : sepaParts(text, purposes)
  return {
    ordering: null,
    receiving: null,
    other: {
      name: isRussian ? value('01') : germanName(value('32'), value('33')),
      account: normalizeAccountNumber(first(names.account)),
      taxId: first(names.taxId),
      bank: first(names.bank),
    },
    purposeParts,
    number,
  }
}

/** A subfield has 27 characters, and a longer name goes on in the next. */
const germanName = (name: string, more: string): string =>
  `${name}${name.length < 27 ? ' ' : ''}${more}`.trim()

const germanPurpose = /^(?:2\d|6[0-3])$/

/** `EREF+…`, `SVWZ+…` at the head of a subfield: the payer's number, and the purpose among other things of SEPA. */
function sepaParts(text: Joined, fields: readonly Field[]): { purposeParts: string[]; number: string } {
  const values = new Map<string, string[]>()
  let open: string[] | undefined
  for (const { from, to } of fields) {
    const tag = /^[A-Z]{4}(?=\+)/.exec(text.all.slice(from, to))?.[0]
    if (tag !== undefined && !values.has(tag)) {
      open = []
      values.set(tag, open)
    }
    open?.push(...text.parts(tag === undefined ? from : from + tag.length + 1, to))
  }
  return {
    purposeParts: values.get('SVWZ') ?? fields.flatMap(({ from, to }) => text.parts(from, to)),
    number: numberIn((values.get('EREF') ?? values.get('KREF') ?? []).join('')),
  }
}

function byCodes(text: Joined): PurposeFields {
  const found = [...text.all.matchAll(everyCode)]
  const purposeAt = found.findIndex(([, code]) => purposeCodes.includes(code!))
  // From the purpose on, the text may be the payer's: only what comes before is trusted.
  const trusted = found.filter(([, code], place) => purposeAt === -1 || place <= purposeAt || !isParty(code!))
  const fields = fieldsOf(text, trusted).map((field) => ({ ...field, from: field.from + 1 }))
  const parties: Record<'ordering' | 'receiving' | 'other', Party | null> = {
    ordering: null,
    receiving: null,
    other: null,
  }
  let side: keyof typeof parties = 'other'
  let purposeParts: string[] = []
  const numbers = new Map<string, string>()
  for (const { code, from, to } of fields) {
    const value = withoutEnd(text.all.slice(from, to)).trim()
    const group = groups[code]
    if (group !== undefined) {
      side = group
      fill(side, 'name', value)
    } else if (code === 'CNTP') {
      const [account = '', bank = '', name = ''] = value.split('/')
      side = 'other'
      for (const [key, value] of Object.entries({ account, bank, name }))
        fill(side, key as keyof Party, value)
    } else if (purposeCodes.includes(code)) {
      if (purposeParts.length === 0) purposeParts = remittance(text, from, to)
    } else if (attributes[code] !== undefined) fill(side, attributes[code], value)
    else if (!numbers.has(code)) numbers.set(code, numberIn(value))
  }
  return {
    ...parties,
    purposeParts: purposeAt === -1 ? text.parts() : purposeParts,
    number: numbers.get('EREF') || numbers.get('PREF') || numbers.get('KREF') || '',
  }

  /** What comes first counts: the payer's own text stands behind it. */
  function fill(which: keyof typeof parties, key: keyof Party, value: string): void {
    parties[which] ??= { name: '', account: '', taxId: '', bank: '' }
    const party = parties[which]
    if (value === '' || value === 'NOTPROVIDED') return
    if (key === 'name') {
      const { name, taxId } = withTaxId(value)
      party.name ||= name
      party.taxId ||= taxId
    } else if (key === 'account') {
      const [account = '', bank = ''] = value.split(',')
      party.account ||= normalizeAccountNumber(account)
      party.bank ||= bank.trim()
    } else party[key] ||= value
  }
}

/** `/REMI/USTD//text`, `/REMI/STRD/CUR/reference`: the kind of text stands before it. */
function remittance(text: Joined, from: number, to: number): string[] {
  const kind = /^(?:USTD\/\/?|STRD\/[A-Z]{3}\/)/.exec(text.all.slice(from, to))?.[0] ?? ''
  const end = from + withoutEnd(text.all.slice(from, to)).length
  return text.parts(from + kind.length, Math.max(end, from + kind.length))
}

/** Without the slashes that part it from what follows. A pattern would try each of them. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' /'.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** `INN 7700000009 OOO ROMAQKA`, as Russian and Kazakh banks write a party. */
function withTaxId(text: string): { name: string; taxId: string } {
  const found = taxIdShape.exec(text)
  if (!found) return { name: text, taxId: '' }
  const name = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  return { name: name.replace(/\s+/g, ' ').trim(), taxId: found[1]! }
}

const taxIdShape =
  /(?<![\p{L}\p{N}])'?(?:INN|ИНН|BIN|БИН|IIN|ИИН)'?[\s:.№]*(\d{10}|\d{12})(?!\d)(?:[\s,.;:\\/]*(?:KPP|КПП)[\s:.]*\d{9}(?!\d))?[\s,.;:\\/]*/iu

/** Without a digit it is a word that banks put where there is none. */
export const numberIn = (text: string): string => (/\d/.test(text) && !/^0+$/.test(text) ? text : '')

const groups: Record<string, 'ordering' | 'receiving'> = { ORDP: 'ordering', BENM: 'receiving' }

const attributes: Record<string, keyof Party> = {
  NAME: 'name',
  IBAN: 'account',
  ACCW: 'account',
  ACCT: 'account',
  ID: 'taxId',
  INN: 'taxId',
  BIN: 'taxId',
  BIC: 'bank',
  BANK: 'bank',
}

const purposeCodes: readonly string[] = ['REMI', 'PY']

const isParty = (code: string): boolean =>
  groups[code] !== undefined || attributes[code] !== undefined || ['CNTP', 'ADDR', 'CITY'].includes(code)

/** All that end the one before them, whether their own value is of use or not. */
export const slashCodes = [
  ...['ORDP', 'BENM', 'CNTP', 'REMI', ...Object.keys(attributes), 'EREF', 'PREF', 'KREF', 'IREF', 'MARF'],
  ...['CSID', 'TRTP', 'TRCD', 'ADDR', 'CITY', 'ISDT', 'ORDT', 'RTRN', 'PURP', 'ULTD', 'ULTC', 'ULTB', 'SVCL'],
  ...['OCMT', 'COAM', 'CHGS', 'EXCH', 'NBTR', 'PT', 'PY'],
]

const everyCode = new RegExp(`/(${slashCodes.join('|')})(?=/)`, 'g')
const codesFirst = new RegExp(`^\\s*/(?:${slashCodes.join('|')})/`)
