/** Times in the viewer's zone, which every page names. */
import { dateFormat } from '../../platform/intl.ts'
import type { ConsoleLanguage } from './person.ts'

/** `15 Nov 2026, 14:35` */
export const timeIn = (at: Date, timeZone: string, language: ConsoleLanguage): string =>
  // Russian ends a year with “г.”, which a column of times does not need.
  formatOf(timeZone, language, {}).format(at).replace(' г.,', ',')

/** `15 Nov 2026, 14:35:07`: where one second matters. */
export const exactTimeIn = (at: Date, timeZone: string, language: ConsoleLanguage): string =>
  formatOf(timeZone, language, { second: '2-digit' }).format(at).replace(' г.,', ',')

/** `15 Nov 2026`, of a date as banks book it: it has no zone. */
export const dayText = (day: string, language: ConsoleLanguage): string =>
  dateFormat(language === 'en' ? 'en-GB' : 'ru', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
    .format(new Date(day))
    .replace(' г.', '')

const formatOf = (timeZone: string, language: ConsoleLanguage, more: { second?: '2-digit' }) =>
  dateFormat(language === 'en' ? 'en-GB' : 'ru', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...more,
  })

const ourZones = ['Europe/Moscow', 'Asia/Tashkent', 'Asia/Almaty', 'Asia/Dushanbe', 'UTC']
/** The zones of our four countries first, then all others. */
export const zones: readonly string[] = [...new Set([...ourZones, ...Intl.supportedValuesOf('timeZone')])]
