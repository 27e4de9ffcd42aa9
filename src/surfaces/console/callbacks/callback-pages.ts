/** Pages about callbacks: the address, the signing secrets, and every attempt with the bytes that were sent. */

import type { AttemptRow, CallbackState } from '../../../domain/callbacks/callback.ts'
import { isOperatorPause } from '../../../domain/callbacks/delivery/lane.ts'
import { pager, shortId, timeOf } from '../../staff/frame.ts'
import { listWords } from '../../staff/list-words.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import {
  act,
  badge,
  button,
  callout,
  code,
  empty,
  field,
  form,
  pairs,
  panel,
  previewed,
  table,
} from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, orReason, wordIn, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { CallbackRow, LaneRow } from '../rows.ts'

type CallbacksView = {
  state: CallbackState | null
  lines: readonly CallbackRow[]
  older: bigint | null
  isFirst: boolean
  lanes: readonly LaneRow[]
  /** The endpoint's answer to the test callback that was just sent. */
  tested: { status: number; ms: number } | { error: string } | null
  /** Today in the viewer's time zone. */
  today: string
}

export function callbacksPage(context: ConsoleContext, view: CallbacksView) {
  const { callbacks: words, sections } = wordsOf(context)
  return merchantPage(context, {
    title: sections.callbacks,
    section: 'callbacks',
    isLive: true,
    body: html`${panel(words.address, address(context, view))}
${panel(words.lanes, lanes(context, view.lanes))}
<h2>${words.log}</h2>
${log(context, view)}`,
  })
}

function address(context: ConsoleContext, { tested }: CallbacksView): Markup {
  const { callbacks: words } = wordsOf(context)
  const { id, callbackUrl } = context.merchant
  return html`${callbackUrl ? code(callbackUrl) : callout('warn', words.addressNone)}
${tested && html`<div role="status">${'status' in tested ? callout(tested.status < 300 && tested.status >= 200 ? 'ok' : 'bad', words.testAnswered(tested.status, tested.ms)) : callout('bad', words.testFailed(errorText(context, tested.error)))}</div>`}
${orReason(
  context,
  'developer',
  () => html`<p class="quiet">${words.testText}</p>
<div class="row"><a class="button" href="${consolePath('/settings/callback', id)}">${words.change}</a>
<a class="button" href="${consolePath('/keys', id)}">${words.secret}</a>
${act(context.visitor, { action: consolePath('/callbacks/test', id), text: words.test, isOff: !callbackUrl })}</div>`,
)}`
}

function lanes(context: ConsoleContext, found: readonly LaneRow[]): Markup {
  const { callbacks: words } = wordsOf(context)
  return html`<p class="quiet">${words.pauseText}</p>
${table(
  words.lanes,
  [{ head: words.origin, is: 'long' }, wordsOf(context).deposits.state, wordsOf(context).act],
  found.map((lane) => [
    lane.origin ?? words.ownLane,
    html`${badge(words.laneStates[lane.state] ?? lane.state, lane.state === 'active' ? (lane.failingSince ? 'warn' : 'ok') : 'warn')}
${lane.reason && html` <bdi>${laneReason(context, lane.reason)}</bdi>`}
${lane.failingSince && html` ${words.failingSince} ${timeOf(context, lane.failingSince)}`}`,
    laneAct(context, lane),
  ]),
)}`
}

/** Why the lane is paused: the reason of an automatic rule, or the person who paused it and their reason. */
function laneReason(context: ConsoleContext, reason: string): string {
  const { laneReasons, pausedBy } = wordsOf(context).callbacks
  const [, who] = /^by (\S+)$/.exec(reason) ?? []
  return wordIn(laneReasons, reason) ?? (who === undefined ? reason : pausedBy(who))
}

const laneAct = (context: ConsoleContext, { id, state, reason }: LaneRow): Value =>
  orReason(context, 'developer', () => {
    const { callbacks: words } = wordsOf(context)
    if (isOperatorPause(reason)) return words.operatorPaused
    const isPaused = state === 'paused'
    return act(context.visitor, {
      action: consolePath(`/callbacks/${isPaused ? 'resume' : 'pause'}`, context.merchant.id),
      text: isPaused ? words.resume : words.pause,
      hidden: { lane: String(id) },
    })
  })

function log(context: ConsoleContext, view: CallbacksView): Markup {
  const words = wordsOf(context)
  const { callbacks: said } = words
  const { state, lines } = view
  const here = consolePath('/callbacks', context.merchant.id)
  const query = state ? `&state=${state}` : ''
  const tab = (of: typeof state) =>
    html`<a href="${of ? `${here}?state=${of}` : here}" aria-current="${state === of ? 'page' : 'false'}">${of ? said.states[of] : words.all}</a>`
  return html`<nav class="tabs" aria-label="${words.deposits.state}">${tab(null)}${(['pending', 'failed'] as const).map(tab)}</nav>
${
  lines.length > 0
    ? logTable(context, lines)
    : state || !view.isFirst
      ? html`<p class="quiet">${said.nothing}</p>`
      : empty(said.emptyTitle, said.emptyText)
}
${pager(context, {
  newest: view.isFirst ? null : `${here}${state ? `?state=${state}` : ''}`,
  older: view.older === null ? null : `${here}?before=${view.older}${query}`,
})}
${orReason(context, 'developer', () => replayFailed(context, view.today))}`
}

