/** The pieces that console pages are put together from. Each is one function; whatever it is given is text. */
import { flag, html, type Markup, type Value } from './html.ts'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain'

/** A state is a word in a colour, never a colour alone. */
export const badge = (text: string, tone: Tone = 'plain'): Markup =>
  html`<span class="badge ${tone === 'plain' ? '' : tone}">${text}</span>`

export const callout = (tone: Exclude<Tone, 'plain'>, body: Value): Markup =>
  html`<div class="callout ${tone}"><p>${body}</p></div>`

type Field = {
  name: string
  /** Where several forms of a page have fields of this name. */
  id?: string
  label: string
  value?: string | undefined
  type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'date' | 'number'
  hint?: Value
  error?: string | undefined
  autocomplete?: string
  inputmode?: 'numeric' | 'decimal' | 'text'
  isRequired?: boolean
  isFocused?: boolean
  maxLength?: number
  placeholder?: string
  className?: string
  /** Texts that the field offers. */
  offers?: readonly string[] | undefined
}

export function field(options: Field): Markup {
  const { label, type = 'text', hint, error, offers = [] } = options
  const id = idOf(options)
  const described = describedBy(options)
  return html`<div class="field ${options.className ?? ''}">
<label for="${id}">${label}</label>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${error && html`<p class="error" id="${id}-error">${error}</p>`}
${input(options, type, described)}
${offers.length > 0 && html`<datalist id="${id}-offers">${offers.map((text) => html`<option value="${text}"></option>`)}</datalist>`}
</div>`
}

/** A field of several lines. */
export const area = (
  options: Pick<Field, 'id' | 'name' | 'label' | 'hint' | 'error' | 'value' | 'maxLength'>,
): Markup =>
  html`<div class="field">
<label for="${idOf(options)}">${options.label}</label>
${options.hint && html`<p class="hint" id="${idOf(options)}-hint">${options.hint}</p>`}
${options.error && html`<p class="error" id="${idOf(options)}-error">${options.error}</p>`}
<textarea id="${idOf(options)}" name="${options.name}" rows="3" maxlength="${options.maxLength ?? 500}" autocomplete="off" spellcheck="false" aria-describedby="${describedBy(options)}" aria-invalid="${options.error ? 'true' : 'false'}">${options.value ?? ''}</textarea>
</div>`

const idOf = ({ id, name }: Pick<Field, 'id' | 'name'>): string => id ?? name

/** What is said beside a field is said with it. */
const describedBy = ({ hint, error, ...named }: Pick<Field, 'id' | 'name' | 'hint' | 'error'>): string =>
  [hint && `${idOf(named)}-hint`, error && `${idOf(named)}-error`].filter(Boolean).join(' ')

/** Dates and numbers have bounds of another kind than a length. */
const input = (options: Field, type: string, described: string): Markup =>
  type === 'date' || type === 'number'
    ? html`<input id="${idOf(options)}" name="${options.name}" type="${type}" value="${options.value ?? ''}" autocomplete="off" aria-describedby="${described}" aria-invalid="${options.error ? 'true' : 'false'}" ${flag('required', options.isRequired ?? false)}>`
    : options.offers?.length
      ? html`<input id="${idOf(options)}" name="${options.name}" type="${type}" value="${options.value ?? ''}" list="${idOf(options)}-offers" autocomplete="off" maxlength="${options.maxLength ?? 500}" aria-describedby="${described}" aria-invalid="${options.error ? 'true' : 'false'}" ${flag('required', options.isRequired ?? false)}>`
      : html`<input id="${idOf(options)}" name="${options.name}" type="${type}" value="${options.value ?? ''}" autocomplete="${options.autocomplete ?? 'off'}" inputmode="${options.inputmode ?? 'text'}" maxlength="${options.maxLength ?? 500}" placeholder="${options.placeholder ?? ''}" aria-describedby="${described}" aria-invalid="${options.error ? 'true' : 'false'}" ${flag('required', options.isRequired ?? false)} ${flag('autofocus', options.isFocused ?? false)}>`

export type Choice = { value: string; text: string }

