/** The usual reasons beside the field for one's own: a choice without a script, one key each with it. */
import { html, type Markup } from '../../web/html.ts'
import { field } from '../../web/pieces.ts'
import type { DeskContext } from '../frame.ts'
import { type PresetAct, presetsOf } from './presets.ts'
import { queueWords } from './words.ts'

/** What is written counts; where nothing is, what was chosen. */
export function reasonField(desk: DeskContext, acts: readonly PresetAct[], hint?: string): Markup {
  const words = queueWords[desk.language]
  const presets = presetsOf(acts, desk.language)
  const shown = acts.filter((act) => presets.some((one) => one.act === act))
  return html`<fieldset class="presets"><legend>${words.presets}</legend>
${shown.map(
  (act) => html`<div><p class="quiet">${words.actNames[act]}</p>
${presets
  .filter((one) => one.act === act)
  .map(
    (one) =>
      html`<label class="check" data-key="${one.key}"><input type="radio" name="preset" value="${one.name}" data-fills="reason"><span><kbd>${one.key}</kbd> <span>${one.text}</span></span></label>`,
  )}</div>`,
)}
</fieldset>
${field({ name: 'reason', label: words.reason, hint: html`${words.ownReason}. ${hint ?? words.reasonHint}`, maxLength: 500 })}`
}
