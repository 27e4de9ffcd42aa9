/** Callbacks: where they go, what signs them, how each of them went, byte for byte. */

import { type AttemptRow, type CallbackState, callbackStates } from '../../../domain/callbacks/callback.ts'
import { isOperatorPause } from '../../../domain/callbacks/delivery/lane.ts'
import { pager, shortId, timeOf } from '../../staff/frame.ts'
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
  select,
  table,
} from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, orReason, wordIn, wordsOf } from '../frame.ts'
import { type KeyLine, keyTable } from '../keys/key-pages.ts'
import { consolePath } from '../paths.ts'

export type CallbackLine = {
  id: string
  madeOn: string
  sequence: bigint
  depositId: string
  type: string
  url: string | null
  state: CallbackState
  attempts: number
  lastStatus: number | null
  madeAt: Date
  ackedAt: Date | null
  dueAt: Date | null
  laneState: string
  laneReason: string | null
}

export type AttemptLine = AttemptRow & { callbackId: string }

export type LaneLine = {
  id: bigint
  /** Null: the merchant's own address. */
  origin: string | null
  state: string
  reason: string | null
  failingSince: Date | null
}

type CallbacksView = {
  state: CallbackState | null
  lines: readonly CallbackLine[]
  older: bigint | null
  isFirst: boolean
  lanes: readonly LaneLine[]
  keys: readonly KeyLine[]
  /** Asked for, and not decided yet. */
  asked: { address: string; who: string; isMine: boolean } | null
  /** What the address answered to the test that was just sent. */
  tested: { status: number; ms: number } | { error: string } | null
  /** Today in the viewer's zone. */
  today: string
}

export function callbacksPage(of: ConsoleContext, view: CallbacksView) {
  const { callbacks: words, sections } = wordsOf(of)
  return merchantPage(of, {
    title: sections.callbacks,
    section: 'callbacks',
    isLive: true,
    body: html`${panel(words.address, address(of, view))}
${panel(words.secret, secrets(of, view.keys))}
${panel(words.lanes, lanes(of, view.lanes))}
<h2>${words.log}</h2>
${log(of, view)}`,
  })
}

function address(of: ConsoleContext, { asked, tested }: CallbacksView): Markup {
  const { callbacks: words } = wordsOf(of)
  const { id, callbackUrl } = of.merchant
  return html`${callbackUrl ? code(callbackUrl) : callout('warn', words.addressNone)}
${asked && callout('info', words.asked(asked.address, asked.who))}
${asked?.isMine && act(of.visitor, { action: consolePath('/callbacks/withdraw', id), text: words.withdraw })}
${tested && html`<div role="status">${'status' in tested ? callout(tested.status < 300 && tested.status >= 200 ? 'ok' : 'bad', words.testAnswered(tested.status, tested.ms)) : callout('bad', words.testFailed(errorText(of, tested.error)))}</div>`}
${orReason(
  of,
  'developer',
  () => html`<p class="quiet">${words.testText}</p>
<div class="row">${asked ? html`<span class="quiet">${words.waiting}</span>` : html`<a class="button" href="${consolePath('/callbacks/address', id)}">${words.change}</a>`}
${act(of.visitor, { action: consolePath('/callbacks/test', id), text: words.test, isOff: !callbackUrl })}</div>`,
)}`
}

const secrets = (of: ConsoleContext, keys: readonly KeyLine[]): Markup => {
  const { callbacks: words } = wordsOf(of)
  return html`<p class="quiet">${words.secretText}</p>
${keyTable(of, words.secret, keys, 'callback')}
${orReason(of, 'developer', () => html`<p><a class="button" href="${consolePath('/callbacks/secret', of.merchant.id)}">${words.rotate}</a></p>`)}`
}

function lanes(of: ConsoleContext, found: readonly LaneLine[]): Markup {
  const { callbacks: words } = wordsOf(of)
  return html`<p class="quiet">${words.pauseText}</p>
${table(
  words.lanes,
  [{ head: words.origin, is: 'long' }, wordsOf(of).deposits.state, wordsOf(of).act],
  found.map((lane) => [
    lane.origin ?? words.ownLane,
    html`${badge(words.laneStates[lane.state] ?? lane.state, lane.state === 'active' ? (lane.failingSince ? 'warn' : 'ok') : 'warn')}
${lane.reason && html` <bdi>${laneReason(of, lane.reason)}</bdi>`}
${lane.failingSince && html` ${words.failingSince} ${timeOf(of, lane.failingSince)}`}`,
    laneAct(of, lane),
  ]),
)}`
}

