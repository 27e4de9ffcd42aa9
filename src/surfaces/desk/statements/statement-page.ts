/** The page of an imported statement: the file, the result of the import, its rows today, and its undo. */

import type { ImportReport, StoredStatement } from '../../../domain/statements/import-report.ts'
import type { UndoCounts, UndoSum } from '../../../domain/statements/undo/undo-report.ts'
import { colleagueName, dayOf, moneyOf, timeOf, wholeId } from '../../staff/frame.ts'
import { transferBadge } from '../../staff/state-badges.ts'
import { html, type Markup } from '../../web/html.ts'
import {
  act,
  badge,
  button,
  callout,
  empty,
  field,
  form,
  pairs,
  panel,
  type Tone,
  table,
  tablePanel,
  tiles,
} from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage, freshFactorNotice, may, modeBadge, workers } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'
import { bar, numberText } from './progress-pieces.ts'
import { badRowsOf, reportTiles, warningsOf } from './report-pieces.ts'
import type { ParkedSum, StatementTransfer, StateSum } from './rows.ts'
import { statementWords } from './words.ts'

type StatementView = {
  statement: StoredStatement
  stateSums: readonly StateSum[]
  transfers: readonly StatementTransfer[]
  parked: ParkedSum
  /** The place of the last row of this page, if there are more. */
  next: number | null
  isFirst: boolean
  /** What an undo would revoke. */
  sums: readonly UndoSum[]
  needsSecond: boolean
  /** Ids of the open proposals about it. */
  proposals: readonly string[]
  isRunning: boolean
}

type Stage = 'taken' | 'unfinished' | 'undoing' | 'undone'

const tones: Record<Stage, Tone> = { taken: 'ok', unfinished: 'warn', undoing: 'warn', undone: 'plain' }

/** The stage of a statement as a badge. */
export function stageBadge(
  { language }: Pick<DeskContext, 'language'>,
  statement: Pick<StoredStatement, 'finishedAt' | 'undoStartedAt' | 'undoneAt'>,
): Markup {
  const stage = stageOf(statement)
  return badge(statementWords[language][stage], tones[stage])
}

const stageOf = (statement: Pick<StoredStatement, 'finishedAt' | 'undoStartedAt' | 'undoneAt'>): Stage => {
  if (statement.undoneAt) return 'undone'
  if (statement.undoStartedAt) return 'undoing'
  return statement.finishedAt ? 'taken' : 'unfinished'
}

const nameOf = ({ people }: DeskContext, actor: string | null): string => {
  const email = (actor ?? '').replace(/^operator:/, '')
  return people?.get(email) ?? email
}

export function statementPage(desk: DeskContext, view: StatementView) {
  const { statement } = view
  const shared = deskWords[desk.language]
  return deskPage(desk, {
    title: statement.fileName,
    section: 'statements',
    isLive: true,
    actions: html`<div class="states">${stageBadge(desk, statement)}${modeBadge(desk, statement.mode)}</div>`,
    body: html`${view.proposals.map((id) => callout('warn', html`${shared.notices.proposed} <a href="${deskPath('/approvals/:id', id)}">${shared.open}</a>`))}
${statusNotice(desk, view)}
${parkedNotice(desk, view.parked)}
<div class="split two">
${panel(statementWords[desk.language].statement, factsOf(desk, statement))}
${stateSumsTable(desk, view.stateSums)}
</div>
${statement.report && reportOf(desk, statement.report)}
${!statement.undoStartedAt && undoForm(desk, view)}
${transfersOf(desk, view)}`,
  })
}

function parkedNotice(desk: DeskContext, { rows, firstDay, lastDay }: ParkedSum): Markup | null {
  if (rows === 0) return null
  const words = statementWords[desk.language]
  const days =
    firstDay === lastDay ? dayOf(desk, firstDay!) : html`${dayOf(desk, firstDay!)} – ${dayOf(desk, lastDay!)}`
  return callout(
    'info',
    html`${words.parkedRows(numberText(desk, rows))} ${days}. ${words.parkedText} <a href="${deskPath('/parked')}">${deskWords[desk.language].open}</a>`,
  )
}

