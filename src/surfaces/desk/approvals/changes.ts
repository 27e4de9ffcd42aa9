/** What a proposal would change: the current and the proposed value of each field, by the kind of the proposal. */

import type {
  Proposal,
  ProposalKind,
  RequisiteAsked,
  VoiceTexts,
} from '../../../domain/approvals/proposal.ts'
import type { Currency } from '../../../domain/money.ts'
import type { AmountMatching, RequisiteKind } from '../../../domain/requisites/requisite.ts'
import type { Role } from '../../../domain/transfers/voice.ts'
import { dayOf, moneyOf, shortId } from '../../staff/frame.ts'
import { depositBadge, transferBadge } from '../../staff/state-badges.ts'
import { numberGroups } from '../../web/format.ts'
import { html, type Markup } from '../../web/html.ts'
import { bankWords } from '../bank-words.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { sourceText } from '../requisites/source-pieces.ts'
import { voiceWords } from '../requisites/voice-words.ts'
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
}
