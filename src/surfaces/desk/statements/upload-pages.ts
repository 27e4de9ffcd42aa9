/** Pages of uploads: uploading a file, its preview, importing it, and the list of imported statements. */

import { type ImportRight, mayImport } from '../../../domain/approvals/guard.ts'
import { modes } from '../../../domain/merchants/merchant.ts'
import type { Sample } from '../../../domain/statements/formats/csv-guess.ts'
import type { NumberedAccount } from '../../../domain/statements/formats/csv-mapping.ts'
import type { ExplainedRow, ImportReport } from '../../../domain/statements/import-report.ts'
import { inLanguage } from '../../../sections/section.ts'
import { countWords } from '../../../sections/statements.ts'
import { shortId } from '../../staff/frame.ts'
import { listWords } from '../../staff/list-words.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { transferBadge } from '../../staff/state-badges.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import {
  act,
  badge,
  button,
  callout,
  checkbox,
  field,
  form,
  panel,
  select,
  type Tone,
  tablePanel,
} from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import { type DeskContext, deskPage, freshFactorNotice, may, modeBadge, workers } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { accountText, type MappingForm, mappingFields, sampleTable } from './mappings/mapping-pieces.ts'
import { readingText } from './mappings/mapping-values.ts'
import { mappingWords } from './mappings/words.ts'
import { numberText, progressOf } from './progress-pieces.ts'
import { badRowsOf, reportTiles, totalsOf, warningsOf } from './report-pieces.ts'
import type { Upload, UploadState } from './rows.ts'
import { statementWords } from './words.ts'

type UploadsView = { uploads: readonly Upload[]; mappings: readonly string[] }

const tones: Partial<Record<UploadState, Tone>> = {
  unmapped: 'warn',
  stopped: 'warn',
  failed: 'bad',
  taken: 'ok',
}

const stateBadge = (desk: DeskContext, state: UploadState): Markup =>
  badge(bankWords[desk.language].states[state], tones[state] ?? 'info')

/** The form of a new file, and the files that are not done. */
export function uploadsPage(desk: DeskContext, { uploads, mappings }: UploadsView) {
  const words = bankWords[desk.language]
  return deskPage(desk, {
    title: words.upload,
    section: 'statements',
    body: html`${may(desk, workers) && panel(words.newFile, uploadForm(desk, mappings))}
${
  uploads.length > 0 &&
  tablePanel(
    words.underWay,
    [words.fileName, { head: words.state, rank: 1 }, words.mode],
    uploads.map((upload) => [
      html`<a href="${deskPath('/statements/uploads/:id', upload.id)}"><bdi>${upload.name}</bdi></a>`,
      stateBadge(desk, upload.state),
      words.modes[upload.mode],
    ]),
  )
}`,
  })
}

/** The CSRF token comes before the file: without it nothing of the file is stored. */
function uploadForm(desk: DeskContext, mappings: readonly string[]): Markup {
  const words = bankWords[desk.language]
  return html`<p>${words.uploadText}</p>
<form method="post" action="${deskPath('/statements/upload')}" enctype="multipart/form-data" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
<div class="grid">
${select({
  name: 'mode',
  label: words.mode,
  isRequired: true,
  none: words.choose,
  choices: modes.map((mode) => ({ value: mode, text: words.modes[mode] })),
})}
${select({
  name: 'mapping',
  label: words.mapping,
  none: words.noMapping,
  choices: mappings.map((name) => ({ value: name, text: name })),
})}
</div>
${checkbox({ name: 'complete', label: words.complete })}
<p class="quiet">${words.completeText}</p>
<div class="field"><label for="file">${words.fileName}</label><p class="hint" id="file-hint">${words.fileHint}</p><input id="file" type="file" name="file" required data-choose="${listWords[desk.language].chooseFile}" data-none="${listWords[desk.language].noFile}" aria-describedby="file-hint"></div>
${button(words.look, 'primary')}
</form>`
}