export const select = (options: {
  name: string
  id?: string
  label: string
  /** The first choice, which has no value. */
  none?: string
  choices: readonly Choice[]
  value?: string | undefined
  hint?: Value
  error?: string | undefined
  /** What has no value is no choice. */
  isRequired?: boolean
}): Markup => html`<div class="field">
<label for="${idOf(options)}">${options.label}</label>
${options.hint && html`<p class="hint" id="${idOf(options)}-hint">${options.hint}</p>`}
${options.error && html`<p class="error" id="${idOf(options)}-error">${options.error}</p>`}
<select id="${idOf(options)}" name="${options.name}" aria-describedby="${describedBy(options)}" aria-invalid="${options.error ? 'true' : 'false'}" ${flag('required', options.isRequired ?? false)}>
${[...(options.none ? [{ value: '', text: options.none }] : []), ...options.choices].map(
  (choice) =>
    html`<option value="${choice.value}" ${flag('selected', choice.value === options.value)}>${choice.text}</option>`,
)}
</select>
</div>`

export const checkbox = (options: { name: string; label: Value; isOn?: boolean }): Markup =>
  html`<label class="check"><input type="checkbox" name="${options.name}" value="on" ${flag('checked', options.isOn ?? false)}><span>${options.label}</span></label>`

/** Whose session a form is sent in. */
type SignedIn = { session: { csrf: string } }

/** A form of ours: its token says that it is. */
export const form = (
  { session }: SignedIn,
  options: { action: string; body: Value; className?: string },
): Markup =>
  html`<form method="post" action="${options.action}" class="${options.className ?? 'stack'}">
<input type="hidden" name="csrf" value="${session.csrf}">
${options.body}
</form>`

export const button = (text: string, kind: 'primary' | 'plain' | 'danger' = 'plain', isOff = false): Markup =>
  html`<button type="submit" class="button ${kind === 'plain' ? '' : kind}" ${flag('disabled', isOff)}>${text}</button>`

/** What one press does, without fields of its own. */
export const act = (
  visitor: SignedIn,
  options: {
    action: string
    text: string
    kind?: 'primary' | 'plain' | 'danger'
    hidden?: Record<string, string>
    isOff?: boolean
  },
): Markup =>
  form(visitor, {
    action: options.action,
    className: 'act',
    body: html`${Object.entries(options.hidden ?? {}).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}${button(options.text, options.kind, options.isOff)}`,
  })

/** In a narrow place a row is a card: rank 1 is its head, rank 2 stands below it with the name of its column, rank 3 gives way. */
type Column = string | { head: string; rank?: 1 | 2 | 3; is?: 'number' | undefined }

/** Rows of cells; the first cell of a row is its header. `caption` names the table for screen readers. */
export const table = (
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
): Markup =>
  html`<section class="scroll" tabindex="0" aria-label="${caption}">
<table class="rows">
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map((column, place) => {
    const head = headOf(column)
    return head === ''
      ? html`<td></td>`
      : html`<th scope="col" class="${classOf(column, place)}">${head}</th>`
  })}</tr></thead>
<tbody>
${rows.map(
  (cells) =>
    html`<tr>${cells.map((cell, place) => {
      const column = columns[place]!
      return place === 0
        ? html`<th scope="row" class="${classOf(column, place)}">${cell}</th>`
        : html`<td class="${classOf(column, place)} ${(cell === null || cell === '') && 'none'}" data-head="${headOf(column)}">${cell ?? '–'}</td>`
    })}</tr>`,
)}
</tbody>
</table>
</section>`

const headOf = (column: Column): string => (typeof column === 'object' ? column.head : column)

function classOf(column: Column, place: number): string {
  const { rank = place === 0 ? 1 : 2, is = '' } = typeof column === 'object' ? column : {}
  return `rank-${rank} ${is}`
}

export const pairs = (rows: readonly (readonly [name: string, value: Value])[]): Markup =>
  html`<dl class="pairs">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

export const tiles = (rows: readonly (readonly [name: string, value: Value])[]): Markup =>
  html`<dl class="tiles">${rows.map(([name, value]) => html`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** An empty list teaches what would fill it. */
export const empty = (title: string, text: Value): Markup =>
  html`<div class="empty"><h2>${title}</h2><p class="quiet">${text}</p></div>`

export const panel = (title: string, body: Value): Markup =>
  html`<section class="panel"><h2>${title}</h2>${body}</section>`

/** A table under its heading. */
export const tablePanel = (...contents: Parameters<typeof table>): Markup =>
  panel(contents[0], table(...contents))

export const code = (text: string): Markup => html`<pre class="code" tabindex="0"><code>${text}</code></pre>`

/** A time in the viewer's zone, with seconds in its title and the exact time for machines. */
export const moment = (at: Date, text: string, exact = text): Markup =>
  html`<time datetime="${at.toISOString()}" title="${exact}">${text}</time>`
