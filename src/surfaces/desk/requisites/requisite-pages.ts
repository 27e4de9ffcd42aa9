/** Pages of receiving accounts with their owners and load, and of the requisites of one account. */

import { modes } from '../../../domain/merchants/merchant.ts'
import { type Currency, currencies } from '../../../domain/money.ts'
import { amountMatchings, detailsOf, kindsFor, maskedNumber } from '../../../domain/requisites/requisite.ts'
import { choiceFilter, filterBar } from '../../staff/filter-bar.ts'
import { moneyOf, timeOf } from '../../staff/frame.ts'
import { type ListPart, partPager } from '../../staff/long-list.ts'
import { html, type Markup, type Value } from '../../web/html.ts'
import {
  act,
  badge,
  button,
  type Choice,
  checkbox,
  empty,
  factsTable,
  field,
  form,
  pairs,
  panel,
  select,
  table,
} from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import {
  admins,
  type DeskContext,
  deskPage,
  freshFactorNotice,
  may,
  modeBadge,
  stopRow,
  timeAgo,
  workers,
} from '../frame.ts'
import { deskPath } from '../paths.ts'
import { accountLimits, requisiteLimits } from './limit-pieces.ts'
import type { AccountRow, ListedRequisite, RequisiteRow } from './rows.ts'
import { type Voices, voicesOfAccount } from './voice-pieces.ts'
import { voiceWords } from './voice-words.ts'

const switchBadge = (desk: DeskContext, isOn: boolean): Markup =>
  badge(isOn ? bankWords[desk.language].on : bankWords[desk.language].off, isOn ? 'ok' : 'bad')

const ofLimit = (desk: DeskContext, cents: bigint, limit: bigint | null, currency: Currency): Markup =>
  html`${moneyOf(desk, cents, currency)}${limit !== null && html`<span class="part of quiet">${bankWords[desk.language].of(moneyOf(desk, limit, currency))}</span>`}`

/** Reads the search of the list from its address; invalid values are ignored. */
export const accountFilter = (say: (name: string) => string) => ({
  q: say('q').normalize('NFC').replace(/\s+/g, ' ').trim().slice(0, 100),
  mode: modes.find((mode) => mode === say('mode')) ?? ('' as const),
  currency: currencies.find((currency) => currency === say('currency')) ?? ('' as const),
})
type AccountFilter = ReturnType<typeof accountFilter>

export const accountsAt = (filter: AccountFilter): string => {
  const chosen = Object.entries(filter).filter(([, value]) => value !== '')
  return chosen.length === 0
    ? deskPath('/requisites')
    : `${deskPath('/requisites')}?${new URLSearchParams(chosen)}`
}

type AccountsView = {
  accounts: ListPart<AccountRow>
  requisites: readonly ListedRequisite[]
  filter: AccountFilter
}

export function accountsPage(desk: DeskContext, { accounts, requisites, filter }: AccountsView) {
  const words = bankWords[desk.language]
  const isSearched = accountsAt(filter) !== deskPath('/requisites')
  return deskPage(desk, {
    title: words.sections.requisites,
    section: 'requisites',
    body: html`${filterBar(desk, {
      path: deskPath('/requisites'),
      search: {
        name: 'q',
        label: words.search,
        placeholder: words.searchHint,
        value: filter.q,
        maxLength: 100,
      },
      filters: [
        choiceFilter({
          name: 'mode',
          label: words.mode,
          value: filter.mode,
          none: words.anyMode,
          choices: modes.map((mode) => ({ value: mode, text: words.modes[mode] })),
        }),
        choiceFilter({
          name: 'currency',
          label: words.currency,
          value: filter.currency,
          none: words.anyCurrency,
          choices: currencies.map((currency) => ({ value: currency, text: currency })),
        }),
      ],
    })}
${
  accounts.rows.length === 0
    ? isSearched
      ? empty(words.nothingFound, words.nothingFoundText)
      : empty(words.noAccounts, words.noAccountsText)
    : [...Map.groupBy(accounts.rows, ({ currency }) => currency)].map(([currency, some]) =>
        panel(currency, accountsOf(desk, some, { requisites, filter, isSearched })),
      )
}
${partPager(desk, accounts, { path: accountsAt(filter), name: 'after' })}
${may(desk, admins) && panel(words.addAccount, addAccountForm(desk))}`,
  })
}

