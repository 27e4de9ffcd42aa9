/** What the pages of items share: who holds the item, and the buttons that act on it. */
import { flag, html, type Markup, type Value } from '../../web/html.ts'
import { act, badge, callout, field } from '../../web/pieces.ts'
import { type Desk, may, workers } from '../frame.ts'
import { deskWords } from '../words.ts'
import type { Holder } from './queue.ts'
import { caseWords } from './words.ts'

/** Who works on it, and the button to take it or to let it go. */
export function holderBar(
  desk: Desk,
  { page, item, holder }: { page: string; item: string; holder: Holder | null },
): Markup {
  const words = caseWords[desk.language]
  const { csrf } = desk.visitor.session
  const isMine = holder?.personId === desk.visitor.person.id
  return html`<div class="row">
${holder && (isMine ? badge(words.yours, 'info') : badge(words.takenByShort(holder.name), 'warn'))}
${may(desk, workers) && isMine && act({ action: `${page}/release`, csrf, text: words.letGo })}
${
  may(desk, workers) &&
  !holder &&
  html`<form method="post" action="${`${page}/take`}" class="act"><input type="hidden" name="csrf" value="${csrf}"><button type="submit" class="button primary" data-key="t">${words.take} <kbd>T</kbd></button></form>`
}
<a class="button" href="/operator/next?after=${item}" data-key="n">${words.next} <kbd>N</kbd></a>
</div>`
}

export type ActButton = {
  text: string
  /** What will happen. */
  effect: string
  action: string
  key: string
  kind?: 'primary' | 'danger'
  /** Why it is impossible now. */
  obstacle?: string | undefined
}

/** One reason, several acts: each button says what it does, and why it cannot where it cannot. */
export function decideForm(
  desk: Desk,
  {
    holder,
    body,
    buttons,
    hint,
  }: { holder: Holder | null; body?: Value; hint?: string; buttons: ActButton[] },
): Markup {
  const words = caseWords[desk.language]
  const shared = deskWords[desk.language]
  if (!may(desk, workers)) return html`<p class="quiet">${shared.notYours}</p>`
  if (holder?.personId !== desk.visitor.person.id)
    return callout('info', holder ? words.takenBy(holder.name) : words.takeFirst)
  const [first] = buttons
  return html`<form method="post" action="${first!.action}" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
${body}
${field({ name: 'reason', label: shared.reason, hint: hint ?? shared.reasonHint, isRequired: true, maxLength: 500 })}
<dl class="acts">${buttons.map(
    (
      one,
    ) => html`<div><dt><button type="submit" class="button ${one.kind ?? ''}" formaction="${one.action}" data-key="${one.key}" ${flag('disabled', one.obstacle !== undefined)}>${one.text} <kbd>${one.key.toUpperCase()}</kbd></button></dt>
<dd class="quiet">${one.obstacle ?? one.effect}</dd></div>`,
  )}</dl>
</form>`
}
