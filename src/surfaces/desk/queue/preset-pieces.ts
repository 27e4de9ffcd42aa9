/** Preset reasons beside the field for one's own: a list of choices, and with a script one key each. */
import { flag, html, type Markup } from '../../web/html.ts'
import { field } from '../../web/pieces.ts'
import type { DeskContext } from '../frame.ts'
import { type PresetAct, presetsOf } from './presets.ts'
import { queueWords } from './words.ts'

/** A typed reason counts; if there is none, the chosen preset does. */
export function reasonField(desk: DeskContext, acts: readonly PresetAct[], hint?: string): Markup {
  const words = queueWords[desk.language]
  const presets = presetsOf(acts, desk.language)
  const shown = acts.filter((act) => presets.some((preset) => preset.act === act))
  return html`<fieldset class="presets"><legend>${words.presets}</legend>
${shown.map(
  (act) => html`<div><p class="quiet">${words.actNames[act]}</p>
${presets
  .filter((preset) => preset.act === act)
  .map(
    (preset) =>
      html`<label class="check" data-key="${preset.key}"><input type="radio" name="preset" value="${preset.name}" data-fills="reason" ${flag('checked', preset.name === desk.typed('preset'))}><span><kbd>${preset.key}</kbd> <span>${preset.text}</span></span></label>`,
  )}</div>`,
)}
</fieldset>
${field({ name: 'reason', label: words.reason, hint: html`${words.ownReason}. ${hint ?? words.reasonHint}`, value: desk.typed('reason'), maxLength: 500 })}`
}
