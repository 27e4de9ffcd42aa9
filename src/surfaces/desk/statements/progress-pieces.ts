/** The progress of a file: a bar, its speed and the time that is left. */

import { clockText, type ImportProgress, secondsLeft } from '../../../domain/statements/progress.ts'
import { numberFormat } from '../../../platform/intl.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { tiles } from '../../web/pieces.ts'
import type { DeskContext } from '../frame.ts'
import { statementWords } from './words.ts'

export const numberText = ({ language }: Pick<DeskContext, 'language'>, number: number): string =>
  numberFormat(language, {}).format(number)

/** `share` is from 0 to 1. */
const bar = (label: string, share: number): Markup =>
  html`<progress class="bar" max="1000" value="${Math.floor(share * 1000)}" aria-label="${label}">${Math.floor(share * 100)} %</progress>`

export function progressOf(desk: DeskContext, progress: ImportProgress): Markup {
  const words = statementWords[desk.language]
  const { phase, rows, total, matched, share } = progress
  const left = secondsLeft(progress)
  const number = (value: number) => numberText(desk, value)
  const done = total === null ? number(rows) : words.progressOf(number(rows), number(total))
  const known: (readonly [string, Value])[] = [
    [words.phases[phase], done],
    ...(phase === 'matching' ? [[words.matched, number(matched)] as const] : []),
    [words.left, left === null ? '–' : clockText(left)],
  ]
  return html`${bar(words.phases[phase], share)}${tiles(known)}`
}