/** What a file does not say itself: that it is whole; or that only one of its accounts is meant. */
function againForm(desk: DeskContext, upload: Upload, accounts: readonly NumberedAccount[]): Markup | null {
  const words = bankWords[desk.language]
  const { id, state, report, canReadAgain = false } = upload
  const isPreviewed = state === 'previewed' && report && !report.isRepeated
  if (!isPreviewed && !(state === 'failed' && canReadAgain)) return null
  const chosen = accounts.find(({ number }) => number === upload.only)
  const body = form(desk.visitor, {
    action: deskPath('/statements/uploads/:id/again', id),
    body: html`${checkbox({ name: 'complete', label: words.complete, isOn: upload.isComplete ?? false })}
<p class="quiet">${words.completeText}</p>
${select({
  name: 'only',
  label: words.only,
  hint: words.onlyText,
  none: words.allAccounts,
  value: chosen?.id,
  choices: accounts.map((account) => ({ value: account.id, text: accountText(desk, account) })),
})}
${button(words.look)}`,
  })
  if (!isPreviewed) return panel(words.readAgain, body)
  const isOpen = report.taken.parked > 0 || chosen !== undefined
  return html`<details class="panel" ${flag('open', isOpen)}><summary>${words.readAgain}</summary><div class="stack">${body}</div></details>`
}

/** The beginning of a CSV file, and the form that describes its columns. */
export type UploadEditor = MappingForm & {
  sample: Sample
  name: string
  isKept: boolean
  /** The columns differ from those that were chosen from. */
  isSplitAgain: boolean
}

export type UploadView = {
  upload: Upload
  right: ImportRight
  editor: UploadEditor | null
  /** The accounts that it may be read for. */
  accounts: readonly NumberedAccount[]
}

export function uploadPage(desk: DeskContext, { upload, right, editor, accounts }: UploadView) {
  const words = bankWords[desk.language]
  const { state, report } = upload
  const isBusy = state === 'reading' || state === 'taking'
  // A file without a mapping is not wrong yet.
  const isWrong = state === 'failed' || (state === 'unmapped' && upload.mapping !== undefined)
  return deskPage(desk, {
    title: upload.name,
    section: 'statements',
    actions: html`<div class="row">${stateBadge(desk, state)}${modeBadge(desk, upload.mode)}</div>`,
    body: html`${isBusy && underWay(desk, upload)}
${state === 'stopped' && stoppedNote(desk, upload)}
${isWrong && html`<div role="alert">${callout('bad', upload.problem ? translate(upload.problem, desk.language) : words.states.failed)}</div>`}
${!isBusy && state !== 'stopped' && report && reportOf(desk, upload, report)}
${(state === 'previewed' || (state === 'stopped' && upload.stopped)) && may(desk, workers) && takeForm(desk, upload, right)}
${may(desk, workers) && againForm(desk, upload, accounts)}
${editor && editorOf(desk, upload, editor)}
${!isBusy && may(desk, workers) && state !== 'taken' && html`<div class="row">${state === 'failed' && html`<a class="button primary" href="${deskPath('/statements/upload')}">${words.another}</a>`}${act(desk.visitor, { action: deskPath('/statements/uploads/:id/drop', upload.id), text: words.drop })}</div>`}`,
  })
}

/** Progress, speed, and the button to stop. */
function underWay(desk: DeskContext, { id, state, progress, isStopping }: Upload): Markup {
  const words = statementWords[desk.language]
  const stop = act(desk.visitor, {
    action: deskPath('/statements/uploads/:id/stop', id),
    text: words.stopUpload,
    isOff: isStopping,
  })
  return html`<div class="panel stack" data-under-way="yes"><p role="status">${words.underWay[state === 'taking' ? 'taking' : 'reading']} ${isStopping && words.stopping}</p>
${progressOf(desk, progress)}
<div class="row"><a class="button" href="${deskPath('/statements/uploads/:id', id)}">${words.refresh}</a>${may(desk, workers) && stop}</div>
${may(desk, workers) && html`<p class="quiet">${state === 'taking' ? words.stopTaking : words.stopReading}</p>`}</div>`
}

function stoppedNote(desk: DeskContext, { stopped }: Upload): Markup {
  const words = statementWords[desk.language]
  if (!stopped) return callout('info', words.stopped)
  const { statement, rows, total } = stopped
  return callout(
    'warn',
    html`${words.stoppedTaking(numberText(desk, rows), numberText(desk, total))} <a href="${deskPath('/statements/:id', statement)}">${words.openStatement}</a>`,
  )
}

