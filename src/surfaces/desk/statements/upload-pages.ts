/** Pages of uploads: uploading a file, its preview, importing it, and the list of imported statements. */

import { type ImportRight, mayImport } from '../../../domain/approvals/guard.ts'
import { modes } from '../../../domain/merchants/merchant.ts'
import type { Sample } from '../../../domain/statements/formats/csv-guess.ts'
import type { NumberedAccount } from '../../../domain/statements/formats/csv-mapping.ts'
import type { ExplainedRow, ImportReport } from '../../../domain/statements/import-report.ts'
import { work } from '../../../sections/roles.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { countWords } from '../../../sections/statements.ts'
import { transferState } from '../../../sections/states.ts'
import { cellMarkup } from '../../office/cells.ts'
import { type OfficeContext, testBadge } from '../../office/context.ts'
import { consoleWords } from '../../staff/console-words.ts'
import { shortId } from '../../staff/frame.ts'
import { staffPath } from '../../staff/paths.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { flag, html, type Markup, type Value } from '../../web/html.ts'
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
import { deskPath } from '../paths.ts'
import {
  accountText,
  type MappingForm,
  mappingFields,
  sampleTable,
  wrongText,
} from './mappings/mapping-pieces.ts'
import { readingText } from './mappings/mapping-values.ts'
import { mappingWords } from './mappings/words.ts'
import { numberText, progressOf } from './progress-pieces.ts'
import { badRowsOf, reportTiles, totalsOf, warningsOf } from './report-pieces.ts'
import type { Upload, UploadState } from './rows.ts'
import { uploadWords as words } from './words.ts'

type UploadsView = { uploads: readonly Upload[]; mappings: readonly string[] }

const sayIn =
  ({ language }: Pick<OfficeContext, 'language'>) =>
  (words: Two) =>
    inLanguage(words, language)
const rowPath = ({ place }: OfficeContext, path: string, id: string): string => `${place.pathOf(path)}/${id}`

const tones: Partial<Record<UploadState, Tone>> = {
  unmapped: 'warn',
  stopped: 'warn',
  failed: 'bad',
  taken: 'ok',
}

const stateBadge = (office: OfficeContext, state: UploadState): Markup =>
  badge(inLanguage(words.states[state], office.language), tones[state] ?? 'info')

/** The form of a new file, and the files that are not done. */
export function uploadsPage(office: OfficeContext, { uploads, mappings }: UploadsView) {
  const say = sayIn(office)
  return office.place.page({
    title: say(words.upload),
    path: '/statements',
    body: html`${office.isOpen(work) && panel(say(words.newFile), uploadForm(office, mappings))}
${
  uploads.length > 0 &&
  tablePanel(
    say(words.unfinished),
    [say(words.fileName), { head: say(words.state), rank: 1 }, say(words.mode)],
    uploads.map((upload) => [
      html`<a href="${deskPath('/statements/uploads/:id', upload.id)}"><bdi>${upload.name}</bdi></a>`,
      stateBadge(office, upload.state),
      say(words.modes[upload.mode]),
    ]),
  )
}`,
  })
}

/** The CSRF token comes before the file: without it nothing of the file is stored. */
function uploadForm(office: OfficeContext, mappings: readonly string[]): Markup {
  const say = sayIn(office)
  return html`<p>${say(words.uploadText)}</p>
<form method="post" action="${deskPath('/statements/upload')}" enctype="multipart/form-data" class="stack">
<input type="hidden" name="csrf" value="${office.visitor.session.csrf}">
<div class="grid">
${select({
  name: 'mode',
  label: say(words.mode),
  isRequired: true,
  none: say(words.choose),
  choices: modes.map((mode) => ({ value: mode, text: say(words.modes[mode]) })),
})}
${select({
  name: 'mapping',
  label: say(words.mapping),
  none: say(words.noMapping),
  choices: mappings.map((name) => ({ value: name, text: name })),
})}
</div>
${checkbox({ name: 'complete', label: say(words.complete) })}
<p class="quiet">${say(words.completeText)}</p>
<div class="field"><label for="file">${say(words.fileName)}</label><p class="hint" id="file-hint">${say(words.fileHint)}</p><input id="file" type="file" name="file" required data-choose="${inLanguage(consoleWords.chooseFile, office.language)}" data-none="${inLanguage(consoleWords.noFile, office.language)}" aria-describedby="file-hint"></div>
${button(say(words.look), 'primary')}
</form>`
}

