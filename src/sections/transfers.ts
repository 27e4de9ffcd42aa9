/** Everything that banks have told: searched, compared, and decided by a person where the matcher does not. */
import { readable } from '../domain/money.ts'
import { readSuspects } from '../domain/transfers/doubt-store.ts'
import { listReports } from '../domain/transfers/report-store.ts'
import { findHeldWith, listTransfers, listUnbooked, readTransfer } from '../domain/transfers/store.ts'
import { canBecome, type Decision, type Transfer } from '../domain/transfers/transfer.ts'
import { undoableState } from '../domain/transfers/undo-decision.ts'
import { day, foreign, link, modeOf, money, person, said, state, text, time, words } from './cells.ts'
import { choices, section } from './declare.ts'
import { facts, note, table } from './parts.ts'
import { read } from './roles.ts'
import { both, type Cell, type Column, type Context, type Part, type Two } from './section.ts'
import { accountFilter, currencyFilter, modeFilter, notesOf, search } from './shared.ts'
import { channelWords, choicesFrom, transferState, transferStateWords } from './states.ts'
import { shortId } from './subjects.ts'
import { type TransferRow, transferActs } from './transfer-acts.ts'

/** Outgoing money has a minus sign. */
const signed = ({ direction, cents, currency }: Transfer): Cell =>
  money(direction === 'debit' ? -cents : cents, currency)

type Fact = Omit<Column<TransferRow>, 'rank'>
const fact = (head: Two, cell: (transfer: Transfer) => Cell): Fact => ({
  head,
  cell: ({ transfer }) => cell(transfer),
})

/** What the bank reported: compared where two transfers may be one payment. */
const bankFacts = {
  booked: fact(['Booked', 'Проведено'], (t) => (t.bookedAt ? time(t.bookedAt) : day(t.bookedOn))),
  paid: fact(['Paid', 'Оплачено'], (t) => day(t.paidOn)),
  payer_account: fact(['Payer’s account', 'Счёт плательщика'], (t) => foreign(t.payerAccount)),
  payer_tax_id: fact(['Payer’s tax ID', 'ИНН плательщика'], (t) => foreign(t.payerTaxId)),
  payer_bank: fact(['Payer’s bank', 'Банк плательщика'], (t) => foreign(t.payerBank)),
  document: fact(['Document', 'Документ'], (t) => foreign(t.documentNumber)),
  bank_id: fact(['Bank reference', 'Референс банка'], (t) => foreign(t.bankId)),
} as const

const { booked, ...reported } = bankFacts

const amount: Column<TransferRow> = {
  head: ['Amount', 'Сумма'],
  rank: 1,
  is: 'money',
  cell: ({ transfer }) => signed(transfer),
}
const payer: Column<TransferRow> = {
  head: ['Payer', 'Плательщик'],
  rank: 2,
  cell: ({ transfer: { payerName, payerTaxId, payerAccount } }) => {
    const key = payerTaxId || payerAccount || payerName
    return key === '' ? null : { is: 'link', id: key, text: payerName.slice(0, 60) || key, filter: 'payer' }
  },
}
const purpose: Column<TransferRow> = {
  head: ['Purpose', 'Назначение'],
  rank: 2,
  cell: ({ transfer }) => foreign(transfer.purpose.slice(0, 140)),
}

