/** Pages of the people who work at the desk. */

import type { Proposal } from '../../../domain/approvals/proposal.ts'
import type { Invitation } from '../../../domain/people/links/link.ts'
import { type MerchantRole, operatorRoles, type Person } from '../../../domain/people/person.ts'
import { timeOf } from '../../staff/frame.ts'
import { type ListPart, partPager } from '../../staff/long-list.ts'
import { peopleWords } from '../../staff/words.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import { act, badge, button, callout, factsTable, field, form, panel, select } from '../../web/pieces.ts'
import { admins, type DeskContext, deskPage, freshFactorNotice, may, timeAgo } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { waitingList } from './guard-pieces.ts'

type PersonRow = Person & {
  lastSeenAt: Date | null
  memberships: readonly { merchantName: string; role: MerchantRole }[]
}

type PeopleView = {
  people: ListPart<PersonRow>
  /** Invitations that were not accepted yet. */
  invitations: ListPart<Invitation>
  /** Proposals that wait for a second person. */
  open: readonly Proposal[]
  acts: Markup | null
}

export function peoplePage(desk: DeskContext, { people, invitations, open, acts }: PeopleView) {
  const words = officeWords[desk.language]
  const isAdmin = may(desk, admins)
  const roles = operatorRoles.map((role) => ({ value: role, text: words.roles[role] }))
  return deskPage(desk, {
    title: words.sections.people,
    section: 'people',
    body: html`${acts}${waitingList(desk, open)}${isAdmin && freshFactorNotice(desk)}${isAdmin && html`<p>${words.peopleText}</p>`}
${factsTable(
  words.sections.people,
  [
    words.personName,
    { head: words.role, is: 'state' },
    words.merchant,
    { head: words.factor, is: 'named' },
    { head: words.lastSeen, is: 'named' },
    ...(isAdmin ? [{ head: words.acts, is: 'last long' } as const] : []),
  ],
  people.rows.map((person) => [
    html`<bdi>${person.name}</bdi>${person.disabledAt && html` ${badge(words.disabled, 'bad')}`}<span class="part quiet">${person.email}</span>`,
    person.operatorRole && words.roles[person.operatorRole],
    person.memberships.length > 0 &&
      html`<bdi>${person.memberships.map((place) => `${place.merchantName} (${peopleWords[desk.language].roles[place.role].toLowerCase()})`).join(', ')}</bdi>`,
    person.hasTotp || person.passkeys > 0 ? words.on : badge(words.none, 'warn'),
    person.lastSeenAt ? timeAgo(desk, person.lastSeenAt) : words.never,
    ...(isAdmin ? [personForm(desk, person)] : []),
  ]),
)}
${partPager(desk, people, { path: deskPath('/people'), name: 'after' })}
${(invitations.rows.length > 0 || !invitations.isFirst) && panel(words.invitations, html`${invitationsTable(desk, invitations.rows)}${partPager(desk, invitations, { path: deskPath('/people'), name: 'invited' })}`)}
${
  isAdmin &&
  panel(
    words.invite,
    html`<p>${words.inviteText}</p>
<ul class="quiet">${operatorRoles.map((role) => html`<li>${words.roleText[role]}</li>`)}</ul>${form(
      desk.visitor,
      {
        action: deskPath('/people/invite'),
        body: html`<div class="grid">${field({ name: 'email', label: words.email, type: 'email', isRequired: true, maxLength: 254 })}
${field({ name: 'name', label: words.personName, isRequired: true, maxLength: 100 })}
${select({ name: 'role', label: words.role, value: 'operator', choices: roles })}
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}</div>
${button(words.invite, 'primary')}`,
      },
    )}`,
  )
}`,
  })
}

/** One form for all changes of a person; a change that gives more rights needs a reason. */
function personForm(desk: DeskContext, person: PersonRow): Markup {
  const words = officeWords[desk.language]
  if (person.id === desk.visitor.person.id) return badge(words.yourself, 'info')
  const roles = [
    { value: '', text: words.noRole },
    ...operatorRoles.map((role) => ({ value: role, text: words.roles[role] })),
  ]
  const press = (
    word: 'role' | 'reset' | 'enable' | 'disable',
    text: string,
    kind: 'plain' | 'danger' = 'plain',
  ) =>
    html`<button type="submit" class="button ${kind}" formaction="${deskPath(`/people/${word}`)}">${text}</button>`
  return html`<details><summary>${words.changePerson}</summary><form method="post" action="${deskPath('/people/role')}" class="row"><input type="hidden" name="csrf" value="${desk.visitor.session.csrf}"><input type="hidden" name="email" value="${person.email}">
<select name="role" class="inline" aria-label="${words.role}: ${person.email}">${roles.map(
    ({ value, text }) =>
      html`<option value="${value}" ${flag('selected', value === (person.operatorRole ?? ''))}>${text}</option>`,
  )}</select>
<input name="reason" type="text" class="inline" maxlength="500" autocomplete="off" placeholder="${words.reason}" aria-label="${words.reason}: ${person.email}">
${press('role', words.setRole)}
${press('reset', words.reset)}
${person.disabledAt ? press('enable', words.enable) : press('disable', words.disable, 'danger')}</form></details>`
}

function invitationsTable(desk: DeskContext, invitations: readonly Invitation[]): Markup {
  const words = officeWords[desk.language]
  const isAdmin = may(desk, admins)
  return html`<p class="quiet">${words.invitationsText}</p>
${factsTable(
  words.invitations,
  [
    { head: words.email, is: 'long' },
    { head: words.role, is: 'middle' },
    { head: words.until, is: 'named' },
    ...(isAdmin ? [{ head: words.acts, is: 'last' } as const] : []),
  ],
  invitations.map((invitation) => [
    html`<bdi>${invitation.name}</bdi><span class="part anywhere">${invitation.email}</span>`,
    invitation.operatorRole
      ? words.roles[invitation.operatorRole]
      : html`${peopleWords[desk.language].roles[invitation.merchantRole!]}, <bdi>${invitation.merchantName}</bdi>`,
    timeOf(desk, invitation.expiresAt),
    ...(isAdmin
      ? [
          act(desk.visitor, {
            action: deskPath('/people/withdraw'),
            text: words.withdraw,
            kind: 'danger',
            hidden: { id: invitation.id },
          }),
        ]
      : []),
  ]),
)}`
}

/** Shown once, in the answer to the form; it has no address of its own. */
export function linkPage(
  desk: DeskContext,
  {
    email,
    link,
    isReset,
    hadAccount,
  }: { email: string; link: string; isReset: boolean; hadAccount: boolean },
) {
  const words = officeWords[desk.language]
  return deskPage(desk, {
    title: email,
    section: 'people',
    body: html`${callout('warn', words.linkText)}
${panel(words.link, html`<p class="mono anywhere" translate="no">${link}</p>${isReset && html`<p>${words.resetText}</p>`}${hadAccount && html`<p>${words.hadAccountText}</p>`}`)}
<p><a class="button primary" href="${deskPath('/people')}">${words.kept}</a></p>`,
  })
}
