/** Reads a list in pages up to its end, so that a command that prints a list leaves nothing out. */
import type { ListPage } from '../../platform/list-page.ts'

const pageLength = 1_000

export async function readAll<Row extends { id: string }>(
  readPage: (page: ListPage) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await readPage({ after: rows.at(-1)?.id ?? null, limit: pageLength })
    rows.push(...page)
    if (page.length < pageLength) return rows
  }
}
