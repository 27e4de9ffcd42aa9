/** HTTP routes of requisites. Switching off takes effect at once; switching on and adding are proposals. */

import {
  changeAccountLimits,
  changeRequisiteLimits,
  type LimitsChanged,
} from '../../../domain/approvals/change-limits.ts'
import { changeAccountMatching } from '../../../domain/approvals/change-rules.ts'
import { proposeOrChangeVoice } from '../../../domain/approvals/change-voice.ts'
import type { RequisiteAsked } from '../../../domain/approvals/proposal.ts'
import { propose } from '../../../domain/approvals/propose.ts'
import { centsFrom, isCurrency } from '../../../domain/money.ts'
import { readNames } from '../../../domain/people/store.ts'
import { addAccount, changeAccount, setRequisite } from '../../../domain/requisites/add-requisite.ts'
import {
  amountMatchings,
  detailFields,
  type RequisiteLimits,
  requisiteKinds,
} from '../../../domain/requisites/requisite.ts'
import type { WasEnabled } from '../../../domain/requisites/store.ts'
import { listSourceChoices } from '../../../domain/statements/named-source.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { idKinds } from '../../../domain/transfers/channel.ts'
import { bankDay } from '../../../domain/transfers/payment-times.ts'
import { roles } from '../../../domain/transfers/voice.ts'
import { findOpenDay, readVoices } from '../../../domain/transfers/voice-store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { typedAmount } from '../../staff/amount.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { readPart } from '../../staff/long-list.ts'
import { auditLine, deciderOf, idOf } from '../../staff/visit.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import { admins, may } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { textPattern } from '../queue/filter.ts'
import {
  admin,
  type DeskTools,
  dangerous,
  deskOf,
  modeOf,
  type Refused,
  read,
  reasonOf,
  sectionRoutes,
  work,
} from '../visit.ts'
import { accountFilter, accountPage, accountsAt, accountsPage, requisitePage } from './requisite-pages.ts'
import { accountOfRequisite, listRequisitesOf, readAccounts, readRequisites } from './store.ts'
import { voiceWords } from './voice-words.ts'

