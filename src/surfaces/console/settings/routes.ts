import { decideProposal } from '../../../domain/approvals/decide-proposal.ts'
import { looserRules } from '../../../domain/approvals/rule-changes.ts'
import { ifChanged } from '../../../domain/audit/perform.ts'
import { optionalEvents } from '../../../domain/callbacks/callback.ts'
import { addressProblem } from '../../../domain/deposits/address.ts'
import { readBrand } from '../../../domain/merchants/brand-store.ts'
import { changeMerchant } from '../../../domain/merchants/change-merchant.ts'
import { type MerchantSettings, settingRules } from '../../../domain/merchants/merchant.ts'
import { lockMerchant } from '../../../domain/merchants/store.ts'
import { message } from '../../../domain/messages/message.ts'
import { endMember, findMember, inviteMember, membersOf } from '../../../domain/people/change-members.ts'
import { takeInvitationBack } from '../../../domain/people/change-person.ts'
import { listInvitations } from '../../../domain/people/links/store.ts'
import { merchantRoles } from '../../../domain/people/person.ts'
import type { Tx } from '../../../platform/db.ts'
import { isRefusal, Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { fieldOf, settingFrom } from '../../staff/amount.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { readPart } from '../../staff/long-list.ts'
import { staffPath } from '../../staff/paths.ts'
import { show } from '../../staff/routes.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { sectionFrom, settingSections } from '../../staff/setting-sections.ts'
import { deciderOf, idOf } from '../../staff/visit.ts'
import { isLanguage } from '../../web/messages/languages.ts'
import { type ConsoleContext, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import {
  actorOf,
  auditLine,
  type ConsoleTools,
  freshOwner,
  openProposal,
  owner,
  proposeOnce,
  readConsoleContext,
  sectionRoutes,
  viewer,
} from '../visit.ts'
import { type Returns, returnsPage } from './return-pages.ts'
import { endPage, invitedPage, type OwnSetting, ownSections, settingsPage } from './settings-pages.ts'

export function settingsConsole(tools: ConsoleTools): void {
  const { get, post } = sectionRoutes(tools, 'settings')
  const { db, publicUrl, context, directory, isTrustedHost } = tools

  get('/settings', viewer, (consoleContext, visit) => page(consoleContext, visit, null))

  post('/settings', owner, async (visit) => {
    const consoleContext = await readConsoleContext(db, visit)
    const section = sectionFrom(visit.field('section'), ownSections)
    const { settings, wrong } = settingsFrom(visit, consoleContext, settingSections[section])
    if (wrong)
      return show(
        visit,
        await page(consoleContext, visit, wordsOf(consoleContext).settings.wrong(wrong)),
        422,
      )
    const language = isLanguage(visit.field('language')) ? visit.field('language') : null
    const events = optionalEvents.filter((event) => visit.field(event) === 'on')
    const isPage = section === 'page'
    const change = isPage ? { language, optionalEvents: events } : { settings }
    const here = consolePath('/settings', visit.merchantId)
    try {
      await changeMerchant(
        db,
        { merchantId: visit.merchantId, ...change },
        {
          check: (tx) => refuseLooserRules(tx, visit, settings),
          audit: ({ before }) =>
            ifChanged(
              auditLine(visit, {
                act: 'merchant_settings',
                before: isPage
                  ? { language: before.language, events: before.optionalEvents }
                  : Object.fromEntries(settingSections[section].map((name) => [name, before.settings[name]])),
                after: isPage ? { language, events } : settings,
              }),
            ),
        },
      )
    } catch (error) {
      if (!isRefusal(error, 'step_up_required')) throw error
      return `${staffPath('/sign-in/again')}?to=${encodeURIComponent(here)}`
    }
    return `${here}?notice=saved`
  })

  get('/settings/returns', freshOwner, (consoleContext) =>
    returnsPage(consoleContext, { values: consoleContext.merchant, problems: {} }),
  )

  post('/settings/returns', freshOwner, async (visit) => {
    const consoleContext = await readConsoleContext(db, visit)
    const { merchantId } = visit
    const { mode } = consoleContext.merchant
    const values = { successUrl: visit.field('success') || null, rejectUrl: visit.field('reject') || null }
    const problemOf = (address: string | null) => {
      const problem = address === null ? undefined : addressProblem(address, { mode, isTrustedHost })
      return problem && translate(problem, consoleContext.language)
    }
    const problems = {
      successUrl: problemOf(values.successUrl),
      rejectUrl: problemOf(values.rejectUrl),
    }
    if (problems.successUrl || problems.rejectUrl)
      return show(visit, returnsPage(consoleContext, { values, problems }), 422)
    if (mode === 'test') {
      await changeMerchant(
        db,
        { merchantId, ...values },
        {
          audit: ({ before: { successUrl, rejectUrl } }) =>
            ifChanged(
              auditLine(visit, { act: 'return_addresses', before: { successUrl, rejectUrl }, after: values }),
            ),
        },
      )
      directory.forget(merchantId)
      return `${consolePath('/settings', consoleContext.merchant.id)}?notice=returns`
    }
    await proposeOnce(db, merchantId, {
      change: { kind: 'return_addresses', merchantId, ...values },
      by: deciderOf(visit),
      reason: message('asked_for_in_merchant_console'),
    })
    return `${consolePath('/settings', consoleContext.merchant.id)}?notice=returnsAsked`
  })

  post('/settings/returns/withdraw', owner, async (visit) => {
    const by = deciderOf(visit)
    const open = await openProposal(db, visit.merchantId, 'return_addresses')
    if (open?.proposedBy !== by.personId) throw new Refusal('not_found')
    await decideProposal(context, { id: open.id, verdict: 'withdrawn', by, reason: '' })
    return `${consolePath('/settings', visit.merchantId)}?notice=returnsWithdrawn`
  })

  post('/people', freshOwner, async (visit) => {
    const { merchantId, field } = visit
    const consoleContext = await readConsoleContext(db, visit)
    const role = merchantRoles.find((merchantRole) => merchantRole === field('role'))
    if (!role) throw new Refusal('invalid_value', { detail: 'role' })
    const [email, name] = [field('email').toLowerCase(), field('name')]
    try {
      const { token } = await inviteMember(db, { merchantId, email, name, role, actor: actorOf(visit) })
      return show(
        visit,
        invitedPage(consoleContext, { email, link: token && publicUrl + staffPath('/join/:token', token) }),
      )
    } catch (error) {
      if (!isLastOwner(error)) throw error
      return show(visit, await page(consoleContext, visit, wordsOf(consoleContext).settings.lastOwner), 409)
    }
  })

  post('/settings/withdraw', freshOwner, async (visit) => {
    const { merchantId, field } = visit
    if (!isUuid(field('id'))) throw new Refusal('not_found')
    await takeInvitationBack(db, { id: field('id'), merchantId, actor: actorOf(visit) })
    return `${consolePath('/settings', visit.merchantId)}?notice=invitationWithdrawn`
  })

  get('/people/:id', freshOwner, async (consoleContext, visit) =>
    endPage(consoleContext, await member(visit), null),
  )

  post('/people/:id', freshOwner, async (visit) => {
    const consoleContext = await readConsoleContext(db, visit)
    const person = await member(visit)
    try {
      const { merchantId } = visit
      const member = { merchantId, email: person.email, actor: actorOf(visit) }
      await db.transaction((tx) => endMember(tx, member))
    } catch (error) {
      if (!isLastOwner(error)) throw error
      return show(visit, endPage(consoleContext, person, wordsOf(consoleContext).settings.lastOwner), 409)
    }
    return `${consolePath('/settings', consoleContext.merchant.id)}?notice=ended`
  })

  const page = async (consoleContext: ConsoleContext, visit: KnownVisit, problem: string | null) => {
    const [people, invitations, open, brand] = await Promise.all([
      readPart(visit, 'after', (page) => membersOf(db, consoleContext.merchant.id, page)),
      readPart(visit, 'invited', (page) => listInvitations(db, consoleContext.merchant.id, page)),
      openProposal(db, consoleContext.merchant.id, 'return_addresses'),
      readBrand(db, consoleContext.merchant.id),
    ])
    const isMine = open?.proposedBy === visit.visitor.person.id
    const returns = open ? { ...(open.asked as Returns), who: open.proposerName, isMine } : null
    return settingsPage(consoleContext, { people, invitations, returns, brand, problem })
  }

  async function member(visit: KnownVisit) {
    const id = idOf(visit)
    const found = await findMember(db, visit.merchantId, id)
    if (!found) throw new Refusal('not_found')
    return found
  }
}

/**
 * A looser rule needs a fresh factor, so that nobody can use an open session of somebody else to let any amount confirm a
 * deposit. The merchant stays locked until the rule is saved: it is compared with the rule that it replaces.
 */
async function refuseLooserRules(
  tx: Tx,
  { merchantId, visitor }: KnownVisit,
  settings: Partial<MerchantSettings>,
): Promise<void> {
  const merchant = await lockMerchant(tx, merchantId)
  if (merchant?.mode !== 'live' || visitor.session.isFresh) return
  if (Object.keys(looserRules(merchant.settings, settings)).length > 0) throw new Refusal('step_up_required')
}

const isLastOwner = (error: unknown): boolean => isRefusal(error, 'state_conflict')

/** Reads all settings of a section, or none: `wrong` is the label of the first one that is invalid. */
function settingsFrom(
  { field }: KnownVisit,
  context: ConsoleContext,
  names: readonly OwnSetting[],
): { settings: Partial<MerchantSettings>; wrong: string | null } {
  const settings: Partial<Record<OwnSetting, unknown>> = {}
  for (const name of names) {
    const rule = settingRules[name]
    const value =
      'values' in rule
        ? rule.values.find((value) => value === field(name))
        : settingFrom(name, field(fieldOf(name)), rule)
    if (value === undefined || value === null)
      return { settings: {}, wrong: wordsOf(context).settings.settings[name][0] ?? name }
    settings[name] = value
  }
  return { settings: settings as Partial<MerchantSettings>, wrong: null }
}
