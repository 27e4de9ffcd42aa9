/** The report of an import, as its preview and its result show it. */
import type { BadRow } from '../../../domain/statements/entry.ts'
import type { ImportReport } from '../../../domain/statements/import-report.ts'
import { inLanguage } from '../../../sections/section.ts'
import { countsOf } from '../../../sections/statements.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { callout, panel, table, tiles } from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import type { DeskContext } from '../frame.ts'

export const reportTiles = (desk: DeskContext, report: ImportReport): Markup =>
  tiles(countsOf(report).map(([words, count]) => [inLanguage(words, desk.language), count]))

/** Says that totals agree only if the file states totals. */
export function totalsOf(desk: DeskContext, { totals, badRows, warnings }: ImportReport): Markup {
  const words = bankWords[desk.language]
  if (totals !== 'agree') return callout('warn', words.totals[totals])
  const isClean = badRows === 0 && warnings.length === 0
  return callout(isClean ? 'ok' : 'info', isClean ? words.clean : words.totals.agree)
}

export const warningsOf = (desk: DeskContext, { warnings }: ImportReport): Markup | false =>
  warnings.length > 0 &&
  panel(
    bankWords[desk.language].warnings,
    html`<ul>${warnings.map((text) => html`<li>${translate(text, desk.language)}</li>`)}</ul>`,
  )

const badShown = 100

/** `link`: where all that are known are downloaded. */
export function badRowsOf(desk: DeskContext, { bad, badRows }: ImportReport, link: Markup): Markup | false {
  const words = bankWords[desk.language]
  return (
    bad.length > 0 &&
    panel(
      words.badRows,
      html`<p>${badRows > badShown && words.badListed(badShown, badRows)} ${link}</p>
${table(
  words.badRows,
  [words.line, words.why],
  bad.slice(0, badShown).map((row) => [placeIn(desk, row), translate(row.detail, desk.language)]),
)}`,
    )
  )
}

/** `12`, `12, column 3`, or `1, Stmt[1]/Ntry[3]/Amt` where the line is not precise enough. */
const placeIn = (desk: DeskContext, { line, at }: Pick<BadRow, 'line' | 'at'>): string =>
  at === undefined ? String(line) : `${line}, ${at.replace(/^column\b/, bankWords[desk.language].column)}`
