/** The sheets of a workbook: their names, the texts and styles that their cells share, and their rows one by one. */
import { GrowingBytes } from '../../../platform/growing-bytes.ts'
import { ownText } from '../../../platform/own-text.ts'
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { decode } from './decode.ts'
import { dateText, isDateFormat, numberText } from './xlsx-number.ts'
import { damage, unsupported, type Workbook } from './xlsx-zip.ts'
import { declaredEncoding, type XmlEvent, XmlReader } from './xml.ts'

export type Sheet = { name: string; path: string }

export type Shared = {
  sheets: Sheet[]
  is1904: boolean
  texts: SharedTexts
  isDate: boolean[]
}

export type SheetRow = { line: number; fields: string[] }

export async function sharedIn(workbook: Workbook): Promise<Shared> {
  if (!workbook.has('xl/workbook.xml')) throw unsupported('xl/workbook.xml', message('not_a_workbook'))
  const targets = await targetsIn(workbook)
  const sheets: Sheet[] = []
  let is1904 = false
  await each(workbook, 'xl/workbook.xml', ({ name, attributes }) => {
    if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes.get('date1904') ?? '')
    const path = targets.get(attributes.get('id') ?? '')
    const title = (attributes.get('name') ?? '').slice(0, statementBounds.sheetNameCharacters)
    if (name === 'sheet' && path && /worksheets\//i.test(path)) sheets.push({ name: ownText(title), path })
    if (sheets.length > statementBounds.sheets) throw tooMuch('xl/workbook.xml')
  })
  return { sheets, is1904, texts: await textsIn(workbook), isDate: await datesIn(workbook) }
}

export async function* rowsOf(
  workbook: Workbook,
  { path }: Sheet,
  shared: Shared,
): AsyncGenerator<SheetRow, void, undefined> {
  const reader = new SheetReader(path, shared)
  for await (const events of eventsOf(workbook, path))
    for (const event of events) {
      const row = reader.take(event)
      if (!row) continue
      // Even a row of a few bytes takes long if it uses a long shared text.
      await workbook.pause()
      yield row
    }
}

/** What a cell or a shared text shows: not how its signs are pronounced. */
class ShownText {
  text = ''
  #isInside = false
  #isPhonetic = false

  take(event: XmlEvent): void {
    if (event.kind === 'text') {
      if (this.#isInside && !this.#isPhonetic) this.text += event.text
    } else if (event.name === 'v' || event.name === 't') this.#isInside = event.kind === 'start'
    else if (event.name === 'rPh') this.#isPhonetic = event.kind === 'start'
  }

  get isTooLong(): boolean {
    return this.text.length > statementBounds.lineCharacters
  }
}

type StartEvent = XmlEvent & { kind: 'start' }
type Cell = { name: string; place: number; type: string; style: number; shown: ShownText }

class SheetReader {
  readonly #path: string
  readonly #shared: Shared
  #row: SheetRow = { line: 0, fields: [] }
  /** Characters of the row: many of its cells may share one long text. */
  #length = 0
  #cell: Cell | undefined
  /** Where a cell stands that does not say it: behind the one before. */
  #place = 0

  constructor(path: string, shared: Shared) {
    this.#path = path
    this.#shared = shared
  }

  take(event: XmlEvent): SheetRow | undefined {
    const cell = this.#cell
    cell?.shown.take(event)
    if (cell?.shown.isTooLong) throw this.#tooLong(cell)
    if (event.kind === 'start') this.#start(event)
    else if (event.kind === 'end' && event.name === 'c' && cell) this.#endCell(cell)
    else if (event.kind === 'end' && event.name === 'row') {
      const { line, fields } = this.#row
      if (fields.length > 0) return { line, fields: Array.from(fields, (field) => field ?? '') }
    }
    return undefined
  }

