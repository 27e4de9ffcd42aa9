/**
 * Pages of proposals: who proposed what and why, the current and the proposed values, and the decision of a second
 * person.
 */

import { type ApprovalRight, mayApprove, type SettingValues } from '../../../domain/approvals/guard.ts'
import type {
  Proposal,
  ProposalFound,
  ProposalState,
  RequisiteAsked,
} from '../../../domain/approvals/proposal.ts'
import type { MerchantSettings } from '../../../domain/merchants/merchant.ts'
import { type MessageOrText, readMessage } from '../../../domain/messages/message.ts'
import type { Currency } from '../../../domain/money.ts'
import type { OperatorRole } from '../../../domain/people/person.ts'
import type { AmountMatching } from '../../../domain/requisites/requisite.ts'
import { settingText } from '../../staff/amount.ts'
import { moneyOf, shortId, timeOf } from '../../staff/frame.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { depositBadge, transferBadge } from '../../staff/state-badges.ts'
import { html, type Markup } from '../../web/html.ts'
import { badge, callout, empty, field, pairs, panel, type Tone, table, tablePanel } from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import { admins, type DeskContext, deciders, deskPage, may, proofAsked, sinceOf } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { statementWords } from '../statements/words.ts'
import { deskWords } from '../words.ts'

const tones: Record<ProposalState, Tone> = {
  open: 'warn',
  approved: 'ok',
  refused: 'bad',
  withdrawn: 'plain',
}

export function approvalsPage(
  desk: DeskContext,
  {
    open,
    decided,
    acts,
  }: { open: readonly Proposal[]; decided: readonly ProposalFound[]; acts: Markup | null },
) {
  const words = caseWords[desk.language]
  return deskPage(desk, {
    title: words.sections.approvals,
    section: 'approvals',
    isLive: true,
    body: html`${acts}${
      open.length === 0
        ? empty(words.noProposals, words.noProposalsText)
        : table(
            words.sections.approvals,
            [words.asksFor, words.what, words.who, words.waits, { head: words.why, is: 'long' }],
            open.map((proposal) => [
              html`<a href="${deskPath('/approvals/:id', proposal.id)}">${words.proposals[proposal.kind]}</a>`,
              subjectLink(desk, proposal.subject),
              proposal.proposerName,
              sinceOf(desk, proposal.proposedAt),
              html`<bdi>${translate(proposal.reason, desk.language)}</bdi>`,
            ]),
          )
    }
${
  decided.length > 0 &&
  tablePanel(
    words.decided,
    [words.asksFor, words.state, words.what, words.who, words.when, { head: words.why, is: 'long' }],
    decided.map((proposal) => [
      html`<a href="${deskPath('/approvals/:id', proposal.id)}">${words.proposals[proposal.kind]}</a>`,
      badge(words.proposalStates[proposal.state], tones[proposal.state]),
      subjectLink(desk, proposal.subject),
      `${proposal.proposerName} → ${proposal.deciderName ?? '–'}`,
      proposal.decidedAt && timeOf(desk, proposal.decidedAt),
      html`<bdi>${proposal.decidedReason}</bdi>`,
    ]),
  )
}`,
  })
}

export function proposalPage(
  desk: DeskContext,
  { proposal, right, isAlone }: { proposal: ProposalFound; right: ApprovalRight; isAlone: boolean },
) {
  const words = caseWords[desk.language]
  const warnings = warningsOf(proposal).map((text) => translate(text, desk.language))
  return deskPage(desk, {
    title: words.proposals[proposal.kind],
    section: 'approvals',
    actions: badge(words.proposalStates[proposal.state], tones[proposal.state]),
    body: html`<div class="split two">
${panel(
  words.asksFor,
  html`${pairs([
    [
      words.what,
      html`${subjectLink(desk, proposal.subject)}${typeof proposal.asked.label === 'string' && html` <bdi>${proposal.asked.label}</bdi>`}${typeof proposal.asked.email === 'string' && html` <bdi class="anywhere">${proposal.asked.email}</bdi>`}`,
    ],
    [words.who, proposal.proposerName],
    [words.when, timeOf(desk, proposal.proposedAt)],
    [words.why, html`<bdi>${translate(proposal.reason, desk.language)}</bdi>`],
  ])}
${changeTable(desk, proposal)}
${warnings.length > 0 && callout('warn', html`${words.warnings}: ${warnings.join(' ')}`)}`,
)}
${panel(words.decide, proposal.state === 'open' ? decision(desk, proposal, { right, isAlone }) : decided(desk, proposal))}
</div>`,
  })
}

