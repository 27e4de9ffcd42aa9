/** Everything that banks have told: searched, compared, and decided by a person where the matcher does not. */
import { type Mode, modes } from '../domain/merchants/merchant.ts'
import { currencies, readable } from '../domain/money.ts'
import type { Channel } from '../domain/transfers/channel.ts'
import { readSuspects } from '../domain/transfers/doubt-store.ts'
import { listReports } from '../domain/transfers/report-store.ts'
import { findHeldWith, listTransfers, listUnbooked, readTransfer } from '../domain/transfers/store.ts'
import { canBecome, type Decision, type Transfer, transferStates } from '../domain/transfers/transfer.ts'
import { undoableState } from '../domain/transfers/undo-decision.ts'
import { isUuid } from '../platform/request-fields.ts'
import { day, foreign, link, modeOf, money, person, said, state, text, time } from './cells.ts'
import { read } from './roles.ts'
import {
  both,
  type Cell,
  type Chosen,
  type Column,
  type Context,
  type Part,
  section,
  type Two,
} from './section.ts'
import { accountChoices, currencyChoices, modeChoices, notesOf } from './shared.ts'
import { choicesFrom, transferState, transferStateWords } from './states.ts'
import { type TransferRow, transferActs } from './transfer-acts.ts'

const channelWords: Readonly<Record<Channel, Two>> = {
  '1c': ['1C', '1С'],
  camt: both('camt.053/.054'),
  csv: both('CSV'),
  xlsx: both('Excel'),
  mt940: both('MT940/942'),
  push: ['Bank push', 'Уведомление банка'],
  sandbox: ['Test bank', 'Тестовый банк'],
  hand: ['Noted by a person', 'Отмечено сотрудником'],
}

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

export const transfers = section<TransferRow>({
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
    state: {
      head: ['State', 'Состояние'],
      rank: 1,
      cell: ({ transfer }) => transferState(transfer.state),
    },
    booked: { ...bankFacts.booked, rank: 2 },
    payer,
    purpose,
    account: {
      head: ['Account', 'Счёт'],
      rank: 3,
      cell: ({ transfer: { accountId, accountLabel } }) => ({
        ...{ is: 'link', id: accountId, text: accountLabel, filter: 'account' },
      }),
    },
    deposits: {
      head: ['Deposit', 'Депозит'],
      rank: 3,
      cell: ({ transfer }) => sharesOf(transfer),
    },
    mode: { head: ['Mode', 'Режим'], rank: 3, cell: ({ transfer }) => modeOf(transfer.mode) },
  },
  filters: [
    {
      name: 'payer',
      head: ['Payer', 'Плательщик'],
      is: 'search',
      hint: ['Payer’s exact name, account or tax ID', 'Точное имя, счёт или ИНН плательщика'],
    },
    {
      name: 'state',
      head: ['State', 'Состояние'],
      is: 'choice',
      of: [
        { value: 'money_in', words: ['Money in', 'Все поступления'] },
        { value: 'unbooked', words: ['Told early, never booked', 'Сообщено, но не проведено'] },
        ...choicesFrom(transferStateWords),
      ],
    },
    { name: 'account', head: ['Account', 'Счёт'], is: 'choice', of: ({ db }) => accountChoices(db) },
    { name: 'deposit', head: ['Deposit (ID)', 'Депозит (ID)'], is: 'id' },
    { name: 'day', head: ['Seen on', 'Поступили'], is: 'day' },
    {
      name: 'currency',
      head: ['Currency, with a day', 'Валюта, вместе с днём'],
      is: 'choice',
      of: currencyChoices,
    },
    { name: 'mode', head: ['Mode, with a day', 'Режим, вместе с днём'], is: 'choice', of: modeChoices },
  ],
  idOf: ({ transfer }) => transfer.id,
  title: ({ transfer: { direction, cents, currency } }) =>
    direction === 'debit'
      ? [`Outgoing −${readable(cents, currency)}`, `Списание −${readable(cents, currency)}`]
      : [`Transfer ${readable(cents, currency)}`, `Поступление ${readable(cents, currency)}`],
  async list({ db, timeZone }, { chosen, after, limit }) {
    const found =
      chosen.state === 'unbooked'
        ? await listUnbooked(db, limit)
        : await listTransfers(db, {
            ...filterFrom(chosen, timeZone),
            before: placeIn(after),
            limit: limit + 1,
          })
    const rows = found.slice(0, limit).map((transfer) => ({ transfer, canUndo: false }))
    return { rows, next: found.length > limit ? rows.at(-1)!.transfer.id : null }
  },
  async find({ db }, id) {
    const found = isUuid(id) ? await readTransfer(db, id) : undefined
    return found && { transfer: found.transfer, canUndo: (await undoableState(db, found.transfer)) !== null }
  },
  facts: {
    ...{
      paid: bankFacts.paid,
      payer_account: bankFacts.payer_account,
      payer_tax_id: bankFacts.payer_tax_id,
      payer_bank: bankFacts.payer_bank,
      document: bankFacts.document,
      bank_id: bankFacts.bank_id,
    },
    with_deposits: fact(['Applied to deposits', 'Зачтено в депозиты'], (t) => some(t.depositCents, t)),
    refunded: fact(['Refunded', 'Возвращено'], (t) => some(t.refundCents, t)),
    open: fact(['Unallocated', 'Не распределено'], (t) => some(t.openCents, t)),
    source: fact(['Source', 'Источник'], (t) => ({ is: 'words', words: channelWords[t.channel] })),
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
        link('/deposits', share.depositId, `…${share.depositId.slice(-8)}`),
        share.cents < cents ? money(share.cents, currency) : null,
      ])

