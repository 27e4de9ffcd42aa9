import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { XmlReader } from './xml.ts'

function shown(...texts: string[]): string {
  const reader = new XmlReader()
  const events = texts.flatMap((text) => [...reader.push(text)])
  reader.end()
  return events
    .map((event) => {
      if (event.kind === 'text') return event.text
      const attributes =
        event.kind === 'start' ? [...event.attributes].map(([name, value]) => ` ${name}=${value}`) : []
      return event.kind === 'start' ? `[${event.name}${attributes.join('')}]` : `[/${event.name}]`
    })
    .join('')
}

const documents: [xml: string, events: string][] = [
  ['<a/>', '[a][/a]'],
  ['<?xml version="1.0"?>\n<a>b</a >\n', '\n[a]b[/a]'],
  ['<n:a xmlns:n="u" n:b=\'"\'/>', '[a xmlns:n=u b="][/a]'],
  ['<a b="x > y" c="&lt;&amp;"/>', '[a b=x > y c=<&][/a]'],
  ['<a>&lt;&gt;&amp;&quot;&apos;&#1050;&#x41;</a>', '[a]<>&"\'КA[/a]'],
  ['<a>x<!-- <b> & -->y<?b <c> & ?><![CDATA[<c>&amp;]]></a>', '[a]xy<c>&amp;[/a]'],
  ['<a>1\r\n2\r3</a>', '[a]1\n2\n3[/a]'],
]

test('elements, attributes, text, comments and CDATA are read wherever the text is cut', () => {
  for (const [xml, events] of documents) {
    assert.equal(shown(xml), events)
    assert.equal(shown(...xml), events, 'one character at a time')
  }
})

const refused: [xml: string, reason: RegExp][] = [
  ['', /The file is empty/],
  ['<a>', /ends inside <a>/],
  ['<a', /ends inside/],
  ['<a><b></a></b>', /not well-formed/],
  ['<a/><b/>', /not well-formed/],
  ['<a/>text', /ends inside|not well-formed/],
  ['text<a/>', /not well-formed/],
  ['<!DOCTYPE a><a/>', /document type or an entity/],
  ['<a><!ENTITY b "c"></a>', /document type or an entity/],
  ['<a>&nbsp;</a>', /an entity or a character/],
  ['<a>a & b</a>', /an entity or a character/],
  ['<a>&#0;</a>', /an entity or a character/],
  ['<a>&#xD800;</a>', /an entity or a character/],
  ['<a>&#x110000;</a>', /an entity or a character/],
  ['<a b="&x;"/>', /an entity or a character/],
  ['<a>\u0001</a>', /not well-formed/],
  ['<a b=1/>', /not well-formed/],
  ['<a b="1"c="2"/>', /not well-formed/],
  ['<a b="1" b="2"/>', /not well-formed/],
  ['<1/>', /not well-formed/],
  ['< a/>', /not well-formed/],
  ['<a <b/>', /not well-formed/],
  [`<${'a'.repeat(257)}/>`, /not well-formed/],
  [`<a>${'b'.repeat(65_537)}</a>`, /longer than 64 KB/],
  [`<a ${'b'.repeat(70_000)}`, /longer than 64 KB/],
  ['<a>'.repeat(65), /deeper than 64/],
]

test('unneeded XML features and malformed XML are refused', () => {
  for (const [xml, reason] of refused) assert.throws(() => shown(xml), reason, xml.slice(0, 60))
})

test('64 levels are read', () => {
  assert.ok(shown('<a>'.repeat(64) + '</a>'.repeat(64)))
})

test('the line of a tag is the line in the file', () => {
  const reader = new XmlReader()
  const events = [...reader.push('<a>\r\n<!--\n-->\n<b\nc="d"/>\n  <e/></a>')]
  const lines = events.flatMap((event) => (event.kind === 'start' ? [[event.name, event.line]] : []))
  assert.deepEqual(lines, [
    ['a', 1],
    ['b', 4],
    ['e', 6],
  ])
})

test('noise never hangs or crashes the reader', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '/',
    '!',
    '--',
    '[CDATA[',
    ']]>',
    '&',
    ';',
    'a',
    '"',
    "'",
    '=',
    ' ',
    '?',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      try {
        shown(...pieces)
      } catch (error) {
        assert.equal((error as Error).name, 'DamagedStatement')
      }
    }),
    { numRuns: 1_000 },
  )
})