const decided = (desk: DeskContext, proposal: ProposalFound): Markup =>
  pairs([
    [deskWords[desk.language].who, proposal.deciderName ?? '–'],
    [deskWords[desk.language].when, proposal.decidedAt ? timeOf(desk, proposal.decidedAt) : '–'],
    [deskWords[desk.language].why, html`<bdi>${proposal.decidedReason || '–'}</bdi>`],
  ])

function decision(
  desk: DeskContext,
  proposal: ProposalFound,
  { right, isAlone }: { right: ApprovalRight; isAlone: boolean },
): Markup {
  const words = caseWords[desk.language]
  const isOwn = proposal.proposedBy === desk.visitor.person.id
  const canApprove = may(desk, deciders) && mayApprove(right)
  const hasLink = proposal.kind === 'desk_invitation' || proposal.kind === 'desk_reset'
  if (!canApprove && !isOwn && !may(desk, deciders)) return html`<p class="quiet">${words.notYours}</p>`
  return html`${proofAsked(desk)}
${rightText(desk, right)}
${isOwn && isAlone && !canApprove && secondPerson(desk)}
<form method="post" action="${deskPath(`/approvals/:id/${canApprove ? 'approve' : 'withdraw'}`, proposal.id)}" class="stack">
<input type="hidden" name="csrf" value="${desk.visitor.session.csrf}">
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${canApprove && html`<p class="quiet">${words.approveText}${hasLink && html` ${words.linkToApprover}`}</p>`}
<div class="row">
${canApprove && html`<button type="submit" class="button primary" formaction="${deskPath('/approvals/:id/approve', proposal.id)}" data-key="a">${words.approve} <kbd>A</kbd></button>`}
${may(desk, deciders) && !isOwn && html`<button type="submit" class="button danger" formaction="${deskPath('/approvals/:id/refuse', proposal.id)}" data-key="r">${words.refuse} <kbd>R</kbd></button>`}
${isOwn && html`<button type="submit" class="button" formaction="${deskPath('/approvals/:id/withdraw', proposal.id)}" data-key="w">${words.withdraw} <kbd>W</kbd></button>`}
</div>
</form>`
}

/** Why this person may approve, if the reason is unusual; or why not, and from when on they may. */
function rightText(desk: DeskContext, right: ApprovalRight): Markup | null {
  const words = caseWords[desk.language]
  if (right.is === 'later') {
    const text = right.because === 'own' ? words.ownFrom : words.admittedFrom
    return callout('info', html`${text} ${timeOf(desk, right.from)}.`)
  }
  if (right.is === 'never') return callout('info', words.ownProposal)
  if (right.is === 'single_operator') return callout('info', words.singleProposal)
  return right.is === 'delayed' ? callout('warn', words.delayedProposal) : null
}

/** Explains how to get a second person who can decide. */
function secondPerson(desk: DeskContext): Markup {
  const words = caseWords[desk.language]
  const way = may(desk, admins)
    ? html`<a href="${deskPath('/people')}">${words.inviteSecond}</a>.`
    : words.adminInvites
  return html`<p>${words.nobodyElse} ${way}</p>`
}

type Row = [name: string, before: string | Markup, after: string | Markup]