/** Shows accounts in use; the others are folded, unless they were searched for or are few. */
function accountsOf(
  desk: DeskContext,
  accounts: readonly AccountRow[],
  view: Pick<AccountsView, 'requisites' | 'filter'> & { isSearched: boolean },
): Markup {
  const isBusy = ({ open, monthCents }: AccountRow) => open > 0 || monthCents > 0n
  const [busy, idle] = [accounts.filter(isBusy), accounts.filter((account) => !isBusy(account))]
  const words = bankWords[desk.language]
  const name = `${words.accounts}, ${accounts[0]!.currency}`
  if (view.isSearched || idle.length <= 5) return accountTable(desk, name, [...busy, ...idle], view)
  const rest = words.idle(idle.length)
  return html`${busy.length > 0 && accountTable(desk, name, busy, view)}
<details class="section"><summary>${rest}</summary>${accountTable(desk, `${name}. ${rest}`, idle, view)}</details>`
}

function accountTable(
  desk: DeskContext,
  caption: string,
  accounts: readonly AccountRow[],
  { requisites, filter }: Pick<AccountsView, 'requisites' | 'filter'>,
): Markup {
  const words = bankWords[desk.language]
  const list = table(
    caption,
    [
      words.account,
      words.state,
      { head: words.owner, is: 'rare' },
      words.sections.requisites,
      { head: words.openNow, is: 'number' },
      { head: words.today, is: 'number' },
      { head: words.month, is: 'number extra' },
      { head: words.heard, is: 'extra' },
    ],
    accounts.map((account) => [
      html`<a href="${deskPath('/requisites/:id', account.id)}"><bdi>${account.label}</bdi></a>${modeBadge(desk, account.mode)}`,
      switchBadge(desk, account.enabled),
      html`<bdi>${account.ownerLegalName}</bdi>`,
      requisitesOf(desk, account, requisites, filter),
      account.openLimit === null ? account.open : `${account.open} ${words.of(account.openLimit)}`,
      ofLimit(desk, account.dayCents, account.dayLimit, account.currency),
      ofLimit(desk, account.monthCents, account.monthLimit, account.currency),
      account.heardAt ? timeAgo(desk, account.heardAt) : words.never,
    ]),
  )
  return html`<div class="brief">${list}</div>`
}

/** The number of enabled requisites and, unfolded, each with its stop button. */
function requisitesOf(
  desk: DeskContext,
  account: AccountRow,
  requisites: readonly ListedRequisite[],
  filter: AccountFilter,
): Value {
  const words = bankWords[desk.language]
  const mine = requisites.filter(({ accountId }) => accountId === account.id)
  const count = words.requisitesOn(account.requisitesOn, account.requisites - account.requisitesOn)
  if (mine.length === 0) return count
  return html`<details><summary>${count}</summary><ul class="plain">${mine.map((requisite) => {
    const name = `${words.kinds[requisite.kind]} •••• ${requisite.digits}`
    return html`<li><a href="${deskPath('/requisite/:id', requisite.id)}">${name}</a> <span class="quiet"><bdi>${requisite.bankName}</bdi></span> ${switchBadge(desk, requisite.enabled)}
${
  may(desk, workers) &&
  requisite.enabled &&
  act(desk.visitor, {
    action: deskPath('/requisites/:id/stop-one', account.id),
    text: words.stopOne(name),
    kind: 'danger',
    hidden: { requisite: requisite.id, back: 'list', ...filter },
  })
}</li>`
  })}${mine.length < account.requisites && html`<li><a href="${deskPath('/requisites/:id', account.id)}">${words.all}</a></li>`}</ul></details>`
}

function addAccountForm(desk: DeskContext): Markup {
  const words = bankWords[desk.language]
  const choice = (name: string, label: string, choices: readonly Choice[]) => html`<div class="field">
<label for="new-${name}">${label}</label>
<select id="new-${name}" name="${name}" required>${[{ value: '', text: words.choose }, ...choices].map((choice) => html`<option value="${choice.value}">${choice.text}</option>`)}</select>
</div>`
  return html`${freshFactorNotice(desk)}${form(desk.visitor, {
    action: deskPath('/requisites/add'),
    body: html`<div class="grid">
${choice(
  'mode',
  words.mode,
  modes.map((mode) => ({ value: mode, text: words.modes[mode] })),
)}
${choice(
  'currency',
  words.currency,
  currencies.map((currency) => ({ value: currency, text: currency })),
)}
${field({ name: 'label', label: words.name, isRequired: true, maxLength: 100 })}
${field({ name: 'owner', label: words.owner, isRequired: true, maxLength: 160 })}
${field({ name: 'public', label: words.ownerPublic, hint: words.ownerPublicHint, maxLength: 160 })}
${field({ name: 'tax', label: words.taxId, isRequired: true, maxLength: 20 })}
${field({ name: 'agreement', label: words.agreement, hint: words.agreementHint, isRequired: true, maxLength: 200 })}
${field({ name: 'merchant', label: words.forMerchant, maxLength: 36 })}
</div>
${button(words.add, 'primary')}`,
  })}`
}

