/** How the installation approves: by one person or two, and above which sums. */
import { isDeepStrictEqual } from 'node:util'
import { isLooserSettings } from '../domain/approvals/guard.ts'
import type { ApprovalSettings } from '../domain/approvals/proposal.ts'
import {
  lockApprovalSettings,
  readApprovalSettings,
  saveApprovalSettings,
} from '../domain/approvals/store.ts'
import { message } from '../domain/messages/message.ts'
import { type Currency, currencies, typedCents } from '../domain/money.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { approvalRuleNotes } from './approval-rule-notes.ts'
import { money, onOff, words } from './cells.ts'
import { act, section } from './declare.ts'
import { admin, read } from './roles.ts'
import type { Column, Field, Given } from './section.ts'

type Sum = Extract<Field<ApprovalSettings>, { is: 'cents' }>
const sumOf = ({ secondPersonAbove }: ApprovalSettings, currency: Currency): bigint =>
  BigInt(secondPersonAbove[currency] ?? 0)

const sumField = (currency: Currency) =>
  ({
    head: [`Second person above, ${currency}`, `Второй сотрудник при сумме больше, ${currency}`],
    is: 'cents',
    isOptional: true,
    value: (settings) => {
      const above = settings.secondPersonAbove[currency]
      return above === undefined ? '' : typedCents(BigInt(above))
    },
  }) as const satisfies Sum

const fields = {
  single: {
    head: ['One person runs this installation', 'Установкой управляет один человек'],
    is: 'tick',
    value: ({ isSingleOperator }: ApprovalSettings) => (isSingleOperator ? 'on' : ''),
  },
  rub: sumField('RUB'),
  uzs: sumField('UZS'),
  kzt: sumField('KZT'),
  tjs: sumField('TJS'),
} as const

const wantedOf = ({ single, ...sums }: Given<typeof fields>): ApprovalSettings => ({
  isSingleOperator: single,
  secondPersonAbove: Object.fromEntries(
    Object.entries(sums).flatMap(([name, cents]) =>
      cents === null ? [] : [[name.toUpperCase(), cents.toString()]],
    ),
  ),
})

/** Refuses if somebody has changed them since they were read. */
async function lockUnchanged(tx: Tx, row: ApprovalSettings): Promise<ApprovalSettings> {
  const now = await lockApprovalSettings(tx)
  if (isDeepStrictEqual(now, row)) return now
  throw new Refusal('state_conflict', { detail: message('settings_changed_since_proposed') })
}

const sumColumn = (currency: Currency): Column<ApprovalSettings> => ({
  head: sumField(currency).head,
  rank: 2,
  cell: (row) =>
    sumOf(row, currency) === 0n ? words(['Always', 'Всегда']) : money(sumOf(row, currency), currency),
})

export const installation = section<ApprovalSettings>()({
  one: 'installation',
  path: '/settings',
  name: ['Settings', 'Настройки'],
  read,
  only: () => 'installation',
  subjectOf: () => 'installation',
  columns: {
    single: { head: fields.single.head, rank: 1, cell: ({ isSingleOperator }) => onOff(isSingleOperator) },
    ...Object.fromEntries(currencies.map((currency) => [currency.toLowerCase(), sumColumn(currency)])),
  },
  idOf: () => 'installation',
  find: ({ db }) => readApprovalSettings(db),
  parts: approvalRuleNotes,
  acts: {
    approvals: act<ApprovalSettings>()({
      name: ['Change approval settings', 'Изменить согласования'],
      effect: [
        'Sums are for manual confirmation, manual matching and uploaded statements; empty or 0 means always. Stricter settings apply immediately; if anything becomes looser, all of it waits for a second person. One person alone may approve their own requests after signing in again, and the audit log records it. Two people are safer: requisites are most often swapped by insiders.',
        'Суммы действуют для ручного подтверждения, ручного сопоставления и загруженной выписки; пусто или 0 — всегда. Более строгие настройки действуют сразу; если хоть одна смягчается, все они ждут второго сотрудника. Если человек один, он может согласовать свой запрос сам, подтвердив вход; журнал это отметит. Вдвоём надёжнее: чаще всего реквизиты подменяет сотрудник.',
      ],
      done: ['Settings saved.', 'Настройки сохранены.'],
      policy: admin,
      audit: 'settings_change',
      kind: 'primary',
      isGuard: true,
      fields,
      second: async (tx, { row, given }) => isLooserSettings(await lockUnchanged(tx, row), wantedOf(given)),
      run: async (tx, { row, given }) => {
        const before = await lockUnchanged(tx, row)
        const after = wantedOf(given)
        if (isDeepStrictEqual(before, after)) return { isUnchanged: true }
        await saveApprovalSettings(tx, after)
        return { before, after }
      },
    }),
  },
})