/** The current and the proposed value of each field. */
function changeTable(desk: DeskContext, { kind, asked }: Proposal): Markup {
  const words = caseWords[desk.language]
  const text = (value: unknown) => (value === null || value === undefined ? '–' : String(value))
  const depositLink = (id: string) => html`<a href="${deskPath('/deposits/:id', id)}">${shortId(id)}</a>`
  const namesOther = (link: Markup): Row => ['purpose', '–', html`${words.namesOther}: ${link}`]
  const rows = ((): Row[] => {
    if (kind === 'callback_address') return [['callbackUrl', text(asked.before), text(asked.callbackUrl)]]
    if (kind === 'account_number') return [['number', text(asked.before), text(asked.number)]]
    if (kind === 'account_matching') {
      const { byAmount, matchings } = bankWords[desk.language]
      const matching = (value: unknown) => matchings[value as AmountMatching]
      return [[byAmount, matching(asked.before), matching(asked.amountMatching)]]
    }
    if (kind === 'merchant_rules') {
      const { rules: names, policies } = officeWords[desk.language]
      const { before, rules } = asked as Record<string, Record<string, string>>
      const value = (name: keyof MerchantSettings, stored: string) =>
        policies[stored] ?? settingText(name, stored)
      return (Object.keys(rules!) as (keyof MerchantSettings)[]).map((name) => [
        names[name],
        value(name, before![name]!),
        value(name, rules![name]!),
      ])
    }
    if (kind === 'return_addresses') {
      const before = asked.before as Record<string, unknown>
      return ['successUrl', 'rejectUrl'].map((name) => [name, text(before[name]), text(asked[name])])
    }
    if (kind === 'statement_undo') {
      const sums = asked.sums as { currency: Currency; transfers: number; cents: string }[]
      const stages = statementWords[desk.language]
      return [
        ['state', stages.taken, stages.undone],
        ...sums.map(({ currency, transfers, cents }): [string, string, string] => [
          'amount',
          `${moneyOf(desk, BigInt(cents), currency)} · ${stages.rows}: ${transfers}`,
          moneyOf(desk, 0n, currency),
        ]),
      ]
    }
    if (kind === 'requisite_on' || kind === 'source_enable') return [['switch', words.off, words.on]]
    if (kind === 'source_add' || kind === 'source_account' || kind === 'source_networks')
      return sourceRows(desk, kind, asked)
    if (kind === 'approval_settings') return settingRows(desk, asked)
    if (kind === 'desk_reset') return [['access', words.presentAccess, words.newAccess]]
    if (kind === 'desk_enable') return [['access', officeWords[desk.language].disabled, words.on]]
    if (kind === 'desk_role' || kind === 'desk_invitation') {
      const { roles, noRole } = officeWords[desk.language]
      const role = (name: unknown) => (name === null ? noRole : roles[name as OperatorRole])
      return [['role', role(asked.before), role(asked.role)]]
    }
    if (kind === 'account_limits' || kind === 'requisite_limits') {
      const { before, limits } = asked as Record<string, Record<string, string | null>>
      const limit = (name: string, value: string | null | undefined) => {
        if (value == null) return words.noLimit
        return name.endsWith('Cents') ? moneyOf(desk, BigInt(value), asked.currency as Currency) : value
      }
      return Object.keys(limits!).map((name) => [
        name,
        limit(name, before![name]),
        limit(name, limits![name]),
      ])
    }
    if (kind === 'confirm') {
      const currency = asked.currency as Currency
      return [
        ['state', depositBadge(desk, asked.state as 'created'), depositBadge(desk, 'confirmed')],
        [
          'amount',
          moneyOf(desk, BigInt(text(asked.receivedCents)), currency),
          moneyOf(desk, BigInt(text(asked.cents)), currency),
        ],
      ]
    }
    if (kind === 'match') {
      const deposit = text(asked.depositId)
      const money = (cents: unknown) => moneyOf(desk, BigInt(text(cents)), asked.currency as Currency)
      return [
        [
          'deposit',
          transferBadge(desk, asked.before as 'unmatched'),
          html`${depositLink(deposit)} ${money(asked.depositCents)}`,
        ],
        ['amount', '–', money(asked.cents)],
        ...(asked.namedId ? [namesOther(depositLink(text(asked.namedId)))] : []),
      ]
    }
    const { draft, limits, bankCode } = asked as unknown as RequisiteAsked
    const { kinds } = bankWords[desk.language]
    return Object.entries({ ...draft, kind: kinds[draft.kind], bankCode, ...limits })
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => [
        name,
        '–',
        name.endsWith('Cents') ? moneyOf(desk, BigInt(text(value)), asked.currency as Currency) : text(value),
      ])
  })()
  const names: Record<string, string> = { ...words.fields, amount: words.amount, purpose: words.purpose }
  const nameOf = (name: string) => names[name] ?? name
  return table(
    words.asksFor,
    [words.what, words.before, { head: words.after, is: 'long' }],
    rows.map(([name, before, after]) => [nameOf(name), before, html`<bdi>${after}</bdi>`]),
  )
}

