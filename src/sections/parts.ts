/** Makes what stands below the facts of one thing. */
import type { MessageOrText } from '../domain/messages/message.ts'
import type { Cell, Part, Two } from './section.ts'

type TableColumn<Row> = readonly [head: Two, cell: (row: Row) => Cell, is?: 'number' | undefined]
type Table = Extract<Part, { is: 'table' }>
type Note = Extract<Part, { is: 'note' }>

export const table = <Row>(
  head: Two,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  more?: Table['more'] | false,
): Table => ({
  ...{ is: 'table', head },
  columns: columns.map(([head, , is]) => (is ? { head, is } : head)),
  rows: rows.map((row) => columns.map(([, cell]) => cell(row))),
  ...(more && { more }),
})

export const note = (tone: Note['tone'], text: Two | MessageOrText, link?: Note['link']): Note => ({
  ...{ is: 'note', tone, text },
  ...(link && { link }),
})

export const facts = (head: Two, facts: readonly (readonly [Two, Cell])[]): Part => ({
  is: 'facts',
  head,
  facts,
})

export const codePart = (head: Two, text: string): Part => ({ is: 'code', head, text })