/** The state of an import that is incomplete, being undone or undone. */
function statusNotice(
  desk: DeskContext,
  { statement, stateSums, sums, isRunning }: StatementView,
): Markup | null {
  const words = statementWords[desk.language]
  const { undoneAt, undoneBy, undoReason, undoReport } = statement
  const stage = stageOf(statement)
  const rows = (count: number) => numberText(desk, count)
  if (stage === 'unfinished')
    return callout(
      'warn',
      html`${words.unfinishedText} ${words.unfinishedRows(rows(stateSums.reduce((all, sum) => all + sum.rows, 0)))}`,
    )
  if (stage === 'taken') return null
  const why = html`<bdi>${undoReason ?? ''}</bdi>`
  const counts = undoReport && undoTiles(desk, undoReport)
  if (stage === 'undone')
    return html`${callout('info', html`${words.undoneBy(nameOf(desk, undoneBy))} · ${undoneAt && timeOf(desk, undoneAt)} · ${why}`)}${counts}`
  const done = undoReport?.transfers ?? 0
  const left = sums.reduce((all, sum) => all + sum.transfers, 0)
  const page = deskPath('/statements/:id', statement.id)
  return html`<div class="panel stack"><p role="status">${words.undoingText(nameOf(desk, undoneBy))} ${why}</p>
${bar(words.undoing, done + left === 0 ? 1 : done / (done + left))}
<p>${words.progressOf(rows(done), rows(done + left))}</p>
${!isRunning && callout('warn', words.undoStopped)}
${!isRunning && may(desk, workers) && html`${freshFactorNotice(desk)}${act(desk.visitor, { action: deskPath('/statements/:id/go-on', statement.id), text: words.goOn, kind: 'primary' })}`}
${isRunning && html`<p><a class="button" href="${page}">${words.refresh}</a></p>`}
</div>${counts}`
}

function undoTiles(desk: DeskContext, report: UndoCounts): Markup {
  const names = statementWords[desk.language].undoCounts
  return tiles(Object.entries(names).map(([name, text]) => [text, report[name as keyof UndoCounts]]))
}

function factsOf(desk: DeskContext, statement: StoredStatement): Markup {
  const words = statementWords[desk.language]
  const { fileName, format, takenAt, takenBy, finishedAt, id } = statement
  return pairs([
    [words.fileName, html`<bdi class="anywhere">${fileName}</bdi>`],
    [words.format, caseWords[desk.language].channels[format]],
    [words.by, html`${colleagueName(desk, takenBy)}`],
    [words.begun, timeOf(desk, takenAt)],
    [words.finished, finishedAt ? timeOf(desk, finishedAt) : '–'],
    ['ID', wholeId(desk, id)],
  ])
}

function stateSumsTable(desk: DeskContext, sums: readonly StateSum[]): Markup | null {
  const words = statementWords[desk.language]
  if (sums.length === 0) return null
  return tablePanel(
    words.now,
    [words.state, { head: words.rows, is: 'number' }, { head: words.sum, is: 'number' }],
    sums.map((sum) => [
      transferBadge(desk, sum.state),
      numberText(desk, sum.rows),
      moneyOf(desk, sum.state === 'debit' ? -sum.cents : sum.cents, sum.currency),
    ]),
  )
}

const reportOf = (desk: DeskContext, report: ImportReport): Markup =>
  html`${panel(statementWords[desk.language].report, reportTiles(desk, report))}
${warningsOf(desk, report)}
${badRowsOf(desk, report, html``)}`

function transfersOf(desk: DeskContext, { statement, transfers, next, isFirst }: StatementView): Markup {
  const words = statementWords[desk.language]
  const bank = bankWords[desk.language]
  const page = deskPath('/statements/:id', statement.id)
  if (transfers.length === 0 && isFirst) return empty(words.noTransfers, words.noTransfersText)
  return panel(
    words.transfers,
    html`${table(
      words.transfers,
      [
        { head: words.amount, is: 'number' },
        words.state,
        words.told,
        words.booked,
        words.payer,
        { head: bank.line, is: 'number' },
      ],
      transfers.map((transfer) => [
        html`<a href="${deskPath('/transfers/:id', transfer.id)}">${moneyOf(desk, transfer.direction === 'debit' ? -transfer.cents : transfer.cents, transfer.currency)}</a>`,
        transferBadge(desk, transfer.state),
        words.outcomes[transfer.outcome],
        dayOf(desk, transfer.bookedOn),
        html`<bdi>${transfer.payerName.slice(0, 60) || '–'}</bdi>`,
        transfer.line,
      ]),
    )}
<p class="row">${!isFirst && html`<a class="button" href="${page}">${words.firstRows}</a>`}${next && html`<a class="button" href="${page}?after=${next}">${words.next}</a>`}</p>`,
  )
}

function undoForm(
  desk: DeskContext,
  { statement, sums, needsSecond, proposals }: StatementView,
): Markup | null {
  const words = statementWords[desk.language]
  if (!may(desk, workers) || proposals.length > 0) return null
  const rows = sums.reduce((all, sum) => all + sum.transfers, 0)
  const money = sums
    .filter(({ cents }) => cents > 0n)
    .map(({ cents, currency }) => moneyOf(desk, cents, currency))
    .join(', ')
  return panel(
    words.undo,
    html`<p>${words.undoText}</p>
<p>${rows === 0 ? words.undoNothing : html`<strong>${words.undoSum(numberText(desk, rows), money)}</strong>`}</p>
${freshFactorNotice(desk)}
${form(desk.visitor, {
  action: deskPath('/statements/:id/undo', statement.id),
  body: html`${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
<p class="quiet">${needsSecond ? words.undoSecond : words.undoAlone}</p>
${button(words.undo, 'danger')}`,
})}`,
  )
}
