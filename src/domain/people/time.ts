/** Times in the viewer's zone, which every page names. */
import { dateFormat } from '../../platform/intl.ts'
import type { ConsoleLanguage } from './person.ts'

/** `15 Nov 2026, 14:35:07` */
export const timeIn = (at: Date, timeZone: string, language: ConsoleLanguage): string =>
  dateFormat(language === 'en' ? 'en-GB' : 'ru', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(at)

/** The zones of our four countries first, then all others. */
export const zones: readonly string[] = [
  'Europe/Moscow',
  'Asia/Tashkent',
  'Asia/Almaty',
  'Asia/Dushanbe',
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter(
    (zone) => !['Europe/Moscow', 'Asia/Tashkent', 'Asia/Almaty', 'Asia/Dushanbe', 'UTC'].includes(zone),
  ),
]
