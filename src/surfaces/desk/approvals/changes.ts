/** What a proposal would change: the current and the proposed value of each field, by the kind of the proposal. */

import type { SettingValues } from '../../../domain/approvals/guard.ts'
import type { Proposal, ProposalKind } from '../../../domain/approvals/proposal.ts'
import type { MerchantSettings } from '../../../domain/merchants/merchant.ts'
import type { Currency } from '../../../domain/money.ts'
import type { OperatorRole } from '../../../domain/people/person.ts'
import { settingText } from '../../staff/amount.ts'
import { moneyOf, shortId } from '../../staff/frame.ts'
import { depositBadge, transferBadge } from '../../staff/state-badges.ts'
import { html, type Markup } from '../../web/html.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'
import { officeWords } from '../office-words.ts'
import { deskPath } from '../paths.ts'
import { statementWords } from '../statements/words.ts'

/** The name of a field, either a key of the words for fields or its text, with the value before and after. */
type Change = [name: string, before: string | Markup, after: string | Markup]
type Asked = Proposal['asked']
type Changes = (desk: DeskContext, asked: Asked) => Change[]

export const changesOf = (desk: DeskContext, { kind, asked }: Proposal): Change[] =>
  changesByKind[kind](desk, asked)

/** Shown if there is no value. */
const none = '–'

const text = (value: unknown): string => (value === null || value === undefined ? none : String(value))

const money = (desk: DeskContext, cents: unknown, { currency }: Asked): string =>
  moneyOf(desk, BigInt(String(cents)), currency as Currency)

const role: Changes = ({ language }, asked) => {
  const { roles, noRole } = officeWords[language]
  const roleName = (name: unknown) => (name === null ? noRole : roles[name as OperatorRole])
  return [['role', roleName(asked.before), roleName(asked.role)]]
}

const depositLink = (id: unknown): Markup =>
  html`<a href="${deskPath('/deposits/:id', text(id))}">${shortId(text(id))}</a>`

/** The purpose names another deposit. */
const namesOther = ({ language }: DeskContext, { namedId }: Asked): Change[] =>
  namedId
    ? [[caseWords[language].purpose, none, html`${caseWords[language].namesOther}: ${depositLink(namedId)}`]]
    : []

const changesByKind: Record<ProposalKind, Changes> = {
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
  statement_undo(desk, asked) {
    const sums = asked.sums as { currency: Currency; transfers: number; cents: string }[]
    const words = statementWords[desk.language]
    return [
      ['state', words.taken, words.undone],
      ...sums.map(
        ({ currency, transfers, cents }): Change =>
          // Outgoing rows and duplicates are revoked without changing what came in.
          BigInt(cents) === 0n
            ? [words.rows, String(transfers), '0']
            : [
                words.incoming,
                `${moneyOf(desk, BigInt(cents), currency)} · ${words.rows}: ${transfers}`,
                moneyOf(desk, 0n, currency),
              ],
      ),
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
