/** What the pages of sections are made with: the reader, the place they stand in, and how time is written. */

import type { Mode } from '../../domain/merchants/merchant.ts'
import type { Policy } from '../../domain/people/access.ts'
import { numberFormat, relativeFormat } from '../../platform/intl.ts'
import { inLanguage, type Section } from '../../sections/section.ts'
import { type StaffContext, timeText } from '../staff/frame.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import type { FinishedPage } from '../web/page.ts'
import { badge, moment } from '../web/pieces.ts'

/** The desk, or the console of one merchant. */
export type Place = {
  /** The address of a section here, by its path. */
  pathOf: (path: string) => string
  page: (page: {
    title: string
    path: string
    actions?: Value
    isLive?: boolean
    scripts?: readonly string[]
    notice?: string | null
    body: Value
  }) => FinishedPage
}

export type OfficeContext = StaffContext & { now: Date; place: Place; section?: Section; here: string } & {
  /** Whether the reader's role allows it; a factor may still be asked for. */
  isOpen: (policy: Policy) => boolean
}

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

type Reader = Pick<OfficeContext, 'language' | 'now' | 'visitor'> & StaffContext

const secondsSince = ({ now }: Reader, at: Date): number => (now.getTime() - at.getTime()) / 1000

/** `3 minutes`, `2 days`: whole numbers of the largest unit that fits. */
export function durationText({ language }: Pick<Reader, 'language'>, seconds: number): string {
  const [unit, length] = steps.find(([, length]) => seconds >= length) ?? ['second' as const, 1]
  const format = numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.max(0, Math.floor(seconds / length)))
}

/** How long something has waited. */
export const waitOf = (reader: Reader, at: Date): Markup =>
  moment(at, durationText(reader, secondsSince(reader, at)), timeText(reader, at))

/** When something last happened: `3 minutes ago`, `now` within a minute. */
export function pastOf(reader: Reader, at: Date): Markup {
  const seconds = secondsSince(reader, at)
  const step = steps.find(([, length]) => seconds >= length)
  const text = step
    ? relativeFormat(reader.language, { numeric: 'always' }).format(-Math.floor(seconds / step[1]), step[0])
    : relativeFormat(reader.language, { numeric: 'auto' }).format(0, 'second')
  return moment(at, text, timeText(reader, at))
}

export const testBadge = ({ language }: Pick<Reader, 'language'>, mode: Mode): Markup | null =>
  mode === 'test' ? html` ${badge(inLanguage(['Test', 'Тест'], language), 'warn')}` : null