/** A rule's own reason, or who paused it and why. */
function laneReason(of: ConsoleContext, reason: string): string {
  const { laneReasons, pausedBy } = wordsOf(of).callbacks
  const [, who] = /^by (\S+)$/.exec(reason) ?? []
  return wordIn(laneReasons, reason) ?? (who === undefined ? reason : pausedBy(who))
}

const laneAct = (of: ConsoleContext, { id, state, reason }: LaneLine): Value =>
  orReason(of, 'developer', () => {
    const { callbacks: words } = wordsOf(of)
    if (isOperatorPause(reason)) return words.operatorPaused
    const isPaused = state === 'paused'
    return act(of.visitor, {
      action: consolePath(`/callbacks/${isPaused ? 'resume' : 'pause'}`, of.merchant.id),
      text: isPaused ? words.resume : words.pause,
      hidden: { lane: String(id) },
    })
  })

function log(of: ConsoleContext, view: CallbacksView): Markup {
  const words = wordsOf(of)
  const { callbacks: said } = words
  const { state, lines } = view
  const here = consolePath('/callbacks', of.merchant.id)
  const query = state ? `&state=${state}` : ''
  return html`<form method="get" action="${here}" class="filters">
${select({
  name: 'state',
  label: words.deposits.state,
  value: state ?? '',
  choices: [
    { value: '', text: words.all },
    ...callbackStates
      .filter((one) => one !== 'delivered')
      .map((one) => ({ value: one, text: said.states[one] })),
  ],
})}
<div class="row"><button type="submit" class="button">${said.stateFilter}</button></div>
</form>
${
  lines.length > 0
    ? logTable(of, lines)
    : state || !view.isFirst
      ? html`<p class="quiet">${said.nothing}</p>`
      : empty(said.emptyTitle, said.emptyText)
}
${pager(of, {
  newest: view.isFirst ? null : `${here}${state ? `?state=${state}` : ''}`,
  older: view.older === null ? null : `${here}?before=${view.older}${query}`,
})}
${orReason(of, 'developer', () => replayFailed(of, view.today))}`
}

const logTable = (of: ConsoleContext, lines: readonly CallbackLine[]): Markup => {
  const { callbacks: words } = wordsOf(of)
  return table(
    words.log,
    [
      { head: words.number, is: 'number' },
      words.event,
      words.madeAt,
      wordsOf(of).deposits.state,
      { head: words.attempts, is: 'number' },
      { head: words.lastAnswer, is: 'number' },
      words.next,
      words.deposit,
    ],
    lines.map((line) => [
      html`<a href="${consolePath('/callbacks/:number', of.merchant.id, line.sequence)}">${line.sequence}</a>`,
      line.type,
      timeOf(of, line.madeAt),
      callbackBadge(of, line),
      line.attempts,
      line.lastStatus,
      nextOf(of, line),
      html`<a href="${consolePath('/deposits/:id', of.merchant.id, line.depositId)}">${shortId(line.depositId)}</a>`,
    ]),
  )
}

/** Without an address there is no next attempt: since when it is due tells nothing. */
const nextOf = (of: ConsoleContext, { dueAt, url }: CallbackLine): Value =>
  dueAt && url === null ? wordsOf(of).callbacks.waitsForAddress : timeOf(of, dueAt)

const replayFailed = (of: ConsoleContext, today: string): Markup => {
  const { callbacks: words } = wordsOf(of)
  return panel(
    words.replayFailed,
    form(of.visitor, {
      action: consolePath('/callbacks/replay', of.merchant.id),
      className: 'stack reading',
      body: html`<p class="quiet">${words.replayText}</p>
${field({ name: 'since', label: words.since, hint: words.sinceHint, type: 'date', value: today, isRequired: true })}
${button(words.replayFailed)}`,
    }),
  )
}

