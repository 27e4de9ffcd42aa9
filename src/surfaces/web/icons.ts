/** Icons as inline SVG, never font glyphs. Decoration only: a word stands beside them, or names their button. */
import { raw } from './raw.ts'

const icon = (paths: string) =>
  raw(
    `<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${paths}</svg>`,
  )

export const icons = {
  clock: icon('<circle cx="10" cy="10" r="7.5"/><path d="M10 5.5V10l3 2"/>'),
  search: icon('<circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 4 4"/>'),
  check: icon('<circle cx="10" cy="10" r="7.5"/><path d="m6.5 10.2 2.4 2.4 4.6-5"/>'),
  cross: icon('<circle cx="10" cy="10" r="7.5"/><path d="m7.2 7.2 5.6 5.6m0-5.6-5.6 5.6"/>'),
  copy: icon(
    '<path class="to-do" d="M7.5 7.5h9v9h-9zM12.5 3.5h-9v9"/><path class="is-done" d="m4.5 10.5 4 4 7-8.5"/>',
  ),
  warning: icon('<path d="M10 3 2.5 16.5h15L10 3z"/><path d="M10 8.2v3.6m0 2.4v.1"/>'),
} as const