const placeIn = (after: string | null): string | null => (after && isUuid(after) ? after : null)

/** Mode and currency are looked up within a day. */
function filterFrom({ state, account, deposit, payer, day, currency = '', mode }: Chosen, zone: string) {
  const known = [...transferStates, 'money_in' as const].find((one) => one === state) ?? null
  const modeOfDay: Mode | '' = modes.find((one) => one === mode) ?? ''
  return {
    state: known,
    accountId: account || null,
    depositId: deposit && isUuid(deposit) ? deposit : null,
    payer: payer || null,
    day: day
      ? { day, zone, currency: currencies.find((one) => one === currency) ?? '', mode: modeOfDay }
      : null,
  }
}

/** Those that wait for a person lead to the queue, where candidates are matched. */
async function partsOf(context: Context, row: TransferRow): Promise<readonly Part[]> {
  const { id, state } = row.transfer
  const waiting: Part = {
    ...{ is: 'note', tone: 'info', text: ['It waits for a decision.', 'Ждёт решения.'] },
    link: { to: '/queue/transfers', id, text: ['Decide', 'Решить'] },
  }
  return [...(canBecome(state, 'set_aside') ? [waiting] : []), ...(await evidenceParts(context, row))]
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
          {
            is: 'facts' as const,
            head: ['Told by', 'Кто сообщил'] as Two,
            facts: [
              [
                ['Files that tell it', 'Есть в файлах'] as Two,
                reports.map(({ statementId, fileName, line }) =>
                  link('/statements', statementId, `${fileName}, ${line}`),
                ),
              ] as const,
              [
                ['On hold because of it', 'Из-за него удержаны'] as Two,
                heldFor.map((id) => link('/transfers', id, `…${id.slice(-8)}`)),
              ] as const,
            ],
          },
        ]),
    ...notes,
    {
      is: 'table',
      head: ['Decision history', 'История решений'],
      columns: [
        ['When', 'Когда'],
        ['State', 'Состояние'],
        ['Who', 'Кто'],
        ['Why', 'Почему'],
        ['Deposit', 'Депозит'],
      ],
      rows: decisions.map((decision) => [
        time(decision.at),
        transferState(decision.state),
        person(decision.actor),
        said(decision.reason),
        decision.deposit_ids.map((id) => link('/deposits', id, `…${id.slice(-8)}`)),
      ]),
    },
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
  const facts = [amount, payer, purpose, ...Object.values(bankFacts)]
  const rows = facts.flatMap(({ head, cell }): Cell[][] => {
    const cells = compared.map((row) => cell(row))
    if (cells.every((one) => one === null)) return []
    const texts = new Set(cells.map((one) => JSON.stringify(one, textOf)))
    const differs = texts.size > 1 ? state('differs', ['Differs', 'Отличается'], 'warn') : null
    return [[[{ is: 'words', words: head }, differs], ...cells]]
  })
  const others = compared
    .slice(1)
    .map(
      ({ transfer: { id } }): Two => [
        `Other transfer …${id.slice(-8)}`,
        `Другое поступление …${id.slice(-8)}`,
      ],
    )
  return [
    ...(why ? [{ is: 'note' as const, tone: 'warn' as const, text: why }] : []),
    {
      is: 'table',
      head:
        transfer.state === 'duplicate'
          ? ['The same payment as another transfer', 'Тот же платёж, что и другое поступление']
          : ['Is it a payment that is known already?', 'Этот платёж уже известен?'],
      columns: [['Fact', 'Что'], ['This transfer', 'Это поступление'], ...others],
      rows: [
        ...rows,
        [
          { is: 'words', words: ['State', 'Состояние'] },
          ...compared.map(({ transfer: one }) => [
            transferState(one.state),
            link('/transfers', one.id, `…${one.id.slice(-8)}`),
          ]),
        ],
      ],
    },
  ]
}
