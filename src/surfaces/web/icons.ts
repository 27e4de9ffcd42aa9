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
  card: icon('<rect x="2.5" y="4.5" width="15" height="11" rx="2"/><path d="M2.5 8.5h15M5.5 12.5h3"/>'),
  phone: icon('<rect x="5.5" y="2.5" width="9" height="15" rx="2"/><path d="M9 14.8h2"/>'),
  account: icon('<path d="M3 8 10 3.5 17 8M4 8h12M5.5 8v6m4.5-6v6m4.5-6v6M3 16.5h14"/>'),
  download: icon('<path d="M10 3v9m-3.5-3.5L10 12l3.5-3.5M3.5 14.5v2h13v-2"/>'),
  shield: icon(
    '<path d="M10 2.5 4 5v4.5c0 3.6 2.4 6.4 6 8 3.6-1.6 6-4.4 6-8V5l-6-2.5z"/><path d="m7.5 9.8 1.8 1.8 3.2-3.6"/>',
  ),
  warning: icon('<path d="M10 3 2.5 16.5h15L10 3z"/><path d="M10 8.2v3.6m0 2.4v.1"/>'),
} as const
