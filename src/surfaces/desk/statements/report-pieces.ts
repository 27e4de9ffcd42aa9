/** The report of an import, as its preview and its result show it. */
import type { BadRow } from '../../../domain/statements/entry.ts'
import type { ImportReport } from '../../../domain/statements/import-report.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { countsOf } from '../../../sections/statements.ts'
import type { OfficeContext } from '../../office/context.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { callout, panel, table, tiles } from '../../web/pieces.ts'
import { uploadWords as words } from './words.ts'

export const reportTiles = (office: OfficeContext, report: ImportReport): Markup =>
  tiles(countsOf(report).map(([words, count]) => [inLanguage(words, office.language), count]))

/** Says that totals agree only if the file states totals. */
export function totalsOf(office: OfficeContext, { totals, badRows, warnings }: ImportReport): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  if (totals !== 'agree') return callout('warn', say(words.totals[totals]))
  const isClean = badRows === 0 && warnings.length === 0
  return callout(isClean ? 'ok' : 'info', isClean ? say(words.clean) : say(words.totals.agree))
}

export const warningsOf = (office: OfficeContext, { warnings }: ImportReport): Markup | false =>
  warnings.length > 0 &&
  panel(
    inLanguage(words.warnings, office.language),
    html`<ul>${warnings.map((text) => html`<li>${translate(text, office.language)}</li>`)}</ul>`,
  )

const badShown = 100

/** `link`: where all that are known are downloaded. */
export function badRowsOf(
  office: OfficeContext,
  { bad, badRows }: ImportReport,
  link: Markup,
): Markup | false {
  const say = (words: Two) => inLanguage(words, office.language)
  return (
    bad.length > 0 &&
    panel(
      say(words.badRows),
      html`<p>${badRows > badShown && say(words.badListed(badShown, badRows))} ${link}</p>
${table(
  say(words.badRows),
  [say(words.line), say(words.why)],
  bad.slice(0, badShown).map((row) => [placeIn(office, row), translate(row.detail, office.language)]),
)}`,
    )
  )
}

/** `12`, `12, column 3`, or `1, Stmt[1]/Ntry[3]/Amt` where the line is not precise enough. */
const placeIn = (office: OfficeContext, { line, at }: Pick<BadRow, 'line' | 'at'>): string =>
  at === undefined
    ? String(line)
    : `${line}, ${at.replace(/^column\b/, inLanguage(words.column, office.language))}`
