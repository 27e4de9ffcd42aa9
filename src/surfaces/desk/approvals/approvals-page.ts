/**
 * Pages of proposals: who proposed what and why, the current and the proposed values, and the decision of a second
 * person.
 */

import { type ApprovalRight, mayApprove } from '../../../domain/approvals/guard.ts'
import type { Proposal, ProposalState, ProposalWithDecision } from '../../../domain/approvals/proposal.ts'
import { type MessageOrText, readMessage } from '../../../domain/messages/message.ts'
import { timeOf } from '../../staff/frame.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import {
  badge,
  callout,
  empty,
  factsPanel,
  factsTable,
  field,
  pairs,
  panel,
  type Tone,
  table,
} from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { admins, type DeskContext, deciders, deskPage, freshFactorNotice, may, waitingFor } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'
import { changesOf } from './changes.ts'
import { type Change, requestName } from './requests.ts'
import type { SubjectNames } from './rows.ts'
import { subjectLink, subjectName } from './subject-pieces.ts'

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
    names,
    acts,
  }: {
    open: readonly Proposal[]
    decided: readonly ProposalWithDecision[]
    names: SubjectNames
    acts: Markup | null
  },
) {
  const words = caseWords[desk.language]
  return deskPage(desk, {
    title: words.sections.approvals,
    section: 'approvals',
    isLive: true,
    body: html`${acts}${
      open.length === 0
        ? empty(words.noProposals, words.noProposalsText)
        : factsTable(
            words.sections.approvals,
            [
              words.asksFor,
              words.what,
              words.who,
              { head: words.waits, is: 'state' },
              { head: words.why, is: 'long' },
            ],
            open.map((proposal) => [
              html`<a href="${deskPath('/approvals/:id', proposal.id)}">${requestName(desk, proposal)}</a>`,
              subjectLink(desk, names, proposal.subject),
              proposal.proposerName,
              waitingFor(desk, proposal.proposedAt),
              html`<bdi>${translate(proposal.reason, desk.language)}</bdi>`,
            ]),
          )
    }
${
  decided.length > 0 &&
  factsPanel(
    words.decided,
    [
      words.asksFor,
      { head: words.state, is: 'state' },
      words.what,
      words.who,
      words.when,
      { head: words.why, is: 'long' },
    ],
    decided.map((proposal) => [
      html`<a href="${deskPath('/approvals/:id', proposal.id)}">${requestName(desk, proposal)}</a>`,
      badge(words.proposalStates[proposal.state], tones[proposal.state]),
      subjectLink(desk, names, proposal.subject),
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
  {
    proposal,
    changes,
    names,
    right,
    isAlone,
  }: {
    proposal: ProposalWithDecision
    /** What a declared act would change; null for the other kinds. */
    changes: Change[] | null
    names: SubjectNames
    right: ApprovalRight
    isAlone: boolean
  },
) {
  const words = caseWords[desk.language]
  const warnings = warningsOf(proposal).map((text) => translate(text, desk.language))
  return deskPage(desk, {
    title: requestName(desk, proposal),
    section: 'approvals',
    actions: badge(words.proposalStates[proposal.state], tones[proposal.state]),
    body: html`<div class="split two">
${panel(
  words.asksFor,
  html`${pairs([
    [words.what, subjectMarkup(desk, proposal, names)],
    [words.who, proposal.proposerName],
    [words.when, timeOf(desk, proposal.proposedAt)],
    [words.why, html`<bdi>${translate(proposal.reason, desk.language)}</bdi>`],
  ])}
${changeTable(desk, proposal, changes ?? changesOf(desk, proposal))}
${warnings.length > 0 && callout('warn', html`${words.warnings}: ${warnings.join(' ')}`)}`,
)}
${panel(words.decide, proposal.state === 'open' ? decision(desk, proposal, { right, isAlone }) : decided(desk, proposal))}
</div>`,
  })
}

/** The current name of the subject, the name that the request gave it if it differs, and the address of a person. */
function subjectMarkup(desk: DeskContext, { subject, asked }: Proposal, names: SubjectNames): Markup {
  const name = subjectName(desk, names, subject)
  const isNamed = asked.label === name || (name !== undefined && subject.startsWith('requisite:'))
  return html`${subjectLink(desk, names, subject)}${typeof asked.label === 'string' && !isNamed && html` <bdi>${asked.label}</bdi>`}${typeof asked.email === 'string' && html` <bdi class="anywhere">${asked.email}</bdi>`}`
}

const decided = (desk: DeskContext, proposal: ProposalWithDecision): Markup =>
  pairs([
    [deskWords[desk.language].who, proposal.deciderName ?? '–'],
    [deskWords[desk.language].when, proposal.decidedAt ? timeOf(desk, proposal.decidedAt) : '–'],
    [deskWords[desk.language].why, html`<bdi>${proposal.decidedReason || '–'}</bdi>`],
  ])

function decision(
  desk: DeskContext,
  proposal: ProposalWithDecision,
  { right, isAlone }: { right: ApprovalRight; isAlone: boolean },
): Markup {
  const words = caseWords[desk.language]
  const isOwn = proposal.proposedBy === desk.visitor.person.id
  const canApprove = may(desk, deciders) && mayApprove(right)
  const hasLink = proposal.kind === 'desk_invitation' || proposal.kind === 'desk_reset'
  if (!canApprove && !isOwn && !may(desk, deciders)) return html`<p class="quiet">${words.notYours}</p>`
  return html`${freshFactorNotice(desk)}
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
  if (right.is === 'never')
    return callout('info', right.because === 'own' ? words.ownProposal : words.aboutYourself)
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

/** The current and the proposed value of each field; of something new the values alone. */
function changeTable(desk: DeskContext, proposal: Proposal, changes: readonly Change[]): Markup {
  const words = caseWords[desk.language]
  const nameOf = (name: string) => words.fields[name] ?? name
  if (proposal.asked.id === null)
    return pairs(changes.map(([name, , after]) => [nameOf(name), html`<bdi>${after}</bdi>`]))
  return table(
    words.asksFor,
    [words.what, words.before, { head: words.after, is: 'long' }],
    changes.map(([name, before, after]) => [nameOf(name), before, html`<bdi>${after}</bdi>`]),
  )
}

/** Proposals from before message codes were stored have the English sentences only. */
function warningsOf({ asked }: Proposal): MessageOrText[] {
  const [warnings, findings] = [asked.warnings ?? [], asked.findings ?? []] as [string[], unknown[]]
  return warnings.map((text, place) => readMessage({ code: findings[place] }, text))
}
