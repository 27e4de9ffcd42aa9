/** Cleans texts that others wrote before they are shown. */

import { lazy } from './remembered.ts'

/** Text that a merchant wrote: cut, and without invisible characters and direction marks. */
export function foreignText(text: string, most: number): string {
  if (text.length <= most && plain.test(text)) return text
  const visible = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\p{Cf}\ufffe\uffff]/gu, '')
  const letters = [...graphemes().segment(visible)].map(({ segment }) => segment)
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : visible
}

/** A text of only these characters needs no cleaning, and each of them is one grapheme. */
const plain = /^[\x20-\x7e«»№А-Яа-яЁё–—]*$/

// Its rules take 20 ms to load, and most texts need none of them.
const graphemes = lazy(() => new Intl.Segmenter('ru', { granularity: 'grapheme' }))