  #start({ name, attributes }: StartEvent): void {
    if (name === 'row') {
      const line = Number(attributes.get('r') ?? this.#row.line + 1)
      if (!Number.isInteger(line) || line <= this.#row.line) throw damage(this.#path)
      this.#row = { line, fields: [] }
      this.#place = 0
      this.#length = 0
    } else if (name === 'c') {
      const written = attributes.get('r') ?? `${lettersOf(this.#place)}${this.#row.line}`
      const [, letters = '', number] = /^([A-Z]{1,3})(\d{1,7})$/.exec(written) ?? []
      if (Number(number) !== this.#row.line) throw damage(this.#path)
      const [type, style] = [attributes.get('t') ?? 'n', Number(attributes.get('s') ?? 0)]
      this.#cell = { name: written, place: placeOf(letters), type, style, shown: new ShownText() }
      this.#place = this.#cell.place + 1
    }
  }

  #endCell(cell: Cell): void {
    this.#cell = undefined
    const text = this.#textOf(cell)
    if (text === '') return
    const { fields } = this.#row
    this.#length += text.length
    if (this.#length > statementBounds.lineCharacters) throw this.#tooLong(cell)
    if (cell.place >= statementBounds.columns) throw tooMuch(this.#path)
    if (fields[cell.place] !== undefined) throw this.#wrong(cell)
    fields[cell.place] = text
  }

  #textOf(cell: Cell): string {
    const { texts, isDate, is1904 } = this.#shared
    const { type, style, shown } = cell
    const value = type === 's' && shown.text !== '' ? texts.at(Number(shown.text)) : shown.text
    if (value === undefined) throw this.#wrong(cell)
    if (type === 'd') return value.replace(/(?:\.\d+)?Z?$/, '').replace(/T00:00:00$/, '')
    if (type !== 'n') return value
    return (isDate[style] ? dateText(value, is1904) : undefined) ?? numberText(value)
  }

  #tooLong({ name }: Cell): DamagedStatement {
    return damage(this.#path, message('sheet_row_too_long', { cell: name }))
  }

  #wrong({ name }: Cell): DamagedStatement {
    return damage(this.#path, message('cell_is_wrong', { cell: name }))
  }
}

const tooMuch = (path: string) => damage(path, message('workbook_holds_too_much'))

const placeOf = (letters: string): number =>
  [...letters].reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0) - 1

export function lettersOf(place: number): string {
  let letters = ''
  for (let rest = place + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

async function targetsIn(workbook: Workbook): Promise<Map<string, string>> {
  const file = 'xl/_rels/workbook.xml.rels'
  const targets = new Map<string, string>()
  await each(workbook, file, ({ name, attributes }) => {
    if (name !== 'Relationship') return
    const [id = '', target = ''] = ['Id', 'Target'].map((key) => attributes.get(key))
    if (Math.max(id.length, target.length) > statementBounds.fileNameBytes) throw tooMuch(file)
    targets.set(ownText(id), ownText(target.startsWith('/') ? target.slice(1) : `xl/${target}`))
    if (targets.size > statementBounds.workbookFiles) throw tooMuch(file)
  })
  return targets
}

/**
 * The texts that the cells of a workbook share. They are kept as bytes, and decoded when a cell uses one: as strings, the two million
 * texts of a file of one megabyte took several hundred megabytes.
 */
class SharedTexts {
  readonly #bytes = new GrowingBytes(statementBounds.sharedBytes)
  /** Where each text ends. Only the part that is written takes memory. */
  readonly #ends = new Uint32Array(statementBounds.sharedTexts)
  #count = 0

  /** Returns false if there is no room for the text. */
  add(text: string): boolean {
    if (this.#count >= this.#ends.length || !this.#bytes.add(Buffer.from(text))) return false
    this.#ends[this.#count++] = this.#bytes.length
    return true
  }

  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined
    return this.#bytes.slice(this.#ends[index - 1] ?? 0, this.#ends[index]).toString()
  }
}

async function textsIn(workbook: Workbook): Promise<SharedTexts> {
  const file = 'xl/sharedStrings.xml'
  const texts = new SharedTexts()
  if (!workbook.has(file)) return texts
  let shown = new ShownText()
  for await (const events of eventsOf(workbook, file))
    for (const event of events) {
      shown.take(event)
      const isOver = event.kind === 'end' && event.name === 'si'
      // A row cannot have a longer text.
      if (shown.isTooLong || (isOver && !texts.add(shown.text))) throw tooMuch(file)
      if (isOver) shown = new ShownText()
    }
  return texts
}

/** Excel takes 255 letters of a format; thousands of styles may name the same one. */
const formatLetters = 255

async function datesIn(workbook: Workbook): Promise<boolean[]> {
  const file = 'xl/styles.xml'
  const isDate: boolean[] = []
  const codes = new Map<number, string>()
  let list = ''
  await each(workbook, file, ({ name, attributes }) => {
    const id = Number(attributes.get('numFmtId') ?? 0)
    // The styles that cells name are those of the second list.
    if (name === 'cellStyleXfs' || name === 'cellXfs' || name === 'cellStyles') list = name
    if (name === 'xf' && list === 'cellXfs') isDate.push(isDateFormat(id, codes.get(id)))
    if (name === 'numFmt')
      codes.set(id, ownText((attributes.get('formatCode') ?? '').slice(0, formatLetters)))
    if (isDate.length > statementBounds.styles || codes.size > statementBounds.styles) throw damage(file)
  })
  return isDate
}

/** The tags of a file inside that begin something. A workbook may do without the file. */
async function each(workbook: Workbook, name: string, take: (event: StartEvent) => void): Promise<void> {
  if (!workbook.has(name)) return
  for await (const events of eventsOf(workbook, name))
    for (const event of events) if (event.kind === 'start') take(event)
}

/**
 * The XML of one file inside, as much at a time as a piece holds: a wait for each event took most of the time. Its lines
 * say nothing to a person: errors name the file instead.
 */
async function* eventsOf(workbook: Workbook, name: string): AsyncGenerator<XmlEvent[], void, undefined> {
  const xml = new XmlReader()
  try {
    for await (const text of decode(workbook.read(name), declaredEncoding, () => xml.line)) {
      await workbook.pause()
      yield xml.push(text)
    }
    xml.end()
  } catch (error) {
    if (!(error instanceof DamagedStatement) || error.at !== undefined) throw error
    throw new DamagedStatement(error.line, error.detail, { at: name })
  }
}
