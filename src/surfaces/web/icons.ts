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
  shop: icon(
    '<path d="M3.5 8v8.5h13V8M2.5 7.5 4 3.5h12l1.5 4a2.5 2.5 0 0 1-5 0 2.5 2.5 0 0 1-5 0 2.5 2.5 0 0 1-5 0zM8 16.5v-4h4v4"/>',
  ),
  home: icon('<path d="M3 9.5 10 3.5l7 6M5 8v8.5h4v-4.5h2v4.5h4V8"/>'),
  inbox: icon('<path d="M2.5 11.5 5 4h10l2.5 7.5v4.5h-15zM2.5 11.5h4.2l1.3 2h4l1.3-2h4.2"/>'),
  deposit: icon('<path d="M10 2.5v8.5m-3.2-3.2L10 11l3.2-3.2M3 12.5v4h14v-4"/>'),
  arrows: icon('<path d="M3 6.5h13m-3-3 3 3-3 3M17 13.5H4m3-3-3 3 3 3"/>'),
  undo: icon('<path d="M7 4 3.5 7.5 7 11M3.5 7.5h8a4.5 4.5 0 0 1 0 9H7"/>'),
  document: icon('<path d="M5 2.5h7l3.5 3.5v11.5h-10.5zM12 2.5v3.5h3.5M7.5 10h5m-5 3.5h5"/>'),
  wallet: icon('<path d="M3 6.5v9.5h14V7.5H4.5A1.5 1.5 0 0 1 4.5 4.5H15v3M13.5 11.8h.1"/>'),
  list: icon('<path d="M7 5h10M7 10h10M7 15h10M3 5h.1M3 10h.1M3 15h.1"/>'),
  people: icon(
    '<circle cx="7.5" cy="7" r="3"/><path d="M2 16.5c.4-3 2.6-4.5 5.5-4.5s5.1 1.5 5.5 4.5M13 4.3a3 3 0 0 1 0 5.4M15.2 12.6c1.6.7 2.6 2 2.8 3.9"/>',
  ),
  sliders: icon(
    '<path d="M3 6h7m4 0h3M3 14h3m4 0h7"/><circle cx="12" cy="6" r="2"/><circle cx="8" cy="14" r="2"/>',
  ),
  history: icon('<path d="M3.5 10a6.5 6.5 0 1 0 2-4.7L3.5 7M3.5 3.5V7H7M10 6.5V10l2.5 1.8"/>'),
  chart: icon('<path d="M3 17h14M5.5 14v-4M10 14V4m4.5 10V7.5"/>'),
  send: icon('<path d="M17 3 2.5 8.5l6 2.5 2.5 6L17 3zM8.5 11 17 3"/>'),
  key: icon('<circle cx="6.5" cy="13.5" r="3.5"/><path d="m9 11 7.5-7.5M13.5 6.5l2.5 2.5"/>'),
  gauge: icon('<path d="M3.5 15.5a8 8 0 1 1 13 0M10 12l3.5-4"/>'),
  pen: icon('<path d="m4 13 9-9 3 3-9 9-4 1zM3 17.5h14"/>'),
  plus: icon('<path d="M10 4v12M4 10h12"/>'),
  close: icon('<path d="m5.5 5.5 9 9m0-9-9 9"/>'),
  person: icon('<circle cx="10" cy="6.8" r="3.3"/><path d="M3.5 17c.5-3.4 3-5 6.5-5s6 1.6 6.5 5"/>'),
  help: icon(
    '<circle cx="10" cy="10" r="7.5"/><path d="M7.8 8a2.2 2.2 0 1 1 3.3 1.9c-.8.4-1.1.9-1.1 1.6m0 2.4v.1"/>',
  ),
  keyboard: icon(
    '<rect x="2" y="5" width="16" height="10" rx="2"/><path d="M5.2 8.2h.1m3 0h.1m3 0h.1m3 0h.1M6.5 11.8h7"/>',
  ),
  leave: icon('<path d="M8 3.5H4v13h4M12.5 6.5 16 10l-3.5 3.5M16 10H7.5"/>'),
  menu: icon('<path d="M3 5.5h14M3 10h14M3 14.5h14"/>'),
  warning: icon('<path d="M10 3 2.5 16.5h15L10 3z"/><path d="M10 8.2v3.6m0 2.4v.1"/>'),
} as const
