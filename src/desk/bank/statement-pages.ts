/** Statements: uploading one, looking at what it would do, taking it, and those that were taken. */
import { modes } from '../../merchants/merchant.ts'
import { html, type Markup } from '../../web/html.ts'
import {
  act,
  badge,
  button,
  callout,
  checkbox,
  empty,
  panel,
  select,
  table,
  tiles,
} from '../../web/pieces.ts'
import { type Desk, deskPage, may, modeBadge, timeOf, workers } from '../frame.ts'
import { deskWords } from '../words.ts'
import type { StatementRow, Upload, UploadReport } from './rows.ts'
import { bankWords } from './words.ts'

export type StatementsView = {
  statements: readonly StatementRow[]
  uploads: readonly Upload[]
  mappings: readonly string[]
}

export function statementsPage(desk: Desk, { statements, uploads, mappings }: StatementsView) {
  const words = bankWords[desk.language]
  const shared = deskWords[desk.language]
  return deskPage(desk, {
    title: shared.sections.statements,
    section: 'statements',
    body: html`${may(desk, workers) && panel(words.upload, uploadForm(desk, mappings))}
${
  uploads.length > 0 &&
  panel(
    words.underWay,
    table(
      words.underWay,
      [{ head: words.fileName, is: 'long' }, { head: shared.state }, { head: shared.mode }],
      uploads.map((one) => [
        html`<a href="/operator/statements/uploads/${one.id}"><bdi>${one.name}</bdi></a>`,
        badge(
          words.states[one.state],
          one.state === 'failed' ? 'bad' : one.state === 'taken' ? 'ok' : 'info',
        ),
        shared.modes[one.mode],
      ]),
    ),
  )
}
${
  statements.length === 0
    ? empty(words.noStatements, words.noStatementsText)
    : panel(
        words.past,
        table(
          words.past,
          [
            { head: words.fileName, is: 'long' },
            { head: words.format },
            { head: words.rows, is: 'number' },
            { head: words.takenAt },
            { head: words.by },
          ],
          statements.map((one) => [
            html`<bdi>${one.fileName}</bdi>${modeBadge(desk, one.mode)}`,
            one.format,
            one.entries ?? '–',
            one.finishedAt ? timeOf(desk, one.finishedAt) : badge(words.unfinished, 'warn'),
            one.takenBy.replace(/^operator:/, ''),
          ]),
        ),
      )
}`,
  })
}

/** The token stands before the file: without it nothing of the file is kept. */
function uploadForm(desk: Desk, mappings: readonly string[]): Markup {
  const words = bankWords[desk.language]
  const shared = deskWords[desk.language]
  return html`<p>${words.uploadText}</p>
<form method="post" action="/operator/statements/upload" enctype="multipart/form-data" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
<div class="filters">
${select({ name: 'mode', label: shared.mode, choices: modes.map((mode) => ({ value: mode, text: shared.modes[mode] })) })}
${select({
  name: 'mapping',
  label: words.mapping,
  choices: [{ value: '', text: words.noMapping }, ...mappings.map((name) => ({ value: name, text: name }))],
})}
<div class="field search"><label for="file">${words.file}</label><p class="hint" id="file-hint">${words.fileHint}</p><input id="file" type="file" name="file" required aria-describedby="file-hint"></div>
</div>
${button(words.look, 'primary')}
</form>`
}

export function uploadPage(desk: Desk, upload: Upload) {
  const words = bankWords[desk.language]
  const page = `/operator/statements/uploads/${upload.id}`
  const isBusy = upload.state === 'reading' || upload.state === 'taking'
  return deskPage(desk, {
    title: upload.name,
    section: 'statements',
    actions: html`${badge(words.states[upload.state], upload.state === 'failed' ? 'bad' : upload.state === 'taken' ? 'ok' : 'info')}${modeBadge(desk, upload.mode)}`,
    body: html`${
      isBusy &&
      html`<div class="panel" data-under-way="yes"><p role="status">${words.states[upload.state]}: ${words.progress(upload.progress.rows, upload.progress.of)}</p><p><a class="button" href="${page}">${words.refresh}</a></p></div>`
    }
${upload.state === 'failed' && html`<div role="alert">${callout('bad', upload.problem || words.states.failed)}</div>`}
${!isBusy && upload.report && reportOf(desk, upload, upload.report, page)}
${upload.state === 'previewed' && may(desk, workers) && takeForm(desk, upload, page)}
${!isBusy && may(desk, workers) && upload.state !== 'taken' && act({ action: `${page}/drop`, csrf: desk.visitor.session.csrf, text: words.drop })}`,
  })
}

function reportOf(desk: Desk, { state }: Upload, report: UploadReport, page: string): Markup {
  const words = bankWords[desk.language]
  const { taken, bad, badRows, warnings } = report
  const names = words.counts
  return html`${report.isRepeated && callout('info', words.repeated)}
${badRows === 0 && warnings.length === 0 && !report.isRepeated && callout('ok', words.clean)}
<h2>${state === 'taken' || report.isRepeated ? words.happened : words.preview}</h2>
${tiles([
  [names.entries, report.entries],
  [names.taken, taken.taken],
  [names.seen, taken.seen],
  [names.matched, taken.matched],
  [names.ambiguous, taken.ambiguous],
  [names.unmatched, taken.unmatched],
  [names.duplicate, taken.duplicate],
  [names.debit, taken.debit],
  [names.revoked, taken.revoked],
  [names.pending, report.pending],
  [names.badRows, badRows],
])}
${warnings.length > 0 && panel(words.warnings, html`<ul>${warnings.map((text) => html`<li>${text}</li>`)}</ul>`)}
${
  bad.length > 0 &&
  panel(
    words.badRows,
    html`<p>${badRows > bad.length && words.badListed(bad.length, badRows)} <a href="${`${page}/bad.csv`}">${words.download}</a></p>
${table(
  words.badRows,
  [
    { head: words.line, is: 'number' },
    { head: deskWords[desk.language].why, is: 'long' },
  ],
  bad.map(({ line, detail }) => [line, detail]),
)}`,
  )
}`
}

function takeForm(desk: Desk, { report }: Upload, page: string): Markup | null {
  const words = bankWords[desk.language]
  if (!report || report.isRepeated) return null
  const isWrong = report.badRows > 0 || report.warnings.length > 0
  return panel(
    words.take,
    html`<form method="post" action="${`${page}/take`}" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
<p>${words.takeText(report.taken.taken)}</p>
${isWrong && checkbox({ name: 'anyway', label: words.anyway })}
${button(words.take, 'primary')}
</form>`,
  )
}

export function uploadGonePage(desk: Desk) {
  const words = bankWords[desk.language]
  return deskPage(desk, {
    title: words.gone,
    section: 'statements',
    body: html`<p>${words.goneText}</p><p><a class="button" href="/operator/statements">${deskWords[desk.language].sections.statements}</a></p>`,
  })
}
