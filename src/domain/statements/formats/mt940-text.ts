/**
 * Reads `:86:` in the variants of banks: numbered subfields (`?20…?32…` of German and other
 * European banks, `~01…~06…` of a Russian one), codes between slashes (`/ORDP/…/REMI/…`), or plain text. A payer may
 * write such codes too, also where the whole text is the payer's. So slash codes of a party count only before the purpose, a numbered
 * subfield only if it does not occur with two values, and no payer that is read here proves that two reports are of two payments
 * (`channelFacts`). A number of the payment is not read at all: it would be the payer's.
 */
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { splitTaxId } from '../../transfers/payer-shapes.ts'

export type Party = { name: string; account: string; taxId: string; bank: string }

type PurposeFields = {
  /** The ordering and the receiving party, if the bank names their roles; `other` if it names only a counterparty. */
  ordering: Party | null
  receiving: Party | null
  other: Party | null
  /** The whole text, if it has no field for the purpose. */
  purposeParts: string[]
  /** The texts beside the purpose, each in its parts. */
  beside: string[][]
}

const noParties = { ordering: null, receiving: null, other: null }

export function readPurposeFields(lines: readonly string[]): PurposeFields {
  const text = new JoinedLines(lines)
  const numbered = /^\s*(?:\d{3})?([?~<>^|])\d{2}/.exec(text.all)?.[1]
  if (numbered !== undefined) return byNumbers(text, numbered)
  if (codesFirst.test(text.all)) return byCodes(text)
  return { ...noParties, purposeParts: text.parts(), beside: [] }
}

/** Lines joined without a separator, because banks cut them within a word or a code. It remembers where the cuts were. */
class JoinedLines {
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

  /** The text between two positions, split where the bank cut its lines. */
  parts(from = 0, to = this.all.length): string[] {
    const ends = [...this.#ends.filter((end) => end > from && end < to), to]
    return ends.map((end, nth) => this.text(ends[nth - 1] ?? from, end)).filter((part) => part !== '')
  }
}

type Field = { code: string; from: number; to: number }

/** What follows each code, up to the next one. */
const fieldsOf = ({ all }: JoinedLines, found: readonly RegExpExecArray[]): Field[] =>
  found.map((match, place) => ({
    code: match[1]!,
    from: match.index + match[0].length,
    to: found[place + 1]?.index ?? all.length,
  }))

function byNumbers(text: JoinedLines, sign: string): PurposeFields {
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
  const purposes = isRussian
    ? fields.filter(({ code }) => code === '06')
    : sepaPurposes(
        text,
        fields.filter(({ code }) => germanPurpose.test(code)),
      )
  const ends = new Set(purposes.map(({ to }) => to))
  return {
    ...noParties,
    other: {
      name: isRussian ? value('01') : germanName(value('32'), value('33')),
      account: normalizeAccountNumber(first(names.account)),
      taxId: first(names.taxId),
      bank: first(names.bank),
    },
    purposeParts: purposes.flatMap(({ from, to }) => text.parts(from, to)),
    beside: fields.filter(({ to }) => !ends.has(to)).map(({ from, to }) => text.parts(from, to)),
  }
}

/** A subfield has 27 characters; a longer name continues in the next one. */
const germanName = (name: string, more: string): string =>
  `${name}${name.length < 27 ? ' ' : ''}${more}`.trim()

const germanPurpose = /^(?:2\d|6[0-3])$/

/** Of SEPA tags at the start of a subfield, such as `EREF+…`, only `SVWZ+…` is the purpose; without it all subfields are. */
function sepaPurposes(text: JoinedLines, fields: readonly Field[]): readonly Field[] {
  const tagged = new Map<string, Field[]>()
  let open: Field[] | undefined
  for (const { code, from, to } of fields) {
    const tag = /^[A-Z]{4}(?=\+)/.exec(text.all.slice(from, to))?.[0]
    if (tag !== undefined && !tagged.has(tag)) {
      open = []
      tagged.set(tag, open)
    }
    open?.push({ code, from: tag === undefined ? from : from + tag.length + 1, to })
  }
  return tagged.get('SVWZ') ?? fields
}

function byCodes(text: JoinedLines): PurposeFields {
  const found = [...text.all.matchAll(everyCode)]
  const purposeAt = found.findIndex(([, code]) => purposeCodes.includes(code!))
  // After the purpose begins, the text may be the payer's: codes of a party are trusted only before it.
  const trusted = found.filter(([, code], place) => purposeAt === -1 || place <= purposeAt || !isParty(code!))
  const fields = fieldsOf(text, trusted).map((field) => ({ ...field, from: field.from + 1 }))
  const parties: Record<'ordering' | 'receiving' | 'other', Party | null> = { ...noParties }
  let side: keyof typeof parties = 'other'
  let purpose: Pick<Field, 'from' | 'to'> | undefined
  for (const { code, from, to } of fields) {
    const value = withoutTrailingSlashes(text.all.slice(from, to)).trim()
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
      const stated = remittance(text, from, to)
      if (!purpose || text.parts(purpose.from, purpose.to).length === 0) purpose = stated
    } else if (attributes[code] !== undefined) fill(side, attributes[code], value)
  }
  const all = { from: 0, to: text.all.length }
  const { from, to } = purpose ?? all
  return {
    ...parties,
    purposeParts: text.parts(from, to),
    beside: [text.parts(0, from), text.parts(to)],
  }

  /** The first value counts: the payer's own text comes after it. */
  function fill(which: keyof typeof parties, key: keyof Party, value: string): void {
    parties[which] ??= { name: '', account: '', taxId: '', bank: '' }
    const party = parties[which]
    if (value === '' || value === 'NOTPROVIDED') return
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
}

/** The purpose without its type: `/REMI/USTD//text`, `/REMI/STRD/CUR/reference`. */
function remittance(text: JoinedLines, from: number, to: number): Pick<Field, 'from' | 'to'> {
  const kind = /^(?:USTD\/\/?|STRD\/[A-Z]{3}\/)/.exec(text.all.slice(from, to))?.[0] ?? ''
  const end = from + withoutTrailingSlashes(text.all.slice(from, to)).length
  return { from: from + kind.length, to: Math.max(end, from + kind.length) }
}

/** Without the slashes and blanks before the next code. A loop, because a pattern would backtrack over each of them. */
function withoutTrailingSlashes(text: string): string {
  let end = text.length
  while (end > 0 && ' /'.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Empty for a placeholder: a word without digits, such as NONREF, or only zeros. */
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

/** Every known code, used here or not: each ends the value of the code before it. */
export const slashCodes = [
  ...['ORDP', 'BENM', 'CNTP', 'REMI', ...Object.keys(attributes), 'EREF', 'PREF', 'KREF', 'IREF', 'MARF'],
  ...['CSID', 'TRTP', 'TRCD', 'ADDR', 'CITY', 'ISDT', 'ORDT', 'RTRN', 'PURP', 'ULTD', 'ULTC', 'ULTB', 'SVCL'],
  ...['OCMT', 'COAM', 'CHGS', 'EXCH', 'NBTR', 'PT', 'PY'],
]

const everyCode = new RegExp(`/(${slashCodes.join('|')})(?=/)`, 'g')
const codesFirst = new RegExp(`^\\s*/(?:${slashCodes.join('|')})/`)

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
const russian = 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ№%\'"'

const letters: Record<string, string> = Object.fromEntries(
  [...latin].map((letter, place) => [letter, [...russian][place]!]),
)