export function requisiteRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'requisites')
  const { db } = tools.context

  get('/requisites', read, async (visit) => {
    const filter = accountFilter(visit.query)
    const patterns = filter.q === '' ? [] : filter.q.split(' ').map((word) => textPattern(word))
    const search = { patterns, mode: filter.mode || null, currency: filter.currency || null }
    const [desk, accounts] = await Promise.all([
      deskOf(tools, visit),
      readPart(visit, 'after', (page) => readAccounts(db, null, search, page)),
    ])
    const requisites = await listRequisitesOf(
      db,
      accounts.rows.map(({ id }) => id),
    )
    return accountsPage(desk, { accounts, requisites, filter })
  })

  post('/requisites/add', admin, async (visit) => {
    const { field } = visit
    const mode = modeOf(visit)
    const currency = field('currency')
    const merchantId = field('merchant') || null
    if (!isCurrency(currency) || (merchantId && !isUuid(merchantId))) throw new Refusal('invalid_value')
    const account = {
      mode,
      currency,
      merchantId,
      label: field('label') || field('owner'),
      ownerLegalName: field('owner'),
      ownerPublicName: field('public') || field('owner'),
      ownerTaxId: field('tax'),
      ownerAgreement: field('agreement'),
      addedBy: visit.visitor.person.email,
    }
    const { id } = await addAccount(db, account, {
      audit: ({ id }) =>
        auditLine(visit, { act: 'account_add', subject: `account:${id}`, merchantId, after: account }),
    })
    return { to: deskPath('/requisites/:id', id), notice: 'saved' }
  })

  /** Also the answer to a refused change of its source, which keeps what was typed. */
  const accountOf = async (visit: KnownVisit, refused?: Refused) => {
    const id = idOf(visit)
    const [desk, [account], requisites, voices, open] = await Promise.all([
      deskOf(tools, visit, refused),
      readAccounts(db, id),
      readPart(visit, 'after', (page) => readRequisites(db, { accountId: id, page })),
      readVoices(db, [id]),
      findOpenDay(db, id),
    ])
    if (!account) throw new Refusal('not_found')
    const choices = may(desk, admins) ? await listSourceChoices(db, account.mode) : []
    const people = await readNames(
      db,
      voices.map(({ changedBy }) => changedBy),
    )
    const today = bankDay(desk.now, account.currency)
    const view = { account, requisites, asked: visit.query('kind') }
    return accountPage({ ...desk, people }, { ...view, voices: { voices, open, choices, today } })
  }
  get('/requisites/:id', read, (visit) => accountOf(visit))

  post(
    '/requisites/:id/voice',
    admin,
    async (visit) => {
      const id = idOf(visit)
      const role = roles.find((role) => role === visit.field('role'))
      const ids = idKinds.find((kind) => kind === visit.field('ids'))
      const [source, fromDay] = [visit.field('source'), visit.field('from')]
      if (!role || source === '' || !isDay(fromDay))
        throw new Refusal('invalid_value', { detail: voiceWords[visit.language].chooseAll })
      const change = { kind: 'account_voice', id, role, source, fromDay, ids } as const
      const reason = reasonOf(visit, 'voiceReason')
      const isAsked = await proposeOrChangeVoice(db, { change, by: deciderOf(visit), reason })
      return { to: deskPath('/requisites/:id', id), notice: isAsked ? 'proposed' : 'saved' }
    },
    accountOf,
  )

  post('/requisites/:id/stop', work, async (visit) => {
    const id = idOf(visit)
    await changeAccount(db, id, { enabled: false }, { audit: stopLine(visit, `account:${id}`) })
    return { to: deskPath('/requisites/:id', id), notice: 'stopped' }
  })

  post('/requisites/:id/stop-one', work, async (visit) => {
    const requisite = await requisiteOf(visit)
    await setRequisite(db, requisite, false, { audit: stopLine(visit, `requisite:${requisite}`) })
    const isFromList = visit.field('back') === 'list'
    const to = isFromList ? accountsAt(accountFilter(visit.field)) : deskPath('/requisites/:id', idOf(visit))
    return { to, notice: 'stopped' }
  })

  post('/requisites/:id/on', dangerous, async (visit) => {
    const id = idOf(visit)
    const change = { kind: 'requisite_on', target: 'account', id } as const
    await propose(db, { change, by: deciderOf(visit), reason: reasonOf(visit) })
    return { to: deskPath('/requisites/:id', id), notice: 'proposed' }
  })

  post('/requisites/:id/on-one', dangerous, async (visit) => {
    const change = { kind: 'requisite_on', target: 'requisite', id: await requisiteOf(visit) } as const
    await propose(db, { change, by: deciderOf(visit), reason: reasonOf(visit) })
    return { to: deskPath('/requisites/:id', idOf(visit)), notice: 'proposed' }
  })

  post('/requisites/:id/propose', dangerous, async (visit) => {
    const change = { kind: 'requisite_add', add: requisiteIn(visit) } as const
    await propose(db, { change, by: deciderOf(visit), reason: reasonOf(visit) })
    return { to: deskPath('/requisites/:id', idOf(visit)), notice: 'proposed' }
  })

  post('/requisites/:id/limits', dangerous, async (visit) => {
    const id = idOf(visit)
    const changed = await changeAccountLimits(db, {
      id,
      limits: {
        dayCents: centsIn(visit, 'dayLimit'),
        monthCents: centsIn(visit, 'monthLimit'),
        openDeposits: countIn(visit, 'openLimit', 1_000_000),
      },
      silentHours: countIn(visit, 'silentHours', 8_760),
      by: deciderOf(visit),
      reason: reasonOf(visit, 'why'),
    })
    return { to: deskPath('/requisites/:id', id), notice: noticeOf(changed) }
  })

  post('/requisites/:id/matching', admin, async (visit) => {
    const id = idOf(visit)
    const amountMatching = amountMatchings.find(
      (amountMatching) => amountMatching === visit.field('matching'),
    )
    if (!amountMatching) throw new Refusal('invalid_value')
    const isAsked = await changeAccountMatching(db, {
      change: { kind: 'account_matching', id, amountMatching },
      by: deciderOf(visit),
      reason: reasonOf(visit, 'matchingReason'),
    })
    return { to: deskPath('/requisites/:id', id), notice: isAsked ? 'proposed' : 'done' }
  })

  get('/requisite/:id', read, async (visit) => {
    const [desk, [requisite]] = await Promise.all([
      deskOf(tools, visit),
      readRequisites(db, { id: idOf(visit) }),
    ])
    const [account] = requisite ? await readAccounts(db, requisite.accountId) : []
    if (!requisite || !account) throw new Refusal('not_found')
    return requisitePage(desk, { requisite, account })
  })

  post('/requisite/:id/limits', dangerous, async (visit) => {
    const id = idOf(visit)
    const reason = reasonOf(visit, 'why')
    const changed = await changeRequisiteLimits(db, {
      id,
      limits: limitsIn(visit),
      by: deciderOf(visit),
      reason,
    })
    return { to: deskPath('/requisite/:id', id), notice: noticeOf(changed) }
  })

  post('/requisites/:id/number', admin, async (visit) => {
    const id = idOf(visit)
    const isAsked = await changeAccountMatching(db, {
      change: { kind: 'account_number', id, number: visit.field('statementNumber') },
      by: deciderOf(visit),
      reason: visit.field('numberReason'),
    })
    return { to: deskPath('/requisites/:id', id), notice: isAsked ? 'proposed' : 'saved' }
  })

  /** The requisite in the address, if it belongs to this account. */
  async function requisiteOf(visit: KnownVisit): Promise<string> {
    const id = visit.field('requisite')
    if (!isUuid(id) || (await accountOfRequisite(db, id)) !== idOf(visit)) throw new Refusal('not_found')
    return id
  }
}

