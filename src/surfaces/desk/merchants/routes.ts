/** HTTP routes of merchants: admins set them up, and every operator may stop them. */

import { changeRules } from '../../../domain/approvals/change-rules.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { ifChanged } from '../../../domain/audit/perform.ts'
import { addressProblem } from '../../../domain/deposits/address.ts'
import { changeMerchant } from '../../../domain/merchants/change-merchant.ts'
import { createMerchant } from '../../../domain/merchants/create-merchant.ts'
import {
  type Merchant,
  type MerchantSettings,
  type Mode,
  settingRules,
} from '../../../domain/merchants/merchant.ts'
import { findMerchant, listMerchants } from '../../../domain/merchants/store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { fieldOf, settingFrom, settingRange } from '../../staff/amount.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { readPart } from '../../staff/long-list.ts'
import { sectionFrom, settingSections } from '../../staff/setting-sections.ts'
import { auditLine, deciderOf, idOf } from '../../staff/visit.ts'
import { languages } from '../../web/messages/languages.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { admin, type DeskTools, deskOf, modeOf, read, reasonOf, sectionRoutes, work } from '../visit.ts'
import { deskWords } from '../words.ts'
import { deskSections, merchantPage, merchantsPage, newMerchantPage } from './merchant-pages.ts'

export function merchantRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'merchants')
  const { vault, directory, isTrustedHost } = tools
  const { db } = tools.context

  get('/merchants', read, async (visit) => {
    const [desk, merchants] = await Promise.all([
      deskOf(tools, visit),
      readPart(visit, 'after', (page) => listMerchants(db, page)),
    ])
    return merchantsPage(desk, merchants)
  })

  post('/merchants/create', admin, async (visit) => {
    const mode = modeOf(visit)
    const name = nameIn(visit)
    const callbackUrl = addressIn(visit, mode)
    const asked = { name, mode, callbackUrl }
    const created = await createMerchant(db, vault, asked, {
      audit: ({ merchant, keyId }) =>
        auditLine(visit, {
          act: 'merchant_create',
          subject: `merchant:${merchant.id}`,
          merchantId: merchant.id,
          after: { ...asked, keyId },
        }),
    })
    return newMerchantPage(await deskOf(tools, visit), created)
  })

  get('/merchants/:id', read, async (visit) => {
    const [desk, merchant] = await Promise.all([deskOf(tools, visit), findMerchant(db, idOf(visit))])
    if (!merchant) throw new Refusal('not_found')
    return merchantPage(desk, { merchant, languages })
  })

  post('/merchants/:id/stop', work, async (visit) => {
    await setEnabled(visit, 'emergency_stop', false)
    return { to: deskPath('/merchants/:id', idOf(visit)), notice: 'stopped' }
  })

  post('/merchants/:id/start', admin, async (visit) => {
    await setEnabled(visit, 'merchant_start', true)
    return { to: deskPath('/merchants/:id', idOf(visit)), notice: 'started' }
  })

  post('/merchants/:id/settings', admin, async (visit) => {
    const merchantId = idOf(visit)
    const section = sectionFrom(visit.field('section'), deskSections)
    const language = languages.find((language) => language === visit.field('language')) ?? null
    const reason = visit.field('rules-reason')
    const settings = settingsIn(visit, settingSections[section])
    const change = { merchantId, settings, ...(section === 'page' && { name: nameIn(visit), language }) }
    const asked = { ...change, by: deciderOf(visit), reason }
    const line = { act: 'merchant_change', subject: `merchant:${merchantId}`, merchantId, reason }
    const { before, after, isProposed } = await changeRules(db, asked, {
      audit: ({ before, after }) => ifChanged(auditLine(visit, { ...line, ...differences(before, after) })),
    })
    directory.forget()
    const isChanged = Object.keys(differences(before, after).after).length > 0
    const notice = !isProposed ? 'saved' : isChanged ? 'proposed_rest' : 'proposed'
    return { to: deskPath('/merchants/:id', merchantId), notice }
  })

  post('/merchants/:id/address', admin, async (visit) => {
    const merchantId = idOf(visit)
    const merchant = await findMerchant(db, merchantId)
    if (!merchant) throw new Refusal('not_found')
    const callbackUrl = addressIn(visit, merchant.mode)
    const change = { kind: 'callback_address', merchantId, callbackUrl } as const
    await propose(db, { change, by: deciderOf(visit), reason: reasonOf(visit) })
    return { to: deskPath('/merchants/:id', merchantId), notice: 'proposed' }
  })

  post('/merchants/:id/returns', admin, async (visit) => {
    const merchantId = idOf(visit)
    const merchant = await findMerchant(db, merchantId)
    if (!merchant) throw new Refusal('not_found')
    const successUrl = addressIn(visit, merchant.mode, 'success')
    const rejectUrl = addressIn(visit, merchant.mode, 'reject')
    const change = { kind: 'return_addresses', merchantId, successUrl, rejectUrl } as const
    await propose(db, { change, by: deciderOf(visit), reason: reasonOf(visit, 'returns-reason') })
    return { to: deskPath('/merchants/:id', merchantId), notice: 'proposed' }
  })

  /** This process uses the change at once, the others within a second. */
  async function setEnabled(visit: KnownVisit, act: string, enabled: boolean): Promise<void> {
    const merchantId = idOf(visit)
    const line = { act, subject: `merchant:${merchantId}`, merchantId }
    await changeMerchant(
      db,
      { merchantId, enabled },
      { audit: ({ before, after }) => auditLine(visit, { ...line, ...differences(before, after) }) },
    )
    directory.forget()
  }

  function addressIn(visit: KnownVisit, mode: Mode, field = 'callback'): string | null {
    const address = visit.field(field) || null
    const problem = address && addressProblem(address, { mode, isTrustedHost })
    if (problem) throw new Refusal('url_not_allowed', { detail: problem })
    return address
  }
}

/** The audit record has only the settings that changed. */
function differences(before: Merchant, after: Merchant): { before: object; after: object } {
  const flat = ({ settings, ...rest }: Merchant): Record<string, unknown> => ({ ...rest, ...settings })
  const [old, now] = [flat(before), flat(after)]
  const names = Object.keys(now).filter((name) => String(old[name]) !== String(now[name]))
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name]]))
  return { before: pick(old), after: pick(now) }
}

function nameIn(visit: KnownVisit): string {
  const name = visit.field('name')
  if (name !== '' && [...name].length <= 100 && !/\p{Cc}/u.test(name)) return name
  const field = officeWords[visit.language].name
  throw new Refusal('invalid_value', { detail: deskWords[visit.language].textLength(field, 100) })
}

function settingsIn(
  visit: KnownVisit,
  names: readonly (keyof MerchantSettings)[],
): Partial<MerchantSettings> {
  const words = officeWords[visit.language]
  const sent = visit.fieldNames()
  const given: Record<string, unknown> = {}
  for (const name of names) {
    const rule = settingRules[name]
    const text = visit.field(fieldOf(name))
    const refuse = (detail: string) =>
      new Refusal('invalid_value', { detail: `${words.rules[name]}: ${detail}.` })
    if ('values' in rule) {
      if (!(rule.values as readonly string[]).includes(text)) throw refuse(rule.values.join(', '))
      given[name] = text
    } else if (text === '' && 'orNone' in rule && sent.includes(fieldOf(name))) given[name] = null
    else {
      const value = settingFrom(name, text, rule)
      if (value === null) throw refuse(words.between(...settingRange(name, rule, visit.language)))
      given[name] = value
    }
  }
  return given
}
