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
        throw damage('xl/workbook.xml', message('workbook_holds_too_much'))
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

type Cell = { name: string; place: number; type: string; style: number; shown: ShownText }

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

  constructor(path: string, shared: Shared) {
    this.#path = path
    this.#shared = shared
  }

  /** The row that ends with this event. */
  take(event: XmlEvent): SheetRow | undefined {
    const [cell, row] = [this.#cell, this.#row]
    if (cell) {
      cell.shown.take(event)
      if (cell.shown.isTooLong) throw damage(this.#path, message('sheet_row_too_long', { cell: cell.name }))
    }
    if (event.kind === 'start') this.#start(event.name, event.attributes)
    else if (event.kind === 'end' && event.name === 'c' && cell && row) this.#endCell(cell, row)
    else if (event.kind === 'end' && event.name === 'row' && row) {
      this.#row = undefined
      if (row.fields.length > 0 || row.formulas.length > 0)
        return { ...row, fields: Array.from(row.fields, (field) => field ?? '') }
    }
    return undefined
  }

  #start(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'row') this.#startRow(attributes)
    else if (name === 'c' && this.#row) this.#cell = this.#cellOf(attributes)
    else if (
      name === 'f' &&
      this.#cell &&
      this.#row!.formulas.push(this.#cell.name) > statementBounds.columns
    )
      throw tooWide(this.#path)
  }

  #startRow(attributes: ReadonlyMap<string, string>): void {
    const line = Number(attributes.get('r') ?? this.#line + 1)
    if (!Number.isInteger(line) || line <= this.#line) throw damage(this.#path, message('workbook_damaged'))
    this.#line = line
    this.#place = 0
    this.#length = 0
    this.#row = { line, fields: [], formulas: [] }
  }

  #cellOf(attributes: ReadonlyMap<string, string>): Cell {
    const written = attributes.get('r') ?? `${lettersOf(this.#place)}${this.#line}`
    const [, letters = '', number] = /^([A-Z]{1,3})(\d{1,7})$/.exec(written) ?? []
    const place = placeOf(letters)
    if (Number(number) !== this.#line) throw damage(this.#path, message('workbook_damaged'))
    this.#place = place + 1
    const [type, style] = [attributes.get('t') ?? 'n', Number(attributes.get('s') ?? 0)]
    return { name: written, place, type, style, shown: new ShownText() }
  }

  #endCell(cell: Cell, row: SheetRow): void {
    this.#cell = undefined
    const text = cellText(cell, this.#shared, this.#path)
    if (text === '') return
    this.#length += text.length
    const { name, place } = cell
    if (this.#length > statementBounds.lineCharacters)
      throw damage(this.#path, message('sheet_row_too_long', { cell: name }))
    if (row.fields[place] !== undefined) throw damage(this.#path, message('cell_is_wrong', { cell: name }))
    row.fields[place] = text
  }
}

function cellText({ type, style, shown, place, name }: Cell, shared: Shared, path: string): string {
  const { text } = shown
  const value = type === 's' && text !== '' ? shared.texts.at(Number(text)) : text
  if (value === undefined) throw damage(path, message('cell_is_wrong', { cell: name }))
  if (value === '') return ''
  if (place >= statementBounds.columns) throw tooWide(path)
  if (type === 'd') return value.replace(/(?:\.\d+)?Z?$/, '').replace(/T00:00:00$/, '')
  if (type !== 'n') return unescaped(value)
  return (shared.isDate[style] ? dateText(value, shared.is1904) : undefined) ?? numberText(value)
}

const tooWide = (path: string) => damage(path, message('workbook_holds_too_much'))

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
      throw damage(name, message('workbook_holds_too_much'))
    targets.set(ownText(id), ownText(target.startsWith('/') ? target.slice(1) : `xl/${target}`))
    if (targets.size > statementBounds.workbookFiles) throw damage(name, message('workbook_holds_too_much'))
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
  const name = 'xl/sharedStrings.xml'
  const texts = new SharedTexts()
  let shown = new ShownText()
  await each(workbook, name, (event) => {
    shown.take(event)
    const isOver = event.kind === 'end' && event.name === 'si'
    // A row cannot have a longer text.
    if (shown.isTooLong || (isOver && !texts.add(shown.text)))
      throw damage(name, message('workbook_holds_too_much'))
    if (isOver) shown = new ShownText()
  })
  return texts
}

/** Excel takes 255 letters of a format; thousands of styles may name the same one. */
const formatLetters = 255

async function datesIn(workbook: Workbook): Promise<boolean[]> {
  const name = 'xl/styles.xml'
  const isDate: boolean[] = []
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
      throw damage(name, message('workbook_damaged'))
    if (event.name !== 'xf' || !isCellStyle) return
    const id = Number(attributes.get('numFmtId') ?? 0)
    isDate.push(isDateFormat(id, codes.get(id)))
  })
  return isDate
}

async function each(workbook: Workbook, name: string, take: (event: XmlEvent) => void): Promise<void> {
  if (!workbook.has(name)) return
  for await (const events of eventsOf(workbook, name)) for (const event of events) take(event)
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

/** Excel writes what XML cannot hold as `_x000D_`. Half of a character cannot be stored. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        .toWellFormed()
    : text

const isYes = (value: string | undefined): boolean => value === '1' || value === 'true'