const stopLine =
  (visit: KnownVisit, subject: string) =>
  ({ wasEnabled }: WasEnabled) =>
    auditLine(visit, {
      act: 'emergency_stop',
      subject,
      before: { enabled: wasEnabled },
      after: { enabled: false },
    })

const noticeOf = ({ isChanged, isProposed }: LimitsChanged) =>
  !isProposed ? 'saved' : isChanged ? 'proposed_rest' : 'proposed'

const details = [...detailFields, 'link'] as const

function requisiteIn(visit: KnownVisit): RequisiteAsked {
  const { field } = visit
  const kind = requisiteKinds.find((requisiteKind) => requisiteKind === field('kind'))
  if (!kind) throw new Refusal('invalid_value')
  return {
    accountId: idOf(visit),
    draft: {
      kind,
      number: field('number'),
      holder: field('holder'),
      bankName: field('bankName'),
      ...Object.fromEntries(details.filter((name) => field(name) !== '').map((name) => [name, field(name)])),
    },
    bankCode: field('bankCode') || null,
    limits: limitsIn(visit),
    confirmed: field('confirmed') === 'on',
  }
}

const limitsIn = (visit: KnownVisit): RequisiteLimits => ({
  minCents: centsIn(visit, 'minCents'),
  maxCents: centsIn(visit, 'maxCents'),
  dailyCents: centsIn(visit, 'dailyCents'),
  openDeposits: countIn(visit, 'openDeposits', 9_999_999),
})

/** Empty means no limit; a limit must be above zero. */
function centsIn(visit: KnownVisit, name: string): bigint | null {
  const text = visit.field(name)
  const cents = text === '' ? null : centsFrom(text)
  if (text !== '' && !cents) throw wrongLimit(visit, name, typedAmount(150_050n, visit.language))
  return cents
}

function countIn(visit: KnownVisit, name: string, most: number): number | null {
  const text = visit.field(name)
  if (text === '') return null
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > most) throw wrongLimit(visit, name, `1–${most}`)
  return Number(text)
}

/** The refusal names the field as the form does. */
function wrongLimit(visit: KnownVisit, name: string, example: string): Refusal {
  const { perDay, perMonth, openAtOnce, silentHours } = bankWords[visit.language]
  const own: Record<string, string> = {
    dayLimit: perDay,
    monthLimit: perMonth,
    openLimit: openAtOnce,
    silentHours,
  }
  const label = own[name] ?? caseWords[visit.language].fields[name] ?? name
  return new Refusal('invalid_value', { detail: `${label}: ${example}.` })
}
