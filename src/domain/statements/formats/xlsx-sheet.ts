/** The sheets of a workbook: their names, the texts and styles that their cells share, and their rows one by one. */
import { ownText } from '../../../platform/own-text.ts'
import { message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { decode } from './decode.ts'
import { dateText, isDateFormat, numberText } from './xlsx-number.ts'
import { SharedTexts } from './xlsx-texts.ts'
import { damage, unsupported, type Workbook } from './xlsx-zip.ts'
import { declaredEncoding, type XmlEvent, XmlReader } from './xml.ts'

export type Sheet = { name: string; path: string }

/** What all sheets of a workbook use. */
export type Shared = {
  sheets: Sheet[]
  is1904: boolean
  texts: SharedTexts
  /** Whether a cell of this style shows a day. */
  isDate: boolean[]
}

/** `formulas`: the cells of this row whose value somebody's program had computed. */
export type SheetRow = { line: number; fields: string[]; formulas: string[] }

export async function sharedIn(workbook: Workbook): Promise<Shared> {
  if (!workbook.has('xl/workbook.xml')) throw unsupported('xl/workbook.xml', message('not_a_workbook'))
  await refuseMacros(workbook)
  const targets = await targetsIn(workbook)
  const sheets: Sheet[] = []
  let is1904 = false
  await each(workbook, 'xl/workbook.xml', (event) => {
    if (event.kind !== 'start') return
    if (event.name === 'workbookPr') is1904 = isYes(event.attributes.get('date1904'))
    if (event.name === 'sheet') {
      const path = targets.get(event.attributes.get('id') ?? '')
      const name = (event.attributes.get('name') ?? '').slice(0, statementBounds.sheetNameCharacters)
      if (path && /worksheets\//i.test(path)) sheets.push({ name: ownText(name), path })
      if (sheets.length > statementBounds.sheets)
        throw damage('xl/workbook.xml', message('workbook_has_too_many_sheets'))
    }
  })
  return { sheets, is1904, texts: await textsIn(workbook), isDate: await datesIn(workbook) }
}

/** The rows that hold something, in their order. */
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

type Cell = { name: string; place: number; type: string; style: number; text: string }

class SheetReader {
  readonly #path: string
  readonly #shared: Shared
  #row: SheetRow | undefined
  #line = 0
  /** Characters of the row: many of its cells may share one long text. */
  #length = 0
  #cell: Cell | undefined
  /** Where a cell stands that does not say it: behind the one before. */
  #place = 0
  #isInside = false
  #isPhonetic = false

  constructor(path: string, shared: Shared) {
    this.#path = path
    this.#shared = shared
  }

  /** The row that ends with this event. */
  take(event: XmlEvent): SheetRow | undefined {
    if (event.kind === 'start') this.#start(event.name, event.attributes)
    else if (event.kind === 'text') this.#text(event.text)
    else if (event.name === 'v' || event.name === 't') this.#isInside = false
    else if (event.name === 'rPh') this.#isPhonetic = false
    else if (event.name === 'c') this.#endCell()
    else if (event.name === 'row') return this.#endRow()
    return undefined
  }

  #start(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'row') this.#startRow(attributes)
    else if (name === 'c' && this.#row) this.#cell = this.#cellOf(attributes)
    else if (name === 'f' && this.#cell) {
      if (this.#row!.formulas.push(this.#cell.name) > statementBounds.columns) throw tooWide(this.#path)
    } else if ((name === 'v' || name === 't') && this.#cell) this.#isInside = true
    else if (name === 'rPh') this.#isPhonetic = true
  }

  #startRow(attributes: ReadonlyMap<string, string>): void {
    const line = Number(attributes.get('r') ?? this.#line + 1)
    if (!Number.isInteger(line) || line <= this.#line)
      throw damage(this.#path, message('sheet_rows_out_of_order'))
    this.#line = line
    this.#place = 0
    this.#length = 0
    this.#row = { line, fields: [], formulas: [] }
  }

  #cellOf(attributes: ReadonlyMap<string, string>): Cell {
    const written = attributes.get('r')
    const [, letters = '', number] = /^([A-Z]{1,3})(\d{1,7})$/.exec(written ?? '') ?? []
    const place = written === undefined ? this.#place : placeOf(letters)
    if (place < 0 || (number !== undefined && Number(number) !== this.#line))
      throw damage(this.#path, message('cell_in_another_row'))
    this.#place = place + 1
    return {
      name: written ?? `${lettersOf(place)}${this.#line}`,
      place,
      type: attributes.get('t') ?? 'n',
      style: Number(attributes.get('s') ?? 0),
      text: '',
    }
  }

  #text(text: string): void {
    const cell = this.#cell
    if (!this.#isInside || !cell || this.#isPhonetic) return
    cell.text += text
    if (cell.text.length > statementBounds.lineCharacters)
      throw damage(this.#path, message('cell_too_long', { cell: cell.name }))
  }

  #endCell(): void {
    const [cell, row] = [this.#cell, this.#row]
    this.#cell = undefined
    if (!cell || !row) return
    const text = cellText(cell, this.#shared, this.#path)
    if (text === '') return
    this.#length += text.length
    if (this.#length > statementBounds.lineCharacters)
      throw damage(this.#path, message('sheet_row_too_long', { cell: cell.name }))
    if (row.fields[cell.place] !== undefined)
      throw damage(this.#path, message('cell_stands_twice', { cell: cell.name }))
    row.fields[cell.place] = text
  }

  #endRow(): SheetRow | undefined {
    const row = this.#row
    this.#row = undefined
    if (!row || (row.fields.length === 0 && row.formulas.length === 0)) return undefined
    return { ...row, fields: Array.from(row.fields, (field) => field ?? '') }
  }
}

function cellText({ type, style, text, place, name }: Cell, shared: Shared, path: string): string {
  const value = type === 's' && text !== '' ? shared.texts.at(Number(text)) : text
  if (value === undefined) throw damage(path, message('cell_names_unknown_text', { cell: name }))
  if (value === '') return ''
  if (place >= statementBounds.columns) throw tooWide(path)
  if (type === 'd') return value.replace(/(?:\.\d+)?Z?$/, '').replace(/T00:00:00$/, '')
  if (type !== 'n') return unescaped(value)
  return (shared.isDate[style] ? dateText(value, shared.is1904) : undefined) ?? numberText(value)
}

const tooWide = (path: string) => damage(path, message('sheet_has_too_many_columns'))

/** From 0; -1 for no letters. */
const placeOf = (letters: string): number =>
  [...letters].reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0) - 1

export function lettersOf(place: number): string {
  let letters = ''
  for (let rest = place + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** A workbook that may hold macros says so, whatever its name is. */
async function refuseMacros(workbook: Workbook): Promise<void> {
  const name = '[Content_Types].xml'
  if (!workbook.has(name)) return
  await each(workbook, name, (event) => {
    if (event.kind === 'start' && /macroenabled|vbaproject/i.test(event.attributes.get('ContentType') ?? ''))
      throw unsupported(name, message('workbook_holds_macros'))
  })
}

/** Which file each relation of the workbook leads to. */
async function targetsIn(workbook: Workbook): Promise<Map<string, string>> {
  const name = 'xl/_rels/workbook.xml.rels'
  const targets = new Map<string, string>()
  await each(workbook, name, (event) => {
    if (event.kind !== 'start' || event.name !== 'Relationship') return
    const { attributes } = event
    if (attributes.get('TargetMode')?.toLowerCase() === 'external')
      throw unsupported(name, message('workbook_has_links'))
    const [id = '', target = ''] = ['Id', 'Target'].map((key) => attributes.get(key))
    if (Math.max(id.length, target.length) > statementBounds.fileNameBytes)
      throw damage(name, message('workbook_holds_a_long_name'))
    targets.set(ownText(id), ownText(target.startsWith('/') ? target.slice(1) : `xl/${target}`))
    if (targets.size > statementBounds.workbookFiles)
      throw damage(name, message('workbook_holds_too_many_files'))
  })
  return targets
}

async function textsIn(workbook: Workbook): Promise<SharedTexts> {
  const name = 'xl/sharedStrings.xml'
  const texts = new SharedTexts()
  if (!workbook.has(name)) return texts
  let text = ''
  let isInside = false
  let isPhonetic = false
  await each(workbook, name, (event) => {
    if (event.kind === 'text') {
      if (isInside && !isPhonetic) text += event.text
      // A row cannot have a longer text.
      if (text.length > statementBounds.lineCharacters) throw tooMuchText(name)
    } else if (event.kind === 'start') {
      if (event.name === 't') isInside = true
      if (event.name === 'rPh') isPhonetic = true
    } else {
      if (event.name === 't') isInside = false
      if (event.name === 'rPh') isPhonetic = false
      if (event.name !== 'si') return
      if (!texts.add(text)) throw tooMuchText(name)
      text = ''
    }
  })
  return texts
}

const tooMuchText = (name: string) => damage(name, message('workbook_holds_too_much_text'))

/** Excel takes 255 letters of a format; thousands of styles may name the same one. */
const formatLetters = 255

async function datesIn(workbook: Workbook): Promise<boolean[]> {
  const name = 'xl/styles.xml'
  const isDate: boolean[] = []
  if (!workbook.has(name)) return isDate
  const codes = new Map<number, string>()
  let isCellStyle = false
  await each(workbook, name, (event) => {
    if (event.kind === 'end' && event.name === 'cellXfs') isCellStyle = false
    if (event.kind !== 'start') return
    const { attributes } = event
    if (event.name === 'numFmt')
      codes.set(
        Number(attributes.get('numFmtId')),
        ownText((attributes.get('formatCode') ?? '').slice(0, formatLetters)),
      )
    if (event.name === 'cellXfs') isCellStyle = true
    if (isDate.length > statementBounds.styles || codes.size > statementBounds.styles)
      throw damage(name, message('workbook_has_too_many_styles'))
    if (event.name !== 'xf' || !isCellStyle) return
    const id = Number(attributes.get('numFmtId') ?? 0)
    isDate.push(isDateFormat(id, codes.get(id)))
  })
  return isDate
}

async function each(workbook: Workbook, name: string, take: (event: XmlEvent) => void): Promise<void> {
  for await (const events of eventsOf(workbook, name)) for (const event of events) take(event)
}

/**
 * The XML of one file inside, as much at a time as a piece holds: a wait for each event took most of the time. Its lines
 * say nothing to a person: errors name the file instead.
 */
async function* eventsOf(workbook: Workbook, name: string): AsyncGenerator<XmlEvent[], void, undefined> {
  const xml = new XmlReader()
  try {
    for await (const text of decode(workbook.read(name), declaredEncoding, () => xml.line))
      yield xml.push(text)
    xml.end()
  } catch (error) {
    if (!(error instanceof DamagedStatement) || error.at !== undefined) throw error
    throw new DamagedStatement(error.line, error.detail, { at: name })
  }
}

/** Excel writes what XML cannot hold as `_x000D_`. Half of a character cannot be stored. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .toWellFormed()
    : text

const isYes = (value: string | undefined): boolean => value === '1' || value === 'true'
