/** The history of a deposit, oldest first, with the evidence of each step. */

import type { Deposit, HistoryEntry } from '../../domain/deposits/deposit.ts'
import type { SentRequest } from '../../domain/deposits/sent-request.ts'
import { both, inLanguage } from '../../sections/section.ts'
import { depositActionWords } from '../../sections/states.ts'
import { apiPath } from '../api/paths.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { code, pairs } from '../web/pieces.ts'
import { actorName, exactTimeOf, type StaffContext } from './frame.ts'
import { translate } from './sentences/translate.ts'
import { sharedWords } from './shared-words.ts'
import { depositTone } from './state-badges.ts'
import { stateWords } from './state-words.ts'

export function depositTimeline(
  context: StaffContext,
  { deposit, history }: { deposit: Deposit; history: readonly HistoryEntry[] },
  belowRequest: Value = null,
): Markup {
  const { timeline: words } = sharedWords[context.language]
  const { depositStates: states } = stateWords[context.language]
  return html`<ol class="timeline">${history.map(
    ({
      at,
      action,
      from_state: from,
      to_state: to,
      actor,
      reason,
      evidence,
    }) => html`<li class="${from === to ? '' : depositTone(to)}">
<strong>${inLanguage(depositActionWords[action] ?? both(action), context.language)}</strong>
${from && from !== to && html` · ${states[from]} → ${states[to]}`}
<p class="quiet">${exactTimeOf(context, at)} · ${words.by} ${actorName(context, actor)}</p>
${reason && html`<p><bdi>${translate(reason, context.language)}</bdi></p>`}
${from === null ? html`${requestOf(context, deposit, evidence)}${belowRequest}` : evidenceOf(words.evidence, evidence)}
</li>`,
  )}</ol>`
}

/** The request that created the deposit, in words. */
function requestOf({ language }: StaffContext, { flow }: Deposit, kept: unknown): Markup {
  const { timeline: words } = sharedWords[language]
  const { request, key, scheme } = kept as SentRequest
  return pairs([
    [words.endpoint, html`<code class="anywhere">POST ${apiPath(`/requests/deposit/${flow}`)}</code>`],
    [words.request, html`<bdi class="mono anywhere">${request}</bdi>`],
    [words.key, html`<bdi class="mono anywhere">${key}</bdi>`],
    [words.scheme, words.schemes[scheme]],
  ])
}

/** The stored evidence of a decision; null where there is none. */
const evidenceOf = (title: string, evidence: unknown): Markup | null =>
  typeof evidence === 'object' && evidence !== null && Object.keys(evidence).length > 0
    ? html`<details><summary>${title}</summary>${code(JSON.stringify(evidence, null, 1))}</details>`
    : null