function sourceRows(
  desk: DeskContext,
  kind: 'source_add' | 'source_account' | 'source_networks',
  asked: Record<string, unknown>,
): [string, string, string][] {
  const { anywhere } = bankWords[desk.language]
  const { before = [], labels = [], networks = [] } = asked as Record<string, string[]>
  const from = (list: readonly string[]) => list.join(' ') || anywhere
  if (kind === 'source_networks') return [['networks', from(before), from(networks)]]
  const accounts: [string, string, string] = [
    'accounts',
    before.join(', ') || '–',
    [...before, ...labels].join(', '),
  ]
  return kind === 'source_account' ? [accounts] : [accounts, ['networks', '–', from(networks)]]
}

function settingRows(desk: DeskContext, asked: Record<string, unknown>): [string, string, string][] {
  const words = caseWords[desk.language]
  const { before, settings } = asked as { before: SettingValues; settings: SettingValues }
  const text = (name: string, value: string | null | undefined) => {
    if (name === 'single') return value === 'on' ? words.on : words.off
    return value == null ? words.always : moneyOf(desk, BigInt(value), name as Currency)
  }
  return Object.keys(settings).map((name) => [
    name === 'single' ? name : `${words.fields.above} (${name})`,
    text(name, before[name]),
    text(name, settings[name]),
  ])
}

/** Proposals from before message codes were stored have the English sentences only. */
function warningsOf({ asked }: Proposal): MessageOrText[] {
  const [warnings, findings] = [asked.warnings ?? [], asked.findings ?? []] as [string[], unknown[]]
  return warnings.map((text, place) => readMessage({ code: findings[place] }, text))
}

/** Links `deposit:…` to the deposit; subjects without a page stay text. */
export function subjectLink({ language }: Pick<DeskContext, 'language'>, subject: string): Markup {
  const [kind = '', id = ''] = subject.split(':', 2)
  const name = caseWords[language].subjects[kind] ?? kind
  const text = id ? html`${name} ${shortId(id)}` : html`${name}`
  if (kind === 'deposit') return html`<a href="${deskPath('/deposits/:id', id)}">${text}</a>`
  if (kind === 'transfer') return html`<a href="${deskPath('/transfers/:id', id)}">${text}</a>`
  if (kind === 'account') return html`<a href="${deskPath('/requisites/:id', id)}">${text}</a>`
  if (kind === 'requisite') return html`<a href="${deskPath('/requisite/:id', id)}">${text}</a>`
  if (kind === 'merchant') return html`<a href="${deskPath('/merchants/:id', id)}">${text}</a>`
  if (kind === 'source' && id) return html`<a href="${deskPath('/sources/:id', id)}">${text}</a>`
  if (kind === 'person') return html`<a href="${deskPath('/people')}">${text}</a>`
  if (kind === 'installation') return html`<a href="${deskPath('/settings')}">${text}</a>`
  if (kind === 'statement') return html`<a href="${deskPath('/statements/:id', id)}">${text}</a>`
  return text
}
