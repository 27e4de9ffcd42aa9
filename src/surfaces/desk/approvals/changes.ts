/** What a proposal would change: the current and the proposed value of each field, by the kind of the proposal. */

import type { SettingValues } from '../../../domain/approvals/guard.ts'
import type {
  Proposal,
  ProposalKind,
  RequisiteAsked,
  VoiceTexts,
} from '../../../domain/approvals/proposal.ts'
import type { MerchantSettings } from '../../../domain/merchants/merchant.ts'
import type { Currency } from '../../../domain/money.ts'
import type { OperatorRole } from '../../../domain/people/person.ts'
import type { AmountMatching, RequisiteKind } from '../../../domain/requisites/requisite.ts'
import type { Role } from '../../../domain/transfers/voice.ts'
import { settingText } from '../../staff/amount.ts'
import { dayOf, moneyOf, shortId } from '../../staff/frame.ts'
import { depositBadge, transferBadge } from '../../staff/state-badges.ts'
import { numberGroups } from '../../web/format.ts'
import { html, type Markup } from '../../web/html.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { sourceText } from '../requisites/source-pieces.ts'
import { voiceWords } from '../requisites/voice-words.ts'

/** The name of a field, either a key of the words for fields or its text, with the value before and after. */
type Change = [name: string, before: string | Markup, after: string | Markup]
type Asked = Proposal['asked']
type Changes = (desk: DeskContext, asked: Asked) => Change[]

export const changesOf = (desk: DeskContext, { kind, asked }: Proposal): Change[] =>
  changesByKind[kind](desk, asked)

/** Shown if there is no value. */
const none = '–'

const text = (value: unknown): string => (value === null || value === undefined ? none : String(value))

/** A number that the approver compares with a paper, in the groups that the customer sees. */
const digits = (number: string, kind: RequisiteKind): Markup =>
  html`<span class="digits">${numberGroups(number, kind).map((group) => html`<span>${group}</span>`)}</span>`

const money = (desk: DeskContext, cents: unknown, { currency }: Asked): string =>
  moneyOf(desk, BigInt(String(cents)), currency as Currency)

const turnedOn: Changes = ({ language }) => [['switch', caseWords[language].off, caseWords[language].on]]

const limits: Changes = (desk, asked) => {
  const { before, limits } = asked as Record<string, Record<string, string | null>>
  const limit = (name: string, value: string | null | undefined) => {
    if (value == null) return caseWords[desk.language].noLimit
    return name.endsWith('Cents') ? money(desk, value, asked) : value
  }
  return Object.keys(limits!).map((name) => [name, limit(name, before![name]), limit(name, limits![name])])
}

const role: Changes = ({ language }, asked) => {
  const { roles, noRole } = officeWords[language]
  const roleName = (name: unknown) => (name === null ? noRole : roles[name as OperatorRole])
  return [['role', roleName(asked.before), roleName(asked.role)]]
}

const sourceAccounts: Changes = (_desk, asked) => {
  const { before = [], labels = [] } = asked as Record<string, string[]>
  return [['accounts', before.join(', ') || none, [...before, ...labels].join(', ')]]
}

const networksText = ({ language }: DeskContext, networks: unknown): string =>
  ((networks ?? []) as string[]).join(' ') || bankWords[language].anywhere

const depositLink = (id: unknown): Markup =>
  html`<a href="${deskPath('/deposits/:id', text(id))}">${shortId(text(id))}</a>`

/** The purpose names another deposit. */
const namesOther = ({ language }: DeskContext, { namedId }: Asked): Change[] =>
  namedId
    ? [[caseWords[language].purpose, none, html`${caseWords[language].namesOther}: ${depositLink(namedId)}`]]
    : []