/** What a file does not say itself: that it is whole; or that only one of its accounts is meant. */
function againForm(
  office: OfficeContext,
  upload: Upload,
  accounts: readonly NumberedAccount[],
): Markup | null {
  const say = sayIn(office)
  const { id, state, report, canReadAgain = false } = upload
  const isPreviewed = state === 'previewed' && report && !report.isRepeated
  if (!isPreviewed && !(state === 'failed' && canReadAgain)) return null
  const chosen = accounts.find(({ number }) => number === upload.only)
  const body = form(office.visitor, {
    action: deskPath('/statements/uploads/:id/again', id),
    body: html`${checkbox({ name: 'complete', label: say(words.complete), isOn: upload.isComplete ?? false })}
<p class="quiet">${say(words.completeText)}</p>
${select({
  name: 'only',
  label: say(words.only),
  hint: say(words.onlyText),
  none: say(words.allAccounts),
  value: chosen?.id,
  choices: accounts.map((account) => ({ value: account.id, text: accountText(office, account) })),
})}
${button(say(words.look))}`,
  })
  if (!isPreviewed) return panel(say(words.readAgain), body)
  const isOpen = report.taken.parked > 0 || chosen !== undefined
  return html`<details class="panel" ${flag('open', isOpen)}><summary>${say(words.readAgain)}</summary><div class="stack">${body}</div></details>`
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

export function uploadPage(office: OfficeContext, { upload, right, editor, accounts }: UploadView) {
  const say = sayIn(office)
  const { state, report } = upload
  const isBusy = state === 'reading' || state === 'taking'
  // A file without a mapping is not wrong yet.
  const isWrong = state === 'failed' || (state === 'unmapped' && upload.mapping !== undefined)
  return office.place.page({
    title: upload.name,
    path: '/statements',
    actions: html`<div class="row">${stateBadge(office, state)}${testBadge(office, upload.mode)}</div>`,
    body: html`${isBusy && underWay(office, upload)}
${state === 'stopped' && stoppedNote(office, upload)}
${isWrong && html`<div role="alert">${callout('bad', upload.problem ? translate(upload.problem, office.language) : say(words.states.failed))}</div>`}
${!isBusy && state !== 'stopped' && report && reportOf(office, upload, report)}
${(state === 'previewed' || (state === 'stopped' && upload.stopped)) && office.isOpen(work) && takeForm(office, upload, right)}
${office.isOpen(work) && againForm(office, upload, accounts)}
${editor && editorOf(office, upload, editor)}
${!isBusy && office.isOpen(work) && state !== 'taken' && html`<div class="row">${state === 'failed' && html`<a class="button primary" href="${deskPath('/statements/upload')}">${say(words.another)}</a>`}${act(office.visitor, { action: deskPath('/statements/uploads/:id/drop', upload.id), text: say(words.drop) })}</div>`}`,
  })
}

/** Progress, speed, and the button to stop. */
function underWay(office: OfficeContext, { id, state, progress, isStopping }: Upload): Markup {
  const say = sayIn(office)
  const stop = act(office.visitor, {
    action: deskPath('/statements/uploads/:id/stop', id),
    text: say(words.stopUpload),
    isOff: isStopping,
  })
  return html`<div class="panel stack" data-under-way="yes"><p role="status">${say(words.underWay[state === 'taking' ? 'taking' : 'reading'])} ${isStopping && say(words.stopping)}</p>
${progressOf(office, progress)}
<div class="row"><a class="button" href="${deskPath('/statements/uploads/:id', id)}">${say(words.refresh)}</a>${office.isOpen(work) && stop}</div>
${office.isOpen(work) && html`<p class="quiet">${state === 'taking' ? say(words.stopTaking) : say(words.stopReading)}</p>`}</div>`
}

function stoppedNote(office: OfficeContext, { stopped }: Upload): Markup {
  const say = sayIn(office)
  if (!stopped) return callout('info', say(words.stopped))
  const { statement, rows, total } = stopped
  return callout(
    'warn',
    html`${say(words.stoppedTaking(numberText(office, rows), numberText(office, total)))} <a href="${rowPath(office, '/statements', statement)}">${say(words.openStatement)}</a>`,
  )
}

/** The form is shown where it is needed, and folded where the file can be read already. */
function editorOf(office: OfficeContext, { id, state, report }: Upload, editor: UploadEditor): Markup {
  const say = sayIn(office)
  const { values, sample, isSplitAgain, wrong } = editor
  const body = html`<p>${say(mappingWords.editorText)}</p>
${isSplitAgain && html`<div role="alert">${callout('warn', say(mappingWords.again))}</div>`}
${sampleTable(office, sample)}
${form(office.visitor, {
  action: deskPath('/statements/uploads/:id/read', id),
  body: html`<input type="hidden" name="seen" value="${readingText(values)}">
${mappingFields(office, editor)}
${checkbox({ name: 'keep', label: say(mappingWords.keep), isOn: editor.isKept })}
${field({
  name: 'name',
  label: say(mappingWords.keepAs),
  hint: say(mappingWords.nameHint),
  value: editor.name,
  maxLength: 64,
  error: wrongText(
    office,
    wrong.find((problem) => problem === 'name' || problem === 'taken'),
  ),
})}
${button(say(mappingWords.look), 'primary')}`,
})}`
  if (state === 'unmapped') return panel(say(mappingWords.editor), body)
  const isOpen = isSplitAgain || wrong.length > 0 || (report?.badRows ?? 0) > 0
  return html`<details class="panel" ${flag('open', isOpen)}><summary>${say(mappingWords.otherwise)}</summary><div class="stack">${body}</div></details>`
}

function reportOf(office: OfficeContext, { id, state }: Upload, report: ImportReport): Markup {
  const say = sayIn(office)
  const open = html`<a href="${rowPath(office, '/statements', report.statement)}">${say(words.openStatement)}</a>`
  return html`${report.isRepeated && callout('info', html`${say(words.repeated)} ${open}`)}
${state === 'taken' && !report.isRepeated && html`<p>${open}</p>`}
${totalsOf(office, report)}
<h2>${report.isRepeated ? say(words.happenedThen) : state === 'taken' ? say(words.happened) : say(words.preview)}</h2>
${reportTiles(office, report)}
${state === 'previewed' && report.preview.length > 0 && previewOf(office, report.preview)}
${warningsOf(office, report)}
${badRowsOf(office, report, html`<a href="${deskPath('/statements/uploads/:id/bad.csv', id)}">${say(words.download)}</a>`)}`
}

function previewOf(office: OfficeContext, rows: readonly ExplainedRow[]): Markup {
  const say = sayIn(office)
  return tablePanel(
    say(words.understood),
    [
      { head: say(words.line), is: 'number' },
      say(words.day),
      { head: say(words.amount), is: 'number', rank: 1 },
      say(words.payer),
      say(words.purpose),
      say(words.becomes),
    ],
    rows.map((row) => [
      row.line,
      row.day,
      `${row.direction === 'debit' ? '−' : ''}${row.amount} ${row.currency}`,
      html`<bdi>${row.payer.slice(0, 60) || '–'}</bdi>`,
      html`<bdi>${row.purpose.slice(0, 140) || '–'}</bdi>`,
      html`${becomesBadge(office, row.becomes)} ${translate(row.reason, office.language)}${row.deposits.map((id) => html` <a href="${rowPath(office, '/deposits', id)}">${shortId(id)}</a>`)}${row.sameAs.map((id) => html` <a href="${rowPath(office, '/transfers', id)}">${shortId(id)}</a>`)}`,
    ]),
  )
}

const becomesBadge = (office: OfficeContext, becomes: ExplainedRow['becomes']): Value =>
  becomes === 'seen' || becomes === 'paired' || becomes === 'parked'
    ? badge(inLanguage(countWords(becomes), office.language))
    : cellMarkup(office, transferState(becomes))

function takeForm(
  office: OfficeContext,
  { id, report, reading, stopped }: Upload,
  right: ImportRight,
): Markup | null {
  const say = sayIn(office)
  const take = stopped ? say(words.goOn) : say(words.take)
  if (!report || report.isRepeated) return null
  if (!mayImport(right))
    return panel(
      take,
      html`<p>${right.is === 'later' ? say(words.takeByOther) : say(words.takeBySecond)}</p>`,
    )
  const isWrong = report.badRows > 0 || report.warnings.length > 0
  return panel(
    take,
    html`${freshFactorNotice(office)}<form method="post" action="${deskPath('/statements/uploads/:id/take', id)}" class="stack">
<input type="hidden" name="csrf" value="${office.visitor.session.csrf}">
<input type="hidden" name="reading" value="${reading}">
<p>${stopped ? say(words.goOnText(numberText(office, stopped.total - stopped.rows))) : say(words.takeText(report.taken.taken))}</p>
${isWrong && checkbox({ name: 'anyway', label: say(words.anyway) })}
${button(take, 'primary')}
</form>`,
  )
}

export function uploadGonePage(office: OfficeContext) {
  const say = sayIn(office)
  return office.place.page({
    title: say(words.gone),
    path: '/statements',
    body: html`<p>${say(words.goneText)}</p><p><a class="button" href="${deskPath('/statements/upload')}">${say(words.another)}</a></p>`,
  })
}

/** Above a form that will ask for the second factor again; nothing if it was used a moment ago. */
const freshFactorNotice = (office: OfficeContext): Markup | null =>
  office.visitor.session.isFresh
    ? null
    : callout(
        'info',
        html`${sayIn(office)(words.proveFirst)} <a href="${staffPath('/sign-in/again')}?to=${office.here}">${sayIn(office)(words.prove)}</a>`,
      )
