/** HTTP routes of payment types: admins set them up, and every operator may stop them. */

import { ifChanged } from '../../../domain/audit/perform.ts'
import { changePaymentType } from '../../../domain/catalogue/change-payment-type.ts'
import { listPaymentTypes, lockPaymentType } from '../../../domain/catalogue/store.ts'
import { centsFrom, isCurrency } from '../../../domain/money.ts'
import { requisiteGroups } from '../../../domain/requisites/requisite.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { auditLine } from '../../staff/visit.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { admin, type DeskTools, deskOf, read, sectionRoutes, work } from '../visit.ts'
import { typesPage } from './types-page.ts'

export function typeRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'types')
  const { directory } = tools
  const { db } = tools.context

  get('/payment-types', read, async (visit) => {
    const [desk, types] = await Promise.all([deskOf(tools, visit), listPaymentTypes(db)])
    return typesPage(desk, types)
  })

  for (const [word, enabled, policy] of [
    ['stop', false, work],
    ['start', true, admin],
  ] as const) {
    post(`/payment-types/${word}`, policy, async (visit) => {
      const code = visit.field('code')
      const act = enabled ? 'type_start' : 'emergency_stop'
      const nothing = { name: null, group: null, bankCode: null, limit: null }
      await changePaymentType(
        db,
        { code, enabled, ...nothing },
        {
          async check(tx) {
            if (!(await lockPaymentType(tx, code))) throw new Refusal('not_found')
          },
          audit: ({ before }) =>
            auditLine(visit, {
              act,
              subject: `payment_type:${code}`,
              before: { enabled: before?.enabled },
              after: { enabled },
            }),
        },
      )
      directory.forget()
      return { to: deskPath('/payment-types'), notice: enabled ? 'started' : 'stopped' }
    })
  }

  post('/payment-types/change', admin, async (visit) => {
    const { field } = visit
    const code = field('code')
    const currency = field('currency')
    const [minCents, maxCents] = [centsIn(visit, 'min'), centsIn(visit, 'max')]
    const isWrong =
      !/^[a-z][a-z0-9_]{0,31}$/.test(code) ||
      (currency !== '' && !isCurrency(currency)) ||
      (currency === '' && (minCents !== null || maxCents !== null))
    if (isWrong) throw new Refusal('invalid_value', { detail: officeWords[visit.language].limitHint })
    const change = {
      code,
      name: field('name') || null,
      group: requisiteGroups.find((requisiteGroup) => requisiteGroup === field('group')) ?? null,
      bankCode: field('bankCode') || null,
      enabled: null,
      limit: isCurrency(currency) ? { currency, minCents, maxCents, merchantId: null } : null,
    }
    await changePaymentType(db, change, {
      audit: (changed) =>
        ifChanged(auditLine(visit, { act: 'type_change', subject: `payment_type:${code}`, ...changed })),
    })
    directory.forget()
    return { to: deskPath('/payment-types'), notice: 'saved' }
  })
}

function centsIn(visit: KnownVisit, name: string): bigint | null {
  const text = visit.field(name)
  const cents = text === '' ? null : centsFrom(text)
  if (text !== '' && cents === null)
    throw new Refusal('invalid_value', { detail: officeWords[visit.language].limitHint })
  return cents
}