const changesByKind: Record<ProposalKind, Changes> = {
  requisite_add(desk, asked) {
    const { draft, limits, bankCode } = asked as unknown as RequisiteAsked
    const kind = bankWords[desk.language].kinds[draft.kind]
    const valueText = (name: string, value: unknown) => {
      if (name === 'number' || name === 'corrAccount') return digits(text(value), draft.kind)
      return name.endsWith('Cents') ? money(desk, value, asked) : text(value)
    }
    return Object.entries({ ...draft, kind, bankCode, ...limits })
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => [name, none, valueText(name, value)])
  },
  requisite_on: turnedOn,
  requisite_limits: limits,
  account_limits: limits,
  account_matching({ language }, asked) {
    const { byAmount, matchings } = bankWords[language]
    const matching = (value: unknown) => matchings[value as AmountMatching]
    return [[byAmount, matching(asked.before), matching(asked.amountMatching)]]
  },
  account_number: (_desk, asked) => [
    [
      'number',
      asked.before == null ? none : digits(text(asked.before), 'account_ru'),
      digits(text(asked.number), 'account_ru'),
    ],
  ],
  confirm: (desk, asked) => [
    ['state', depositBadge(desk, asked.state as 'created'), depositBadge(desk, 'confirmed')],
    [
      caseWords[desk.language].amount,
      money(desk, asked.receivedCents, asked),
      money(desk, asked.cents, asked),
    ],
  ],
  match: (desk, asked) => [
    [
      'deposit',
      transferBadge(desk, asked.before as 'unmatched'),
      html`${depositLink(asked.depositId)} ${money(desk, asked.depositCents, asked)}`,
    ],
    [caseWords[desk.language].amount, none, money(desk, asked.cents, asked)],
    ...namesOther(desk, asked),
  ],
  split: (desk, asked) => [
    [
      caseWords[desk.language].amount,
      transferBadge(desk, asked.before as 'unmatched'),
      money(desk, asked.cents, asked),
    ],
    ...(asked.shares as Record<string, string>[]).map(
      ({ depositId, cents, depositCents }): Change => [
        'deposit',
        none,
        html`${depositLink(depositId)} ${money(desk, cents, asked)} ${caseWords[desk.language].of(money(desk, depositCents, asked))}`,
      ],
    ),
    ...namesOther(desk, asked),
  ],
  match_several: (desk, asked) => [
    [caseWords[desk.language].amount, none, money(desk, asked.cents, asked)],
    [
      caseWords[desk.language].transfersOf,
      none,
      html`${(asked.transferIds as string[]).map((id) => html`<a href="${deskPath('/transfers/:id', id)}">${shortId(id)}</a> `)}`,
    ],
    ['deposit', none, money(desk, asked.depositCents, asked)],
    ...namesOther(desk, asked),
  ],
  merchant_rules({ language }, asked) {
    const { rules: names, policies } = officeWords[language]
    const { before, rules } = asked as Record<string, Record<string, string>>
    const value = (name: keyof MerchantSettings, stored: string) =>
      policies[stored] ?? settingText(name, stored, language)
    return (Object.keys(rules!) as (keyof MerchantSettings)[]).map((name) => [
      names[name],
      value(name, before![name]!),
      value(name, rules![name]!),
    ])
  },
  callback_address: (_desk, asked) => [['callbackUrl', text(asked.before), text(asked.callbackUrl)]],
  return_addresses(_desk, asked) {
    const before = asked.before as Record<string, unknown>
    return ['successUrl', 'rejectUrl'].map((name) => [name, text(before[name]), text(asked[name])])
  },
  source_add: (desk, asked) => [
    ...sourceAccounts(desk, asked),
    ['networks', none, networksText(desk, asked.networks)],
  ],
  source_account: sourceAccounts,
  source_networks: (desk, asked) => [
    ['networks', networksText(desk, asked.before), networksText(desk, asked.networks)],
  ],
  source_enable: turnedOn,
  account_voice(desk, asked) {
    const words = voiceWords[desk.language]
    const { role, before, ...after } = asked as VoiceTexts & { role: Role; before: VoiceTexts | null }
    return [
      [words.roles[role], before ? sourceText(desk, before.source) : none, sourceText(desk, after.source)],
      [words.from, before ? dayOf(desk, before.fromDay) : none, dayOf(desk, after.fromDay)],
      [words.ids, before ? words.idKinds[before.ids] : none, words.idKinds[after.ids]],
    ]
  },
  approval_settings(desk, asked) {
    const words = caseWords[desk.language]
    const { before, settings } = asked as { before: SettingValues; settings: SettingValues }
    const value = (name: string, stored: string | null | undefined) => {
      if (name === 'single') return stored === 'on' ? words.on : words.off
      return stored == null ? words.always : moneyOf(desk, BigInt(stored), name as Currency)
    }
    return Object.keys(settings).map((name) => [
      name === 'single' ? name : `${words.fields.above} (${name})`,
      value(name, before[name]),
      value(name, settings[name]),
    ])
  },
  desk_invitation: role,
  desk_role: role,
  desk_enable: ({ language }) => [['access', officeWords[language].disabled, caseWords[language].on]],
  desk_reset: ({ language }) => [
    ['access', caseWords[language].presentAccess, caseWords[language].newAccess],
  ],
}