const logTable = (context: ConsoleContext, lines: readonly CallbackRow[]): Markup => {
  const { callbacks: words } = wordsOf(context)
  return previewed(
    html`<div class="compact">${table(
      words.log,
      [
        { head: words.number, is: 'number' },
        words.event,
        words.madeAt,
        wordsOf(context).deposits.state,
        { head: words.attempts, is: 'number extra' },
        { head: words.lastAnswer, is: 'number' },
        words.next,
        { head: words.deposit, is: 'extra' },
      ],
      lines.map((line) => [
        html`<a href="${consolePath('/callbacks/:number', context.merchant.id, line.sequence)}">${line.sequence}</a>`,
        line.type,
        timeOf(context, line.madeAt),
        callbackBadge(context, line),
        line.hasMoreAttempts ? `${line.attempts}+` : line.attempts,
        line.lastStatus,
        nextOf(context, line),
        html`<a href="${consolePath('/deposits/:id', context.merchant.id, line.depositId)}">${shortId(line.depositId)}</a>`,
      ]),
    )}</div>`,
    listWords[context.language],
  )
}

/** Without an address nothing is sent, so the time of the next attempt would be misleading. */
const nextOf = (context: ConsoleContext, { dueAt, url }: CallbackRow): Value =>
  dueAt && url === null ? wordsOf(context).callbacks.waitsForAddress : timeOf(context, dueAt)

const replayFailed = (context: ConsoleContext, today: string): Markup => {
  const { callbacks: words } = wordsOf(context)
  return panel(
    words.replayFailed,
    form(context.visitor, {
      action: consolePath('/callbacks/replay', context.merchant.id),
      className: 'stack reading',
      body: html`<p class="quiet">${words.replayText}</p>
${field({ name: 'since', label: words.since, hint: words.sinceHint, type: 'date', value: today, isRequired: true })}
${button(words.replayFailed)}`,
    }),
  )
}

const tones = { delivered: 'ok', pending: 'info', failed: 'bad' } as const

export const callbackBadge = (context: ConsoleContext, { state }: Pick<CallbackRow, 'state'>): Markup =>
  badge(wordsOf(context).callbacks.states[state], tones[state])

/** An attempt with the headers that were sent. */
type SentAttempt = AttemptRow & { headers: Record<string, string> }

export function callbackPage(
  context: ConsoleContext,
  {
    callback,
    attempts,
    hasOlder,
  }: { callback: CallbackRow & { body: string }; attempts: readonly SentAttempt[]; hasOlder: boolean },
) {
  const { callbacks: words } = wordsOf(context)
  return merchantPage(context, {
    title: words.title(String(callback.sequence)),
    section: 'callbacks',
    actions: callbackBadge(context, callback),
    body: html`${panel(
      wordsOf(context).deposit.facts,
      html`${pairs([
        ['ID', html`<span class="mono">${callback.id}</span>`],
        [words.event, callback.type],
        [
          words.deposit,
          html`<a class="mono" href="${consolePath('/deposits/:id', context.merchant.id, callback.depositId)}">${callback.depositId}</a>`,
        ],
        [words.to, callback.url ? html`<span class="anywhere">${callback.url}</span>` : words.addressNone],
        [words.madeAt, timeOf(context, callback.madeAt)],
        ...(callback.dueAt ? [[words.next, nextOf(context, callback)] as const] : []),
        ...(callback.ackedAt ? [[words.delivered, timeOf(context, callback.ackedAt)] as const] : []),
      ])}
${orReason(
  context,
  'developer',
  () => html`<p class="quiet">${words.replayText}</p>
${act(context.visitor, { action: consolePath('/callbacks/:number/replay', context.merchant.id, callback.sequence), text: words.replay })}`,
)}`,
    )}
${panel(words.body, code(callback.body))}
${attempts.length === 0 && html`<p class="quiet">${words.noAttempts}</p>`}
${hasOlder && html`<p class="quiet">${words.lastAttempts(attempts.length)}</p>`}
${attempts.map((attempt, place) => panel(hasOlder ? words.oneAttempt : words.attempt(place + 1), attemptOf(context, attempt)))}`,
  })
}

/** A merchant must not learn which names exist in the operator's network, so an address in it is shown like an unknown name. */
export const shownError = (error: string): string => (error === 'blocked_address' ? 'dns' : error)

/** Why there was no answer. */
export function errorText(context: ConsoleContext, error: string | null): string {
  const { errors, noAnswer } = wordsOf(context).callbacks
  return error === null ? noAnswer : (wordIn(errors, shownError(error)) ?? error)
}

function attemptOf(context: ConsoleContext, attempt: SentAttempt): Markup {
  const { callbacks: words } = wordsOf(context)
  const headers = Object.entries(attempt.headers).map(([name, value]) => `${name}: ${value}`)
  // Nor may a merchant learn which address the name has in it.
  const address = attempt.error === 'blocked_address' ? null : attempt.address
  return html`<p>${badge(words.outcomes[attempt.outcome] ?? attempt.outcome, attempt.outcome === 'ok' ? 'ok' : 'bad')}
${timeOf(context, attempt.at)} · ${words.took(attempt.ms)}${address && html` · ${words.connectedTo} ${address}`}</p>
${headers.length > 0 && html`<h3>${words.headers}</h3>${code(headers.join('\n'))}`}
<h3>${words.answer}: ${attempt.status ?? errorText(context, attempt.error)}</h3>
${attempt.answer ? code(attempt.answer) : html`<p class="quiet">${words.emptyAnswer}</p>`}`
}