/** The form is shown where it is needed, and folded where the file can be read already. */
function editorOf(desk: DeskContext, { id, state, report }: Upload, editor: UploadEditor): Markup {
  const words = mappingWords[desk.language]
  const { values, sample, isSplitAgain, wrong } = editor
  const body = html`<p>${words.editorText}</p>
${isSplitAgain && html`<div role="alert">${callout('warn', words.again)}</div>`}
${sampleTable(desk, sample)}
${form(desk.visitor, {
  action: deskPath('/statements/uploads/:id/read', id),
  body: html`<input type="hidden" name="seen" value="${readingText(values)}">
${mappingFields(desk, editor)}
${checkbox({ name: 'keep', label: words.keep, isOn: editor.isKept })}
${field({
  name: 'name',
  label: words.keepAs,
  hint: words.nameHint,
  value: editor.name,
  maxLength: 64,
  error: words.wrong[wrong.find((problem) => problem === 'name' || problem === 'taken') ?? ''],
})}
${button(words.look, 'primary')}`,
})}`
  if (state === 'unmapped') return panel(words.editor, body)
  const isOpen = isSplitAgain || wrong.length > 0 || (report?.badRows ?? 0) > 0
  return html`<details class="panel" ${flag('open', isOpen)}><summary>${words.otherwise}</summary><div class="stack">${body}</div></details>`
}

function reportOf(desk: DeskContext, { id, state }: Upload, report: ImportReport): Markup {
  const words = bankWords[desk.language]
  const open = html`<a href="${deskPath('/statements/:id', report.statement)}">${statementWords[desk.language].openStatement}</a>`
  return html`${report.isRepeated && callout('info', html`${words.repeated} ${open}`)}
${state === 'taken' && !report.isRepeated && html`<p>${open}</p>`}
${totalsOf(desk, report)}
<h2>${report.isRepeated ? words.happenedThen : state === 'taken' ? words.happened : words.preview}</h2>
${reportTiles(desk, report)}
${state === 'previewed' && report.preview.length > 0 && previewOf(desk, report.preview)}
${warningsOf(desk, report)}
${badRowsOf(desk, report, html`<a href="${deskPath('/statements/uploads/:id/bad.csv', id)}">${words.download}</a>`)}`
}

function previewOf(desk: DeskContext, rows: readonly ExplainedRow[]): Markup {
  const words = bankWords[desk.language]
  return tablePanel(
    words.understood,
    [
      { head: words.line, is: 'number' },
      words.day,
      { head: words.amount, is: 'number', rank: 1 },
      words.payer,
      words.purpose,
      words.becomes,
    ],
    rows.map((row) => [
      row.line,
      row.day,
      `${row.direction === 'debit' ? '−' : ''}${row.amount} ${row.currency}`,
      html`<bdi>${row.payer.slice(0, 60) || '–'}</bdi>`,
      html`<bdi>${row.purpose.slice(0, 140) || '–'}</bdi>`,
      html`${becomesBadge(desk, row.becomes)} ${translate(row.reason, desk.language)}${row.deposits.map((id) => html` <a href="${deskPath('/deposits/:id', id)}">${shortId(id)}</a>`)}${row.sameAs.map((id) => html` <a href="${deskPath('/transfers/:id', id)}">${shortId(id)}</a>`)}`,
    ]),
  )
}

const becomesBadge = (desk: DeskContext, becomes: ExplainedRow['becomes']): Markup =>
  becomes === 'seen' || becomes === 'paired' || becomes === 'parked'
    ? badge(inLanguage(countWords(becomes), desk.language))
    : transferBadge(desk, becomes)

function takeForm(
  desk: DeskContext,
  { id, report, reading, stopped }: Upload,
  right: ImportRight,
): Markup | null {
  const words = bankWords[desk.language]
  const take = stopped ? statementWords[desk.language].goOn : words.take
  if (!report || report.isRepeated) return null
  if (!mayImport(right))
    return panel(take, html`<p>${right.is === 'later' ? words.takeByOther : words.takeBySecond}</p>`)
  const isWrong = report.badRows > 0 || report.warnings.length > 0
  return panel(
    take,
    html`${freshFactorNotice(desk)}<form method="post" action="${deskPath('/statements/uploads/:id/take', id)}" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
<input type="hidden" name="reading" value="${reading}">
<p>${stopped ? statementWords[desk.language].goOnText(numberText(desk, stopped.total - stopped.rows)) : words.takeText(report.taken.taken)}</p>
${isWrong && checkbox({ name: 'anyway', label: words.anyway })}
${button(take, 'primary')}
</form>`,
  )
}

export function uploadGonePage(desk: DeskContext) {
  const words = bankWords[desk.language]
  return deskPage(desk, {
    title: words.gone,
    section: 'statements',
    body: html`<p>${words.goneText}</p><p><a class="button" href="${deskPath('/statements/upload')}">${words.another}</a></p>`,
  })
}
