/** What a person typed about one transfer for several deposits, or several for one. */

import { centsFrom } from '../../../domain/money.ts'
import type { Share } from '../../../domain/transfers/transfer.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { actWords } from './words.ts'

/** `ID 1500.50`, a line for each deposit. */
export function sharesIn(visit: KnownVisit): Share[] {
  const lines = visit
    .field('shares')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.map((line) => {
    const [, id = '', amount = ''] = /^([0-9a-f-]{36})[\s=:;,–—-]+(.+)$/i.exec(line) ?? []
    const cents = centsFrom(amount)
    if (!isUuid(id.toLowerCase()) || cents === null)
      throw new Refusal('invalid_value', { detail: actWords[visit.language].sharesWrong })
    return { depositId: id.toLowerCase(), cents }
  })
}

/** The other transfers that go to the same deposit. */
export function othersIn(visit: KnownVisit): string[] {
  const ids = visit
    .field('with')
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((id) => id !== '')
  if (!ids.every(isUuid)) throw new Refusal('invalid_value', { detail: actWords[visit.language].withWrong })
  return ids
}