export const transfers = section<TransferRow>()({
  one: 'transfer',
  path: '/transfers',
  name: ['Transfers', 'Операции'],
  empty: [
    ['No transfers found', 'Операции не найдены'],
    [
      'Transfers appear when a bank pushes them or a statement is imported.',
      'Операции появляются, когда их присылает банк или загружена выписка.',
    ],
  ],
  read,
  isLive: true,
  isExported: true,
  columns: {
    amount,
    state: { rank: 1, cell: ({ transfer }) => transferState(transfer.state) },
    booked: { ...booked, rank: 2 },
    payer,
    purpose,
    account: {
      rank: 3,
      cell: ({ transfer: { accountId, accountLabel } }) => ({
        ...{ is: 'link', id: accountId, text: accountLabel, filter: 'account' },
      }),
    },
    deposits: { head: ['Deposit', 'Депозит'], rank: 3, cell: ({ transfer }) => sharesOf(transfer) },
    mode: { rank: 3, cell: ({ transfer }) => modeOf(transfer.mode) },
  },
  filters: {
    payer: search('Payer’s exact name, account or tax ID', 'Точное имя, счёт или ИНН плательщика'),
    state: {
      is: 'choice',
      of: [
        ...choices<'money_in' | 'unbooked'>({
          money_in: ['Money in', 'Все поступления'],
          unbooked: ['Told early, never booked', 'Сообщено, но не проведено'],
        }),
        ...choicesFrom(transferStateWords),
      ],
    },
    account: accountFilter,
    deposit: { head: ['Deposit (ID)', 'Депозит (ID)'], is: 'id' },
    day: { head: ['Seen on', 'Поступили'], is: 'day' },
    currency: { ...currencyFilter, head: ['Currency, with a day', 'Валюта, вместе с днём'] },
    mode: { ...modeFilter, head: ['Mode, with a day', 'Режим, вместе с днём'] },
  },
  idOf: ({ transfer }) => transfer.id,
  title: ({ transfer: { direction, cents, currency } }) =>
    direction === 'debit'
      ? [`Outgoing −${readable(cents, currency)}`, `Списание −${readable(cents, currency)}`]
      : [`Transfer ${readable(cents, currency)}`, `Поступление ${readable(cents, currency)}`],
  async list({ db, timeZone: zone }, { chosen, after: before, limit }) {
    const { state, account: accountId, deposit: depositId, payer, day, currency, mode } = chosen
    // Mode and currency are looked up within a day.
    const ofDay = day === null ? null : { day, zone, currency: currency ?? '', mode: mode ?? '' }
    const asked = { accountId, depositId, payer, day: ofDay, before, limit } as const
    const found =
      state === 'unbooked' ? await listUnbooked(db, limit - 1) : await listTransfers(db, { ...asked, state })
    return found.map((transfer) => ({ transfer, canUndo: false }))
  },
  async find({ db }, id) {
    const found = await readTransfer(db, id)
    return found && { transfer: found.transfer, canUndo: (await undoableState(db, found.transfer)) !== null }
  },
  facts: {
    ...reported,
    with_deposits: fact(['Applied to deposits', 'Зачтено в депозиты'], (t) => some(t.depositCents, t)),
    refunded: fact(['Refunded', 'Возвращено'], (t) => some(t.refundCents, t)),
    open: fact(['Unallocated', 'Не распределено'], (t) => some(t.openCents, t)),
    source: fact(['Source', 'Источник'], (t) => words(channelWords[t.channel])),
    taken_at: fact(['Received', 'Получено'], (t) => time(t.takenAt)),
    told_early_at: fact(['Told early', 'Сообщено заранее'], (t) => time(t.toldEarlyAt)),
    told_booked_at: fact(['Booked by a file', 'Проведено по файлу'], (t) => time(t.toldBookedAt)),
    id: fact(both('ID'), (t) => text(t.id)),
  },
  parts: partsOf,
  claim: { item: ({ transfer }) => `transfer:${transfer.id}`, minutes: 10, isOptional: true },
  acts: transferActs,
})

const some = (cents: bigint, { currency }: Transfer): Cell => (cents > 0n ? money(cents, currency) : null)

/** Each deposit, with its part where it has not all of it. */
const sharesOf = ({ shares, cents, currency }: Transfer): Cell =>
  shares.length === 0
    ? null
    : shares.flatMap((share) => [
        link('/deposits', share.depositId, shortId(share.depositId)),
        share.cents < cents ? money(share.cents, currency) : null,
      ])

