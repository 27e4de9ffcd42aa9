/** What the pages of queue items share: who holds the item, and the buttons that act on it. */

import type { Holder } from '../../../domain/people/person.ts'
import { flag, html, type Markup, type Value } from '../../web/html.ts'
import { act, badge, callout } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, freshFactorNotice, may, workers } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { reasonField } from './preset-pieces.ts'
import type { PresetAct } from './presets.ts'
import { withQueue } from './queue.ts'
import { queueWords } from './words.ts'

/** How much of an item is decided: it waits for a decision, only a change of the decision is possible, or nothing is. */
export type Decided = 'no' | 'changeable' | 'yes'

/** Who works on the item, and the button to take or release it. */
export function holderBar(
  desk: DeskContext,
  {
    type,
    id,
    holder,
    decided,
  }: { type: 'deposit' | 'transfer'; id: string; holder: Holder | null; decided: Decided },
): Markup {
  const words = caseWords[desk.language]
  const { csrf } = desk.visitor.session
  const isMine = holder?.personId === desk.visitor.person.id
  return html`<div class="row item-acts">
${holder && (isMine ? badge(words.yours, 'info') : badge(words.takenByShort(holder.name), 'warn'))}
${may(desk, workers) && isMine && act(desk.visitor, { action: withQueue(deskPath(`/${type}s/:id/release`, id), desk.queue), text: words.letGo })}
${
  may(desk, workers) &&
  !holder &&
  decided !== 'yes' &&
  html`<form method="post" action="${withQueue(deskPath(`/${type}s/:id/take`, id), desk.queue)}" class="act"><input type="hidden" name="csrf" value="${csrf}"><button type="submit" class="button ${decided === 'no' && 'primary'}" data-key="t">${words.take} <kbd>T</kbd></button></form>`
}
<a class="button" href="${nextAt(desk, `${type}:${id}`)}" data-key="n">${words.next} <kbd>N</kbd></a>
${desk.queue !== '' && html`<a class="button" href="${`${deskPath('/')}?${desk.queue}`}">${queueWords[desk.language].backToQueue}</a>`}
</div>`
}

/** The next item of the same filter. */
const nextAt = (desk: DeskContext, item: string): string => {
  const query = new URLSearchParams(desk.queue)
  query.set('after', item)
  return `${deskPath('/next')}?${query}`
}

export type ActButton = {
  text: string
  /** What will happen, in a sentence. */
  effect: string
  action: string
  key: string
  /** The act whose preset reasons are offered. */
  presets?: PresetAct
  kind?: 'primary' | 'danger'
  /** Why it is impossible now. */
  obstacle?: string | undefined
}

/** The act that is offered first, with its own fields and reason. */
type FirstAct = { button: ActButton; body: Value; otherwise: string }

type Decision = {
  holder: Holder | null
  first?: FirstAct | undefined
  body?: Value
  hint?: string
  decided: Decided
  /** What is decided and what can still be done, shown before the item is assigned. */
  decidedText: string
  buttons: ActButton[]
}

/** One reason and several acts: each button says what it does, or why it is disabled. */
export function decideForm(
  desk: DeskContext,
  { holder, first, body, buttons, hint, decided, decidedText }: Decision,
): Markup {
  const words = caseWords[desk.language]
  if (decided === 'yes') return html`<p>${decidedText}</p>`
  if (!may(desk, workers)) return html`<p class="quiet">${words.notYours}</p>`
  if (holder && holder.personId !== desk.visitor.person.id) return callout('info', words.takenBy(holder.name))
  if (!holder)
    return decided === 'changeable'
      ? html`<p>${decidedText}</p>`
      : html`${freshFactorNotice(desk)}${callout('info', words.takeFirst)}`
  const all = first ? [first.button, ...buttons] : buttons
  const possible = all.filter((button) => button.obstacle === undefined)
  const acts = [...new Set(possible.flatMap(({ presets }) => presets ?? []))]
  const reason = reasonField(desk, acts, hint)
  const list = (some: readonly ActButton[], className = '') =>
    html`<dl class="acts ${className}">${some.map((button) => actOf(desk, button))}</dl>`
  return html`${freshFactorNotice(desk)}<form method="post" action="${withQueue(all[0]!.action, desk.queue)}" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
${first && html`${first.body}${reason}${list([first.button], 'wide')}<h3>${first.otherwise}</h3>`}
${body}
${!first && reason}
${list(buttons)}
</form>`
}

const actOf = (desk: DeskContext, act: ActButton): Markup =>
  html`<div><dt><button type="submit" class="button ${act.kind ?? ''}" formaction="${withQueue(act.action, desk.queue)}" data-key="${act.key}" ${flag('disabled', act.obstacle !== undefined)}>${act.text} <kbd>${act.key.toUpperCase()}</kbd></button></dt>
<dd class="quiet">${act.obstacle ?? act.effect}</dd></div>`
