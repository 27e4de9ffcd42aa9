/**
 * A small XML reader for bank messages and workbooks: tags, attributes and text as a stream of events. A document type and
 * entities of its own are refused; comments and instructions are passed over. So nothing can expand, nothing is fetched, and
 * one tag or one text is all that is ever held. Namespaces are ignored: a name is what stands after its prefix.
 */
import { ownText } from '../../../platform/own-text.ts'
import { type Message, message } from '../../messages/message.ts'
import { DamagedStatement } from '../entry.ts'
import { statementBounds } from './bounds.ts'
import { breaksIn, decodeHead, type Encoding } from './decode.ts'

export type XmlEvent =
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; line: number }
  | { kind: 'text'; text: string }
  | { kind: 'end'; name: string }

export function declaredEncoding(head: Uint8Array): Encoding {
  const declaration = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(
    decodeHead(head, 'windows-1251', 1_024),
  )
  const name = (declaration?.[1] ?? 'utf-8').toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return 'utf-8'
  if (name === 'windows-1251' || name === 'cp1251') return 'windows-1251'
  throw new DamagedStatement(1, message('xml_encoding'))
}

export class XmlReader {
  #rest = ''
  #tokenLine = 1
  #hasRoot = false
  /** The names of the elements around, with their prefixes. */
  readonly #open: string[] = []

  get line(): number {
    return this.#tokenLine + breaksIn(this.#rest)
  }

  /** What the tokens that end in this piece say. A list: millions of small generators took half of the time. */
  push(text: string): XmlEvent[] {
    const events: XmlEvent[] = []
    const buffer = this.#rest + text
    let at = 0
    for (;;) {
      token.lastIndex = at
      const found = token.exec(buffer)
      if (!found) break
      at = token.lastIndex
      // A part of a text keeps all of it in memory.
      const source = ownText(found[0])
      this.#bounded(source)
      if (!source.startsWith('<') || source.startsWith('<![CDATA[')) events.push(this.#text(source))
      else if (source.startsWith('</')) events.push(this.#end(source))
      else if (!/^<[!?]/.test(source)) events.push(...this.#start(source))
      this.#tokenLine += breaksIn(source)
    }
    this.#rest = buffer.slice(at)
    if (/^<!(?!--|\[CDATA\[).{7}/s.test(this.#rest)) throw this.#damage(message('xml_document_type'))
    if (/^<[^!?][^<]*</.test(this.#rest)) throw this.#damage(message('xml_not_well_formed'))
    this.#bounded(this.#rest)
    return events
  }

  end(): void {
    if (this.#rest.trim() !== '' || this.#open.length > 0)
      throw this.#damage(message('xml_cut_off', { tag: this.#open.at(-1) ?? '?' }))
    if (!this.#hasRoot) throw this.#damage(message('file_is_empty'))
  }

  #text(source: string): XmlEvent {
    const text = source.startsWith('<')
      ? source.slice('<![CDATA['.length, -']]>'.length)
      : this.#unescaped(source)
    if (notXml.test(text) || (this.#open.length === 0 && text.trim() !== ''))
      throw this.#damage(message('xml_not_well_formed'))
    return { kind: 'text', text: text.replace(/\r\n?/g, '\n') }
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
    const start: XmlEvent = { kind: 'start', name, attributes, line: this.#tokenLine }
    if (isEmpty) return [start, { kind: 'end', name }]
    this.#open.push(written)
    return [start]
  }

  #end(source: string): XmlEvent {
    const written = source.slice(2, -1).trimEnd()
    if (this.#open.at(-1) !== written) throw this.#damage(message('xml_not_well_formed'))
    this.#open.pop()
    return { kind: 'end', name: this.#name(written) }
  }

  #name(written: string): string {
    if (!nameShape.test(written)) throw this.#damage(message('xml_not_well_formed'))
    return written.slice(written.indexOf(':') + 1)
  }

  #attributes(text: string): Map<string, string> {
    const attributes = new Map<string, string>()
    const rest = text.replace(attribute, (_, written: string, double?: string, single?: string) => {
      const name = this.#name(written)
      // A prefix is part of what makes two attributes different, as in xmlns:a and xmlns:b.
      const key = written.startsWith('xmlns') ? written : name
      if (attributes.has(key)) throw this.#damage(message('xml_not_well_formed'))
      attributes.set(key, this.#unescaped(double ?? single ?? ''))
      return ''
    })
    if (rest.trim() !== '') throw this.#damage(message('xml_not_well_formed'))
    return attributes
  }

  /** The five entities of XML itself, and characters by number. Every other one is refused, and so is a bare &. */
  #unescaped(text: string): string {
    if (!text.includes('&')) return text
    return text.replace(/&(?:#(\d{1,7});|#x([0-9a-f]{1,6});|(\w+);)?/gi, (_, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      const character = code <= 0x10ffff ? String.fromCodePoint(code) : entities.get(name)
      if (character === undefined || notXml.test(character) || !character.isWellFormed())
        throw this.#damage(message('xml_entity_unknown'))
      return character
    })
  }

  #bounded({ length }: string): void {
    if (length > statementBounds.lineCharacters) throw this.#damage(message('xml_too_large'))
  }

  /** Its place is no deeper than what is read: a file may be one line. */
  #damage(detail: Message): DamagedStatement {
    const at = this.#open.slice(0, 12).join('/')
    return new DamagedStatement(this.#tokenLine, detail, { ...(at !== '' && { at }) })
  }
}

const entities = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }))

/** Each class of a tag excludes what the next one starts with, so no text is tried in two ways. */
const tag = /<[^<>"'!?][^<>"']*(?:"[^"<]*"[^<>"']*|'[^'<]*'[^<>"']*)*>/
const token = new RegExp(`<!--.*?-->|<\\?.*?\\?>|<!\\[CDATA\\[.*?\\]\\]>|${tag.source}|[^<]+(?=<)`, 'sy')
const attribute = /\s+([^\s="'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy
const nameShape = /^[\p{L}_][\p{L}\p{N}._-]{0,99}(?::[\p{L}_][\p{L}\p{N}._-]{0,99})?$/u
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/
