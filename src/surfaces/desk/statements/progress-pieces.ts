/** The progress of a file: a bar, its speed and the time that is left. */

import { clockText, type ImportProgress, secondsLeft } from '../../../domain/statements/progress.ts'
import { numberFormat } from '../../../platform/intl.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import type { OfficeContext } from '../../office/context.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import { tiles } from '../../web/pieces.ts'
import { uploadWords as words } from './words.ts'

export const numberText = ({ language }: Pick<OfficeContext, 'language'>, number: number): string =>
  numberFormat(language, {}).format(number)

/** `share` is from 0 to 1. */
const bar = (label: string, share: number): Markup =>
  html`<progress class="bar" max="1000" value="${Math.floor(share * 1000)}" aria-label="${label}">${Math.floor(share * 100)} %</progress>`

export function progressOf(office: OfficeContext, progress: ImportProgress): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const { phase, rows, total, matched, share } = progress
  const left = secondsLeft(progress)
  const number = (value: number) => numberText(office, value)
  const done = total === null ? number(rows) : say(words.progressOf(number(rows), number(total)))
  const known: (readonly [string, Value])[] = [
    [say(words.phases[phase]), done],
    ...(phase === 'matching' ? [[say(words.matched), number(matched)] as const] : []),
    [say(words.left), left === null ? '–' : clockText(left)],
  ]
  return html`${bar(say(words.phases[phase]), share)}${tiles(known)}`
}
