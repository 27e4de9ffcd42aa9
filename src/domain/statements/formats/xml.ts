/**
 * A small XML reader for bank messages: tags, attributes and text as a stream of events, with line numbers. What
 * statements never need is refused, not skipped: document types, entities of their own, processing instructions.
 * So nothing can expand, nothing is fetched, and one tag or one text is all that is ever held. Namespaces are
 * ignored: a name is what stands after its prefix.
 */
import { type Message, message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { breaksIn, decodeHead, type Encoding } from './decode.ts'

/** `source` is the piece of the file itself. `step` is the element in a path: `Ntry[3]` where it repeats, or its name. */
export type XmlEvent =
  | {
      kind: 'start'
      name: string
      step: string
      attributes: ReadonlyMap<string, string>
      line: number
      source: string
    }
  | { kind: 'text'; text: string; source: string }
  | { kind: 'end'; name: string; source: string }

/** The encoding that the XML declaration names. */
export function declaredEncoding(head: Uint8Array): Encoding {
  const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(
    decodeHead(head, 'windows-1251', 1_024),
  )
  const name = (declaration?.[1] ?? 'utf-8').toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return 'utf-8'
  if (name === 'windows-1251' || name === 'cp1251') return 'windows-1251'
  throw new DamagedStatement(1, message('xml_encoding'))
}

/** `step`: its place in a path. `children`: how many of each repeated name it has so far. */
type Open = { written: string; step: string; children: Map<string, number> | undefined }

export class XmlReader {
  #rest = ''
  #tokenLine = 1
  #isFirst = true
  #hasRoot = false
  /** Characters of the text since the last tag. */
  #textLength = 0
  readonly #open: Open[] = []

  /** The line of the next character to come. */
  get line(): number {
    return this.#tokenLine + breaksIn(this.#rest)
  }

  /** What the tokens that end in this piece say. A list: millions of small generators took half of the time. */
  push(text: string): XmlEvent[] {
    const events: XmlEvent[] = []
    const buffer = this.#rest + text
    let at = 0
    for (;;) {
      const end = this.#tokenEnd(buffer, at)
      if (end === -1) break
      const source = buffer.slice(at, end)
      this.#bounded(source.length)
      this.#token(source, events)
      this.#isFirst = false
      this.#tokenLine += breaksIn(source)
      at = end
    }
    this.#rest = buffer.slice(at)
    this.#bounded(this.#rest.length)
    return events
  }

  end(): void {
    if (this.#rest.trim() !== '' || this.#open.length > 0)
      throw this.#damage(message('xml_cut_off', { tag: this.#open.at(-1)?.written ?? '?' }))
    if (!this.#hasRoot) throw this.#damage(message('file_is_empty'))
  }

  /** Where the token that starts here ends; -1 while it is not complete. */
  #tokenEnd(buffer: string, at: number): number {
    if (at >= buffer.length) return -1
    if (buffer[at] !== '<') return buffer.indexOf('<', at)
    const second = buffer[at + 1]
    if (second === undefined) return -1
    if (second === '?') return after(buffer, '?>', at)
    if (second === '!') {
      const opening = buffer.slice(at, at + 9)
      if (opening.startsWith('<!--')) return after(buffer, '-->', at + 4)
      if (opening === '<![CDATA[') return after(buffer, ']]>', at)
      if ('<!--'.startsWith(opening) || '<![CDATA['.startsWith(opening)) return -1
      throw this.#damage(message('xml_document_type'))
    }
    tag.lastIndex = at
    if (tag.test(buffer)) return tag.lastIndex
    if (buffer.indexOf('<', at + 1) !== -1) throw this.#damage(message('xml_not_well_formed'))
    return -1
  }

  #token(source: string, events: XmlEvent[]): void {
    if (source.startsWith('<!--')) return
    if (source.startsWith('<?')) {
      if (this.#isFirst && /^<\?xml\s/.test(source)) return
      throw this.#damage(message('xml_processing_instruction'))
    }
    if (!source.startsWith('<') || source.startsWith('<![CDATA[')) {
      events.push(this.#text(source))
      return
    }
    this.#textLength = 0
    if (source.startsWith('</')) events.push(this.#end(source))
    else events.push(...this.#start(source))
  }

  #text(source: string): XmlEvent {
    const text = source.startsWith('<')
      ? source.slice('<![CDATA['.length, -']]>'.length)
      : unescaped(source, (detail) => this.#damage(detail))
    if (this.#open.length === 0 && text.trim() !== '') throw this.#damage(message('xml_not_well_formed'))
    if (notXml.test(text)) throw this.#damage(message('xml_not_well_formed'))
    this.#textLength += text.length
    this.#bounded(this.#textLength)
    return { kind: 'text', text: text.replace(/\r\n?/g, '\n'), source }
  }

  #start(source: string): XmlEvent[] {
    const isEmpty = source.endsWith('/>')
    const inside = source.slice(1, isEmpty ? -2 : -1)
    const [written = ''] = inside.split(/\s/, 1)
    const name = this.#name(written)
    if (this.#open.length === 0 && this.#hasRoot) throw this.#damage(message('xml_not_well_formed'))
    if (this.#open.length >= statementBounds.xmlDepth) throw this.#damage(message('xml_too_large'))
    this.#hasRoot = true
    const attributes = this.#attributes(inside.slice(written.length))
    const step = this.#step(name)
    const start: XmlEvent = { kind: 'start', name, step, attributes, line: this.#tokenLine, source }
    if (isEmpty) return [start, { kind: 'end', name, source: '' }]
    this.#open.push({ written, step, children: undefined })
    return [start]
  }

  #end(source: string): XmlEvent {
    const written = source.slice(2, -1).trimEnd()
    const name = this.#name(written)
    if (this.#open.at(-1)?.written !== written) throw this.#damage(message('xml_not_well_formed'))
    this.#open.pop()
    return { kind: 'end', name, source }
  }

  #step(name: string): string {
    const parent = this.#open.at(-1)
    if (!parent || !repeated.has(name)) return name
    parent.children ??= new Map()
    const place = (parent.children.get(name) ?? 0) + 1
    parent.children.set(name, place)
    return `${name}[${place}]`
  }

  #name(written: string): string {
    if (written.length > statementBounds.xmlNameCharacters) throw this.#damage(message('xml_too_large'))
    if (!nameShape.test(written)) throw this.#damage(message('xml_not_well_formed'))
    return written.slice(written.indexOf(':') + 1)
  }

  #attributes(rest: string): Map<string, string> {
    const attributes = new Map<string, string>()
    if (rest.trim() === '') return attributes
    attribute.lastIndex = 0
    let at = 0
    for (let found = attribute.exec(rest); found; found = attribute.exec(rest)) {
      const [whole, written = '', double, single] = found
      const name = this.#name(written)
      // A prefix is part of what makes two attributes different, as in xmlns:a and xmlns:b.
      const key = written.startsWith('xmlns') ? written : name
      if (attributes.has(key)) throw this.#damage(message('xml_not_well_formed'))
      attributes.set(
        key,
        unescaped(double ?? single ?? '', (text) => this.#damage(text)),
      )
      if (attributes.size > statementBounds.xmlAttributes) throw this.#damage(message('xml_too_large'))
      at += whole.length
    }
    if (rest.slice(at).trim() !== '') throw this.#damage(message('xml_not_well_formed'))
    return attributes
  }

  #bounded(length: number): void {
    if (length > statementBounds.lineCharacters) throw this.#damage(message('xml_too_large'))
  }

  #damage(detail: Message): DamagedStatement {
    const at = pathOf(this.#open.map(({ step }) => step))
    return new DamagedStatement(this.#tokenLine, detail, { ...(at !== '' && { at }) })
  }
}

/** What is counted in a path: a bank's file of one line says nothing with its line. */
const repeated = new Set(['Stmt', 'Ntfctn', 'Rpt', 'Bal', 'Ntry', 'TxDtls'])

/** From the statement on, where there is one: what stands above it is the same in every file. No deeper than is read. */
function pathOf(steps: readonly string[]): string {
  const first = Math.max(
    steps.findIndex((step) => step.endsWith(']')),
    0,
  )
  return steps.slice(first, first + 12).join('/')
}

function after(buffer: string, closing: string, from: number): number {
  const at = buffer.indexOf(closing, from)
  return at === -1 ? -1 : at + closing.length
}

/** The five entities of XML itself, and characters by number. Every other one is refused, and so is a bare &. */
function unescaped(text: string, damage: (detail: Message) => Error): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7});|#x([0-9a-f]{1,6});|(\w+);)?/gi, (_, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
    const character = code === undefined ? entities.get(name) : characterOf(code)
    if (character === undefined) throw damage(message('xml_entity_unknown'))
    return character
  })
}

const entities = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))

function characterOf(code: number): string | undefined {
  const isAllowed = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  const character = isAllowed ? String.fromCodePoint(code) : '\0'
  return notXml.test(character) ? undefined : character
}

// Each class excludes what the next one starts with, so no text is tried in two ways.
const tag = /<[^<>"']*(?:"[^"<]*"[^<>"']*|'[^'<]*'[^<>"']*)*>/y
const attribute = /\s+([^\s="'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y
const nameShape = /^[\p{L}_][\p{L}\p{N}._-]*(?::[\p{L}_][\p{L}\p{N}._-]*)?$/u
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
