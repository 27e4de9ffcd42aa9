/** The list of all transfers. */

import type { SavedView } from '../../../domain/people/saved-views/saved-view.ts'
import { type TransferState, transferStates } from '../../../domain/transfers/transfer.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { choiceFilter, filterBar } from '../../staff/filter-bar.ts'
import { dayOf, moneyOf, shortId } from '../../staff/frame.ts'
import { listWords } from '../../staff/list-words.ts'
import { viewTabs } from '../../staff/saved-views/view-pieces.ts'
import { transferBadge } from '../../staff/state-badges.ts'
import { stateWords } from '../../staff/state-words.ts'
import { html } from '../../web/html.ts'
import { empty, previewed, table } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import type { TransferRow } from '../deposits/rows.ts'
import { type DeskContext, deskPage, modeBadge } from '../frame.ts'
import { listPager } from '../list-pager.ts'
import { deskPath } from '../paths.ts'

/** Reads the filter of the list from its address; invalid values are ignored. */
export const transferFilter = (say: (name: string) => string) => ({
  state: transferStates.find((transferState) => transferState === say('state')) ?? ('' as const),
  account: isUuid(say('account')) ? say('account') : '',
})

type TransfersView = {
  rows: readonly TransferRow[]
  state: TransferState | null
  accountId: string | null
  accountLabel: string | null
  views: readonly SavedView[]
  next: string | null
  isFirst: boolean
}

export function transfersPage(desk: DeskContext, view: TransfersView) {
  const words = caseWords[desk.language]
  const { rows, state, accountId, accountLabel, views, next, isFirst } = view
  const filtered = { state: state ?? '', account: accountId ?? '' }
  return deskPage(desk, {
    title: words.sections.transfers,
    section: 'transfers',
    isLive: true,
    body: html`${viewTabs(desk, { path: deskPath('/transfers'), action: (verb) => deskPath(`/transfers/${verb}`), filtered, usual: usualViews(desk), views })}
${filterBar(desk, {
  path: deskPath('/transfers'),
  filters: [
    choiceFilter({
      name: 'state',
      label: words.state,
      value: state,
      none: words.all,
      choices: transferStates.map((transferState) => ({
        value: transferState,
        text: stateWords[desk.language].transferStates[transferState],
      })),
    }),
    ...(accountId
      ? [
          choiceFilter({
            name: 'account',
            label: words.account,
            value: accountId,
            none: words.all,
            choices: [{ value: accountId, text: accountLabel ?? `…${accountId.slice(-8)}` }],
          }),
        ]
      : []),
  ],
})}
${
  rows.length === 0
    ? empty(words.noTransfers, words.noTransfersText)
    : previewed(
        table(
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
            html`<a href="${deskPath('/transfers/:id', row.id)}">${row.direction === 'debit' && '−'}${moneyOf(desk, row.cents, row.currency)}</a>`,
            transferBadge(desk, row.state),
            dayOf(desk, row.bookedOn),
            html`<bdi>${row.payerName.slice(0, 60) || '–'}</bdi>`,
            html`<bdi>${row.purpose.slice(0, 140) || '–'}</bdi>`,
            html`${row.accountLabel}${modeBadge(desk, row.mode)}`,
            row.depositId &&
              html`<a href="${deskPath('/deposits/:id', row.depositId)}">${shortId(row.depositId)}</a>`,
          ]),
        ),
        listWords[desk.language],
      )
}
${listPager(desk, { path: deskPath('/transfers'), params: filtered, next, isFirst })}`,
  })
}

/** The states that are asked for most. */
const usualViews = ({ language }: DeskContext) =>
  (['unmatched', 'ambiguous', 'matched'] as const).map((state) => ({
    name: stateWords[language].transferStates[state],
    filtered: { state },
  }))
