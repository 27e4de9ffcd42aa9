/** The list of all transfers. */

import { modes } from '../../../domain/merchants/merchant.ts'
import { currencies, isCurrency } from '../../../domain/money.ts'
import { isDay } from '../../../domain/transfers/bank-text/days.ts'
import { type Transfer, transferStates } from '../../../domain/transfers/transfer.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { dayOf, shortId } from '../../staff/frame.ts'
import { listTabs } from '../../staff/list-tabs.ts'
import { listWords } from '../../staff/list-words.ts'
import { transferBadge } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html } from '../../web/html.ts'
import { empty, previewed, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage } from '../frame.ts'
import { listPager } from '../list-pager.ts'
import { deskPath } from '../paths.ts'
import { transferMoney, withMode } from './money-pieces.ts'

/** Reads the filter of the list from its address; invalid values are ignored. */
export const transferFilter = (say: (name: string) => string) => ({
  state: [...transferStates, 'money_in' as const].find((state) => state === say('state')) ?? ('' as const),
  account: isUuid(say('account')) ? say('account') : '',
  /** A day in the viewer's zone. Mode and currency are looked up within a day. */
  day: isDay(say('day')) ? say('day') : '',
  mode: (isDay(say('day')) && modes.find((mode) => mode === say('mode'))) || ('' as const),
  currency: isDay(say('day')) && isCurrency(say('currency')) ? say('currency') : '',
})

type TransfersView = {
  rows: readonly Transfer[]
  filter: ReturnType<typeof transferFilter>
  accountLabel: string | null
  next: string | null
  isFirst: boolean
}

export function transfersPage(desk: DeskContext, view: TransfersView) {
  const words = caseWords[desk.language]
  const { rows, filter, accountLabel, next, isFirst } = view
  const { state, account, day, mode, currency } = filter
  return deskPage(desk, {
    title: words.sections.transfers,
    section: 'transfers',
    isLive: true,
    body: html`${listTabs(desk, { path: deskPath('/transfers'), filtered: filter, states: usualStates(desk) })}
${filterBar(desk, {
  path: deskPath('/transfers'),
  filters: [
    choiceFilter({
      name: 'state',
      label: words.state,
      value: state,
      none: words.all,
      choices: [
        { value: 'money_in', text: words.moneyIn },
        ...transferStates.map((transferState) => ({
          value: transferState,
          text: stateWords[desk.language].transferStates[transferState],
        })),
      ],
    }),
    ...(account
      ? [
          choiceFilter({
            name: 'account',
            label: words.account,
            value: account,
            none: words.all,
            choices: [{ value: account, text: accountLabel ?? `…${account.slice(-8)}` }],
          }),
        ]
      : []),
    fieldFilter({ name: 'day', label: words.takenOn, type: 'date', value: day }),
    // These filters only search the transfers of a day.
    ...(day === ''
      ? []
      : [
          choiceFilter({
            ...{ name: 'currency', label: words.currency, value: currency, none: words.all },
            choices: currencies.map((code) => ({ value: code, text: code })),
          }),
          choiceFilter({
            ...{ name: 'mode', label: words.mode, value: mode, none: words.all },
            choices: modes.map((mode) => ({ value: mode, text: words.modes[mode] })),
          }),
        ]),
  ],
})}
${
  rows.length === 0
    ? empty(words.noTransfers, words.noTransfersText)
    : previewed(
        html`<div class="compact transfers">${table(
          words.sections.transfers,
          [
            { head: words.amount, is: 'number' },
            words.state,
            words.booked,
            { head: words.payer, is: 'middle' },
            { head: words.purpose, is: 'long' },
            { head: words.account, is: 'middle extra' },
            { head: words.deposit, is: 'extra' },
          ],
          rows.map((row) => [
            withMode(
              desk,
              row.mode,
              html`<a href="${deskPath('/transfers/:id', row.id)}">${transferMoney(desk, row)}</a>`,
            ),
            transferBadge(desk, row.state),
            dayOf(desk, row.bookedOn),
            row.payerName && html`<bdi>${row.payerName.slice(0, 60)}</bdi>`,
            row.purpose && html`<bdi>${row.purpose.slice(0, 140)}</bdi>`,
            row.accountLabel,
            row.shares.map(
              ({ depositId: id }) => html`<a href="${deskPath('/deposits/:id', id)}">${shortId(id)}</a> `,
            ),
          ]),
        )}</div>`,
        listWords[desk.language],
      )
}
${listPager(desk, { path: deskPath('/transfers'), params: filter, next, isFirst })}`,
  })
}

/** The states that are asked for most. */
const usualStates = ({ language }: DeskContext) =>
  (['unmatched', 'ambiguous', 'held', 'matched'] as const).map((state) => ({
    state,
    name: stateWords[language].transferStates[state],
  }))
