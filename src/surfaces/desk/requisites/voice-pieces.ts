/** Which source of an account counts, and which tells early: the history, the open days, and the form that changes one. */

import { idKinds } from '../../../domain/transfers/channel.ts'
import type { SourceChoice } from '../../../domain/transfers/source.ts'
import { type OpenDays, roles, type StoredVoice } from '../../../domain/transfers/voice.ts'
import { colleagueName, dayOf, timeOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { button, callout, factsTable, field, form, select } from '../../web/pieces.ts'
import { admins, type DeskContext, freshFactorNotice, may } from '../frame.ts'
import { deskPath } from '../paths.ts'
import type { AccountRow } from './rows.ts'
import { sourceText } from './source-pieces.ts'
import { voiceWords } from './voice-words.ts'

export type Voices = {
  voices: readonly StoredVoice[]
  open: OpenDays | undefined
  choices: readonly SourceChoice[]
  /** The day of its bank. */
  today: string
}

export function voicesOfAccount(
  desk: DeskContext,
  account: AccountRow,
  { voices, open, choices, today }: Voices,
): Markup {
  const words = voiceWords[desk.language]
  const missing = roles.filter((role) => !voices.some((voice) => voice.role === role))
  return html`<p class="quiet">${words.voicesText}</p>
${open && callout('warn', html`${words.openSince(sourceText(desk, open))} ${dayOf(desk, open.firstOpenDay)}.`)}
${
  voices.length > 0 &&
  factsTable(
    words.voices,
    [
      words.source,
      { head: words.role, is: 'state' },
      { head: words.from, is: 'named' },
      { head: words.ids, is: 'named' },
      { head: words.changedBy, is: 'named' },
    ],
    voices.map((voice) => [
      html`<bdi>${sourceText(desk, voice.source)}</bdi>`,
      words.roles[voice.role],
      dayOf(desk, voice.fromDay),
      words.idKinds[voice.ids],
      html`${colleagueName(desk, voice.changedBy)}, ${timeOf(desk, voice.changedAt)}`,
    ]),
  )
}
${missing.map((role) => html`<p>${words.roles[role]}: ${words.noVoice}</p>`)}
<h3>${words.day}</h3><p class="quiet">${words.dayText}</p>
<p><a class="button" href="${deskPath('/held-days/:id', `${account.id}:${today}`)}">${words.day}</a></p>
${may(desk, admins) && html`<h3>${words.change}</h3>${changeForm(desk, account, choices)}`}`
}

function changeForm(desk: DeskContext, { id, mode }: AccountRow, choices: readonly SourceChoice[]): Markup {
  const words = voiceWords[desk.language]
  return html`<p>${words.changeText} ${mode === 'live' && words.changeApproval}</p>
${freshFactorNotice(desk)}
${form(desk.visitor, {
  action: deskPath('/requisites/:id/voice', id),
  body: html`<div class="filters">
${select({
  name: 'role',
  label: words.role,
  none: words.choose,
  isRequired: true,
  value: desk.typed('role'),
  choices: roles.map((role) => ({ value: role, text: words.roles[role] })),
})}
${select({
  name: 'source',
  label: words.source,
  none: words.choose,
  isRequired: true,
  value: desk.typed('source'),
  choices: choices.map(({ text, source, isUsed }) => ({
    value: text,
    text: isUsed ? sourceText(desk, source) : words.unused(sourceText(desk, source)),
  })),
})}
${field({ name: 'from', label: words.from, type: 'date', value: desk.typed('from'), isRequired: true })}
${select({
  name: 'ids',
  label: words.ids,
  none: words.usualIds,
  value: desk.typed('ids'),
  choices: idKinds.map((ids) => ({ value: ids, text: words.idKinds[ids] })),
})}
</div>
${field({ name: 'voiceReason', label: words.reason, hint: words.reasonHint, value: desk.typed('voiceReason'), isRequired: true, maxLength: 500 })}
${button(words.save)}`,
})}`
}