type AccountView = {
  account: AccountRow
  requisites: ListPart<RequisiteRow>
  /** The kind of requisite that the form is to add, from the address. */
  asked: string
  voices: Voices
}

export function accountPage(desk: DeskContext, { account, requisites, asked, voices }: AccountView) {
  const words = bankWords[desk.language]
  return deskPage(desk, {
    title: account.label,
    section: 'requisites',
    actions: html`${switchBadge(desk, account.enabled)}${modeBadge(desk, account.mode)}`,
    body: html`${may(desk, workers) && stopRow(switchAct(desk, { isOn: account.enabled, stop: deskPath('/requisites/:id/stop', account.id), on: deskPath('/requisites/:id/on', account.id), stopText: words.stopAll }), account.enabled ? words.stopText : words.onText)}
${may(desk, workers) && freshFactorNotice(desk)}
${
  requisites.rows.length > 0 &&
  factsTable(
    words.sections.requisites,
    [
      words.requisite,
      { head: words.state, is: 'state' },
      // Stands beside the state, because the last column of a wide table may be out of sight.
      { head: words.acts, is: 'last' },
      { head: words.openNow, is: 'number named' },
      { head: words.today, is: 'number named' },
      { head: words.success, is: 'number named' },
      { head: words.lastConfirmed, is: 'named' },
    ],
    requisites.rows.map((requisite) => [
      html`<a href="${deskPath('/requisite/:id', requisite.id)}">${words.kinds[requisite.kind]} ${maskedNumber(requisite.number)}</a><span class="part quiet"><bdi>${requisite.bankName}</bdi> · <bdi>${requisite.holder}</bdi></span>`,
      switchBadge(desk, requisite.enabled),
      may(desk, workers) &&
        switchAct(desk, {
          isOn: requisite.enabled,
          stop: deskPath('/requisites/:id/stop-one', account.id),
          on: deskPath('/requisites/:id/on-one', account.id),
          stopText: words.stop,
          hidden: { requisite: requisite.id },
        }),
      requisite.openLimit === null ? requisite.open : `${requisite.open} ${words.of(requisite.openLimit)}`,
      ofLimit(desk, requisite.dayCents, requisite.dailyCents, requisite.currency),
      requisite.ended > 0 && words.successOf(requisite.confirmed, requisite.ended),
      requisite.lastConfirmedAt && timeAgo(desk, requisite.lastConfirmedAt),
    ]),
  )
}
${partPager(desk, requisites, { path: deskPath('/requisites/:id', account.id), name: 'after' })}
${panel(
  words.account,
  html`${pairs([
    [words.owner, html`<bdi>${account.ownerLegalName}</bdi>`],
    [words.ownerPublic, html`<bdi>${account.ownerPublicName}</bdi>`],
    [words.taxId, account.ownerTaxId],
    [words.agreement, html`<bdi>${account.ownerAgreement}</bdi>`],
    [words.addedBy, account.addedBy],
    [words.currency, account.currency],
    [words.number, account.number ? maskedNumber(account.number) : '–'],
    [words.heard, account.heardAt ? timeOf(desk, account.heardAt) : words.never],
    [
      words.sections.transfers,
      html`<a href="${deskPath('/transfers')}?account=${account.id}">${words.open}</a>`,
    ],
  ])}
${
  may(desk, admins) &&
  form(desk.visitor, {
    action: deskPath('/requisites/:id/number', account.id),
    className: 'row end',
    body: html`${field({ name: 'statementNumber', label: words.number, hint: words.numberHint, isRequired: true, maxLength: 40 })}${account.mode === 'live' && field({ name: 'numberReason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}${button(words.setNumber)}`,
  })
}`,
)}
${panel(voiceWords[desk.language].voices, voicesOfAccount(desk, account, voices))}
${panel(words.limits, accountLimits(desk, account))}
${panel(words.matching, matchingForm(desk, account))}
${may(desk, workers) && panel(words.addRequisite, addRequisiteForm(desk, account, asked))}`,
  })
}