/** Those that wait for a person lead to the queue, where candidates are matched. */
async function partsOf(context: Context, row: TransferRow) {
  const { id, state } = row.transfer
  const decide = { to: '/queue/transfers', id, text: ['Decide', 'Решить'] } as const
  return [
    canBecome(state, 'set_aside') && note('info', ['It waits for a decision.', 'Ждёт решения.'], decide),
    ...(await evidenceParts(context, row)),
  ]
}

/** What speaks for a decision, and what was decided. */
export async function evidenceParts({ db }: Context, { transfer }: TransferRow): Promise<readonly Part[]> {
  const { decisions } = (await readTransfer(db, transfer.id))!
  const [suspects, reports, heldFor, notes] = await Promise.all([
    readSuspects(db, transfer),
    listReports(db, transfer.id),
    findHeldWith(db, transfer),
    notesOf(db, `transfer:${transfer.id}`, 'transfer_note'),
  ])
  return [
    ...comparison(transfer, suspects, decisions),
    ...(reports.length + heldFor.length === 0
      ? []
      : [
          facts(
            ['Told by', 'Кто сообщил'],
            [
              [
                ['Files that tell it', 'Есть в файлах'],
                reports.map(({ statementId, fileName, line }) =>
                  link('/statements', statementId, `${fileName}, ${line}`),
                ),
              ],
              [
                ['On hold because of it', 'Из-за него удержаны'],
                heldFor.map((id) => link('/transfers', id, shortId(id))),
              ],
            ],
          ),
        ]),
    ...notes,
    table(['Decision history', 'История решений'], decisions, [
      [['When', 'Когда'], ({ at }) => time(at)],
      [['State', 'Состояние'], ({ state }) => transferState(state)],
      [['Who', 'Кто'], ({ actor }) => person(actor)],
      [['Why', 'Почему'], ({ reason }) => said(reason)],
      [['Deposit', 'Депозит'], (one) => one.deposit_ids.map((id) => link('/deposits', id, shortId(id)))],
    ]),
  ]
}

/** More columns would be unreadable; the other suspects can still be chosen. */
const mostSuspectsShown = 2

const textOf = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)

/** Rows that may be one payment, fact by fact; what differs says so. */
function comparison(
  transfer: Transfer,
  suspects: readonly Transfer[],
  decisions: readonly Decision[],
): Part[] {
  if (suspects.length === 0) return []
  const why = decisions.findLast(({ rule }) => rule !== 'by_hand')?.reason
  const compared = [transfer, ...suspects.slice(0, mostSuspectsShown)].map((one) => ({
    transfer: one,
    canUndo: false,
  }))
  const rows = [amount, payer, purpose, ...Object.values(bankFacts)].flatMap(({ head, cell }): Cell[][] => {
    const cells = compared.map(cell)
    if (cells.every((one) => one === null)) return []
    const texts = new Set(cells.map((one) => JSON.stringify(one, textOf)))
    const differs = texts.size > 1 ? state('differs', ['Differs', 'Отличается'], 'warn') : null
    return [[[words(head), differs], ...cells]]
  })
  const stateRow = compared.map(({ transfer: one }) => [
    transferState(one.state),
    link('/transfers', one.id, shortId(one.id)),
  ])
  const others = compared.slice(1).map(({ transfer: { id } }): Two => {
    return [`Other transfer ${shortId(id)}`, `Другое поступление ${shortId(id)}`]
  })
  return [
    ...(why ? [note('warn', why)] : []),
    {
      is: 'table',
      head:
        transfer.state === 'duplicate'
          ? ['The same payment as another transfer', 'Тот же платёж, что и другое поступление']
          : ['Is it a payment that is known already?', 'Этот платёж уже известен?'],
      columns: [['Fact', 'Что'], ['This transfer', 'Это поступление'], ...others],
      rows: [...rows, [words(['State', 'Состояние']), ...stateRow]],
    },
  ]
}