const tones = { delivered: 'ok', pending: 'info', failed: 'bad' } as const

export const callbackBadge = (of: ConsoleContext, { state }: Pick<CallbackLine, 'state'>): Markup =>
  badge(wordsOf(of).callbacks.states[state], tones[state])

/** An attempt with the headers that it carried. */
type SentAttempt = AttemptLine & { headers: Record<string, string> }

export function callbackPage(
  of: ConsoleContext,
  { callback, attempts }: { callback: CallbackLine & { body: string }; attempts: readonly SentAttempt[] },
) {
  const { callbacks: words } = wordsOf(of)
  return merchantPage(of, {
    title: words.title(String(callback.sequence)),
    section: 'callbacks',
    actions: callbackBadge(of, callback),
    body: html`${panel(
      wordsOf(of).deposit.facts,
      html`${pairs([
        ['id', html`<span class="mono">${callback.id}</span>`],
        [words.event, callback.type],
        [
          words.deposit,
          html`<a class="mono" href="${consolePath('/deposits/:id', of.merchant.id, callback.depositId)}">${callback.depositId}</a>`,
        ],
        [words.to, callback.url ? html`<span class="anywhere">${callback.url}</span>` : words.addressNone],
        [words.madeAt, timeOf(of, callback.madeAt)],
        ...(callback.dueAt ? [[words.next, nextOf(of, callback)] as const] : []),
        ...(callback.ackedAt ? [[words.delivered, timeOf(of, callback.ackedAt)] as const] : []),
      ])}
${orReason(
  of,
  'developer',
  () => html`<p class="quiet">${words.replayText}</p>
${act(of.visitor, { action: consolePath('/callbacks/:number/replay', of.merchant.id, callback.sequence), text: words.replay })}`,
)}`,
    )}
${panel(words.body, code(callback.body))}
${attempts.length === 0 && html`<p class="quiet">${words.noAttempts}</p>`}
${attempts.map((attempt, place) => panel(words.attempt(place + 1), attemptOf(of, attempt)))}`,
  })
}

/** Why there was no answer. */
export function errorText(of: ConsoleContext, error: string | null): string {
  const { errors, noAnswer } = wordsOf(of).callbacks
  return error === null ? noAnswer : (wordIn(errors, error) ?? error)
}

function attemptOf(of: ConsoleContext, attempt: SentAttempt): Markup {
  const { callbacks: words } = wordsOf(of)
  const headers = Object.entries(attempt.headers).map(([name, value]) => `${name}: ${value}`)
  return html`<p>${badge(words.outcomes[attempt.outcome] ?? attempt.outcome, attempt.outcome === 'ok' ? 'ok' : 'bad')}
${timeOf(of, attempt.at)} · ${words.took(attempt.ms)}${attempt.address && html` · ${words.connectedTo} ${attempt.address}`}</p>
<h3>${words.headers}</h3>
${code(headers.join('\n'))}
<h3>${words.answer}: ${attempt.status ?? errorText(of, attempt.error)}</h3>
${attempt.answer ? code(attempt.answer) : html`<p class="quiet">${words.emptyAnswer}</p>`}`
}

/** Says what will happen, and asks for the new address. */
export function addressPage(
  of: ConsoleContext,
  { value, problem }: { value: string; problem: string | undefined },
) {
  const words = wordsOf(of)
  const { callbacks: said } = words
  const isTest = of.merchant.mode === 'test'
  return merchantPage(of, {
    title: said.change,
    section: 'callbacks',
    body: html`<div class="reading stack"><p>${isTest ? said.addressTest : said.addressLive}</p><p>${said.changeText}</p>
${form(of.visitor, {
  action: consolePath('/callbacks/address', of.merchant.id),
  body: html`${field({ name: 'address', label: said.addressField, hint: said.addressHint, type: 'url', value, error: problem, maxLength: 2000, isRequired: true })}
<div class="row">${button(isTest ? words.save : said.ask, 'primary')} <a class="button" href="${consolePath('/callbacks', of.merchant.id)}">${words.cancel}</a></div>`,
})}</div>`,
  })
}