/** Whether the amount alone may match where deposits carry references; a looser setting needs a reason. */
function matchingForm(desk: DeskContext, { id, amountMatching }: AccountRow): Markup {
  const words = bankWords[desk.language]
  if (!may(desk, admins)) return html`<p>${words.byAmount}: ${words.matchings[amountMatching]}</p>`
  return html`<p>${words.matchingText}</p>${form(desk.visitor, {
    action: deskPath('/requisites/:id/matching', id),
    body: html`${select({
      name: 'matching',
      label: words.byAmount,
      value: amountMatching,
      choices: amountMatchings.map((value) => ({ value, text: words.matchings[value] })),
    })}
${field({ name: 'matchingReason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.save)}`,
  })}`
}

/** The page of one requisite: its facts, load and limits. */
export function requisitePage(
  desk: DeskContext,
  { requisite, account }: { requisite: RequisiteRow; account: AccountRow },
) {
  const words = bankWords[desk.language]
  const names = caseWords[desk.language].fields
  const { id, currency } = requisite
  return deskPage(desk, {
    title: `${requisite.bankName} ${maskedNumber(requisite.number)}`,
    section: 'requisites',
    actions: html`${switchBadge(desk, requisite.enabled)}${modeBadge(desk, account.mode)}`,
    body: html`${may(desk, workers) && stopRow(switchAct(desk, { isOn: requisite.enabled, stop: deskPath('/requisites/:id/stop-one', account.id), on: deskPath('/requisites/:id/on-one', account.id), stopText: words.stopRequisite, hidden: { requisite: id } }), requisite.enabled ? words.stopRequisiteText : words.onText)}
${may(desk, workers) && freshFactorNotice(desk)}
${panel(
  words.requisite,
  pairs([
    [
      words.account,
      html`<a href="${deskPath('/requisites/:id', account.id)}"><bdi>${account.label}</bdi></a>`,
    ],
    [words.owner, html`<bdi>${account.ownerLegalName}</bdi>`],
    [words.kind, words.kinds[requisite.kind]],
    [names.holder!, html`<bdi>${requisite.holder}</bdi>`],
    [words.month, moneyOf(desk, requisite.monthCents, currency)],
    ...(requisite.ended > 0
      ? [[words.success, words.successOf(requisite.confirmed, requisite.ended)] as const]
      : []),
    ...(requisite.lastConfirmedAt
      ? [[words.lastConfirmed, timeOf(desk, requisite.lastConfirmedAt)] as const]
      : []),
  ]),
)}
${panel(words.limits, requisiteLimits(desk, requisite))}`,
  })
}

/** Switched off at once; switched on again only by a proposal with a reason. */
function switchAct(
  desk: DeskContext,
  options: { isOn: boolean; stop: string; on: string; stopText: string; hidden?: Record<string, string> },
): Markup {
  const words = bankWords[desk.language]
  const hidden = options.hidden ?? {}
  if (options.isOn)
    return act(desk.visitor, { action: options.stop, text: options.stopText, kind: 'danger', hidden })
  return form(desk.visitor, {
    action: options.on,
    className: 'row',
    body: html`${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="text" name="reason" class="inline" aria-label="${words.reason}" placeholder="${words.reason}" required maxlength="500" autocomplete="off">${button(words.turnOn)}`,
  })
}

/** The kind is chosen first, by a link: each kind has its own fields, and each currency its own kinds. */
function addRequisiteForm(desk: DeskContext, { id, currency }: AccountRow, asked: string): Markup {
  const words = bankWords[desk.language]
  const names = caseWords[desk.language].fields
  const kinds = kindsFor(currency)
  const kind = kinds.find((kind) => kind === asked) ?? kinds[0]!
  const text = (name: string, isRequired = false, maxLength = 160) =>
    field({ name, label: names[name] ?? name, isRequired, maxLength })
  return html`<p>${words.addRequisiteText}</p>
<nav id="add" aria-label="${words.kind}"><ul class="chips">${kinds.map(
    (known) =>
      html`<li><a href="${`${deskPath('/requisites/:id', id)}?kind=${known}#add`}" aria-current="${known === kind ? 'page' : 'false'}">${words.kinds[known]}</a></li>`,
  )}</ul></nav>
${form(desk.visitor, {
  action: deskPath('/requisites/:id/propose', id),
  body: html`<input type="hidden" name="kind" value="${kind}"><div class="grid">
${text('number', true, 40)}
${text('holder', true)}
${text('bankName', true)}
${text('bankCode', false, 32)}
${detailsOf(kind).map((name) => text(name, false, 34))}
${text('link', false, 500)}
${text('minCents', false, 20)}
${text('maxCents', false, 20)}
${text('dailyCents', false, 20)}
${text('openDeposits', false, 10)}
</div>
${checkbox({ name: 'confirmed', label: words.seenWarnings })}
${field({ name: 'reason', label: words.reason, hint: words.reasonHint, isRequired: true, maxLength: 500 })}
${button(words.addRequisite, 'primary')}`,
})}`
}
