/** What a person decides about a transfer. */
import { needsSecondPerson } from '../domain/approvals/proposal.ts'
import { readApprovalSettings } from '../domain/approvals/store.ts'
import { message } from '../domain/messages/message.ts'
import { centsFrom, readable } from '../domain/money.ts'
import { lockClaim } from '../domain/people/claim-store.ts'
import { refund, revokeByHand, setAside } from '../domain/transfers/decide-transfer.ts'
import { readLastRule } from '../domain/transfers/decision-store.ts'
import { findAlike, readSuspects } from '../domain/transfers/doubt-store.ts'
import { findReceiver } from '../domain/transfers/find-candidates.ts'
import { checkGift, type Gift, giveSeveral, giveTransfer } from '../domain/transfers/give-transfer.ts'
import { findOtherNamedDeposits } from '../domain/transfers/match-store.ts'
import { declareGenuine, samePayment } from '../domain/transfers/same-payment.ts'
import { canBecome, type Share, type Transfer } from '../domain/transfers/transfer.ts'
import { undoDecision } from '../domain/transfers/undo-decision.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { isUuid } from '../platform/request-fields.ts'
import { act } from './declare.ts'
import { dangerous, work } from './roles.ts'
import {
  type Act,
  type By,
  both,
  type Choice,
  type Doing,
  type Fields,
  type Reads,
  type Two,
} from './section.ts'
import { addNote, decided, evidenceOf } from './shared.ts'

/** `canUndo`: the last decision of a person can be undone. It is known of a row that was found, not of one in a list. */
export type TransferRow = { transfer: Transfer; canUndo: boolean }

const onTransfer = act<TransferRow>()

const can =
  (to: Parameters<typeof canBecome>[1]) =>
  ({ transfer }: TransferRow): boolean =>
    canBecome(transfer.state, to)

const deposit = {
  head: ['Deposit', 'Депозит'],
  hint: ['Its reference, order, customer or ID.', 'Номер для обращения, заказ, покупатель или ID.'],
  is: 'text',
  most: 128,
} as const

const despite = {
  head: [
    'For another deposit than the one in its purpose',
    'За другой депозит, чем указан в назначении платежа',
  ],
  is: 'tick',
} as const

const matchReasons: readonly Two[] = [
  ['Confirmed by the customer by email.', 'Покупатель подтвердил по почте.'],
  ['The customer sent a bank receipt.', 'Покупатель прислал чек банка.'],
  ['The merchant specified the order.', 'Мерчант указал заказ.'],
]

const aboveOne: Two = [
  'Above the sum that one person may decide alone, a second person approves it.',
  'Если сумма больше той, что один сотрудник решает сам, нужно согласование.',
]

/** An act that gives money to deposits: a second person approves a large one. */
// biome-ignore lint/suspicious/noExplicitAny: each act knows its own fields
function giving<F extends Fields<any>>(
  giftOf: (tx: Tx, doing: Pick<Doing<TransferRow, F>, 'row' | 'given'>) => Promise<Gift>,
): Pick<Act<TransferRow, F>, 'second' | 'seen' | 'policy' | 'holds' | 'from' | 'reasons'> {
  return {
    ...{ policy: work, holds: true, from: can('matched'), reasons: matchReasons },
    second: async (tx, doing) => isAbove(tx, await giftOf(tx, doing)),
    seen: async (row, given, tx) => seenOf(tx, await giftOf(tx, { row, given })),
  }
}

/** One person may match up to the sum that one may confirm alone; test money needs no second person. */
async function isAbove(tx: Tx, gift: Gift): Promise<boolean> {
  const { transfers, deposits } = await checkGift(tx, gift)
  const live = transfers.filter(({ mode }) => mode === 'live')
  if (live.length === 0) return false
  const sent = live.reduce((sum, { cents }) => sum + cents, 0n)
  const cents = deposits.reduce((most, { amountCents }) => (amountCents > most ? amountCents : most), sent)
  return needsSecondPerson(await readApprovalSettings(tx), { cents, currency: deposits[0]!.currency })
}

/** The deposits with what they have received, what was decided before, and what the purposes say otherwise. */
async function seenOf(tx: Tx, gift: Gift): Promise<Record<string, string>> {
  const { transfers, deposits } = await checkGift(tx, { ...gift, despiteReference: true })
  const ids = deposits.map(({ id }) => id)
  const named: string[] = []
  const rules: string[] = []
  for (const one of transfers) {
    named.push(...(await findOtherNamedDeposits(tx, one, ids)).map(({ reference }) => reference))
    rules.push(await readLastRule(tx, one.id))
  }
  const sent = transfers.reduce((sum, { cents }) => sum + cents, 0n)
  return {
    transfer: transfers.map(({ id }) => id).join(' '),
    sent: readable(sent, transfers[0]!.currency),
    'to deposit': ids.join(' '),
    asked: deposits.map(({ amountCents, currency }) => readable(amountCents, currency)).join(', '),
    received: deposits.map(({ receivedCents, currency }) => readable(receivedCents, currency)).join(', '),
    decided: rules.join(' '),
    ...(named.length > 0 && { 'purpose names': named.join(' ') }),
  }
}

const actOf = ({ transfer }: TransferRow, by: By) => ({
  ...{ transferId: transfer.id, actor: by.actor, reason: by.reason, evidence: evidenceOf(by) ?? {} },
})

/** An act that needs nothing but a reason. */
const plain = (verb: typeof setAside): Act<TransferRow>['run'] => {
  return (_tx, { row, by, context }) => decided(verb(context, actOf(row, by)))
}

const matchGift = async (
  tx: Tx,
  { row: { transfer }, given }: { row: TransferRow; given: { deposit: string; despite: boolean } },
): Promise<Gift & { depositId: string }> => ({
  transferIds: [transfer.id],
  depositId: await findReceiver(tx, transfer, given.deposit),
  despiteReference: given.despite,
})

const severalGift = async (
  tx: Tx,
  doing: { row: TransferRow; given: { deposit: string; others: string; despite: boolean } },
): Promise<Gift & { depositId: string }> => ({
  ...(await matchGift(tx, doing)),
  transferIds: [doing.row.transfer.id, ...othersIn(doing.given.others)],
})

function othersIn(text: string): string[] {
  const ids = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((id) => id !== '')
  if (ids.every(isUuid)) return ids
  const detail = message('transfer_ids_unreadable')
  throw new Refusal('invalid_value', { errors: [{ pointer: '#/others', code: 'invalid_value', detail }] })
}

/** Nobody else works on it. */
async function refuseTaken(tx: Tx, id: string, { personId }: By): Promise<void> {
  const holder = await lockClaim(tx, `transfer:${id}`)
  if (holder && holder.personId !== personId)
    throw new Refusal('state_conflict', { detail: message('item_taken_by', { name: holder.name }) })
}

const splitGift = async (
  tx: Tx,
  { row: { transfer }, given }: { row: TransferRow; given: { shares: string; despite: boolean } },
): Promise<Gift & { shares: Share[] }> => {
  const shares: Share[] = []
  for (const line of given.shares.split('\n').filter((line) => line.trim() !== ''))
    shares.push(await shareIn(tx, transfer, line.trim()))
  return { transferIds: [transfer.id], shares, despiteReference: given.despite }
}

/** `KT12345678 1500.50`: what finds the deposit, and its share. */
async function shareIn(tx: Tx, transfer: Transfer, line: string): Promise<Share> {
  const [, text = '', amount = ''] = /^(\S+)[\s=:;,–—]+(.+)$/.exec(line) ?? []
  const cents = centsFrom(amount)
  const wrong = (detail: ReturnType<typeof message>) =>
    new Refusal('invalid_value', { errors: [{ pointer: '#/shares', code: 'invalid_value', detail }] })
  if (text === '' || cents === null) throw wrong(message('share_line_unreadable'))
  try {
    return { depositId: await findReceiver(tx, transfer, text), cents }
  } catch (error) {
    const [problem] = error instanceof Refusal ? (error.details.errors ?? []) : []
    throw problem ? wrong(problem.detail as ReturnType<typeof message>) : error
  }
}

const alikeShown = 20

/** The payments that this one may be: those it is held for, and others of about its days with its amount. */
async function suspectChoices({ db }: Reads, { transfer }: TransferRow): Promise<readonly Choice[]> {
  const suspects = await readSuspects(db, transfer)
  const alike = await findAlike(db, transfer, alikeShown)
  const all = new Map([...suspects, ...alike].map((one) => [one.id, one]))
  return [...all.values()].map(({ id, cents, currency, bookedOn, payerName, purpose }) => ({
    value: id,
    words: both(
      [readable(cents, currency), bookedOn, payerName, purpose.slice(0, 40), `…${id.slice(-8)}`]
        .filter(Boolean)
        .join(' · '),
    ),
  }))
}

export const transferActs: Readonly<Record<string, Act<TransferRow>>> = {
  match: onTransfer({
    name: ['Match', 'Сопоставить'],
    effect: [
      `The whole amount is applied to this deposit, and the merchant gets a callback. ${aboveOne[0]}`,
      `Вся сумма зачтётся в этот депозит, мерчант получит колбэк. ${aboveOne[1]}`,
    ],
    done: ['Transfer matched to the deposit.', 'Поступление сопоставлено с депозитом.'],
    audit: 'transfer_match',
    kind: 'primary',
    fields: { deposit, despite },
    ...giving<{ deposit: typeof deposit; despite: typeof despite }>(matchGift),
    run: async (tx, { row, given, by, context }) => {
      const { depositId, despiteReference = false } = await matchGift(tx, { row, given })
      return decided(giveTransfer(context, { ...actOf(row, by), depositId, despiteReference }))
    },
  }),
  genuine: onTransfer({
    name: ['A payment of its own', 'Отдельный платёж'],
    effect: [
      'It is matched by the rules, as if it had not been held.',
      'Будет сопоставлен по правилам, как если бы его не удержали.',
    ],
    done: ['Marked as a payment of its own.', 'Отмечено как отдельный платёж.'],
    policy: dangerous,
    audit: 'transfer_genuine',
    holds: true,
    from: ({ transfer: { state } }) => state === 'held' || state === 'duplicate',
    reasons: [
      ['The customer paid twice.', 'Покупатель заплатил дважды.'],
      ['Two orders with the same amount.', 'Два заказа на одинаковую сумму.'],
    ],
    run: plain(declareGenuine),
  }),
  same: onTransfer({
    name: ['The same payment', 'Тот же платёж'],
    effect: [
      'The other transfer remains, with its deposit and the reports of both. What this one paid is undone.',
      'Другое поступление останется, со своим депозитом и сообщениями об обоих. Что оплатило это, будет отменено.',
    ],
    done: ['Marked as the same payment.', 'Отмечено как тот же платёж.'],
    policy: work,
    audit: 'transfer_duplicate',
    holds: true,
    from: can('duplicate'),
    reasons: [
      ['Same payment in another statement.', 'Тот же платёж из другой выписки.'],
      ['Corrected by the bank.', 'Банк исправил операцию.'],
    ],
    fields: {
      of: {
        head: ['The same payment as', 'Тот же платёж, что и'],
        is: 'choice',
        of: suspectChoices,
        value: ({ transfer: { heldWith } }) => (heldWith.length === 1 ? heldWith[0]! : ''),
      },
      despite,
    },
    run: (_tx, { row, given, by, context }) => {
      const options = { sameAs: given.of, mayReverse: by.isFresh, despiteReference: given.despite }
      return decided(samePayment(context, { ...actOf(row, by), ...options }))
    },
  }),
  'set-aside': onTransfer({
    name: ['Set aside', 'Отложить'],
    effect: [
      'Leaves the queue but stays in the books; its money is due for a refund. No deposit changes.',
      'Уйдёт из очереди, но останется в учёте; деньги нужно вернуть. Депозиты не изменятся.',
    ],
    done: ['Transfer set aside.', 'Поступление отложено.'],
    policy: work,
    audit: 'transfer_set_aside',
    holds: true,
    from: can('set_aside'),
    reasons: [
      ['Bank fee or interest.', 'Комиссия или проценты банка.'],
      ['Transfer between own accounts.', 'Перевод между своими счетами.'],
      ['Unknown payer, waiting for them to contact us.', 'Плательщик неизвестен, ждём обращения.'],
      ['Not a deposit payment.', 'Платёж не относится к депозитам.'],
    ],
    run: plain(setAside),
  }),
  split: onTransfer({
    name: ['Split', 'Разделить'],
    effect: [
      `Each deposit gets its share. All of one merchant, all of it or nothing. ${aboveOne[0]}`,
      `Каждый депозит получит свою долю. Все депозиты одного мерчанта; целиком или никак. ${aboveOne[1]}`,
    ],
    done: ['Transfer split over the deposits.', 'Поступление разделено между депозитами.'],
    audit: 'transfer_split',
    fields: {
      shares: {
        head: ['Deposits and shares', 'Депозиты и доли'],
        hint: [
          'One line per deposit: its reference, order or ID, then its share. Together the whole amount.',
          'Строка на депозит: номер для обращения, заказ или ID, затем доля. Вместе — вся сумма.',
        ],
        is: 'lines',
        most: 8_000,
      },
      despite,
    },
    ...giving<{ shares: { head: Two; is: 'lines'; most: number }; despite: typeof despite }>(splitGift),
    run: async (tx, { row, given, by, context }) => {
      const { shares, despiteReference = false } = await splitGift(tx, { row, given })
      return decided(giveTransfer(context, { ...actOf(row, by), shares, despiteReference }))
    },
  }),
  several: onTransfer({
    name: ['Match several', 'Сопоставить несколько'],
    effect: [
      `This transfer and the others go to one deposit, all or none. ${aboveOne[0]}`,
      `Это поступление и другие уйдут в один депозит, все или ни одно. ${aboveOne[1]}`,
    ],
    done: ['Transfers matched to the deposit.', 'Поступления сопоставлены с депозитом.'],
    audit: 'transfer_match_several',
    fields: {
      deposit,
      others: {
        head: ['The other transfers (IDs)', 'Другие поступления (ID)'],
        is: 'lines',
        most: 4_000,
      },
      despite,
    },
    ...giving<{
      deposit: typeof deposit
      others: { head: Two; is: 'lines'; most: number }
      despite: typeof despite
    }>(severalGift),
    run: async (tx, { row, given, by, context }) => {
      const gift = await severalGift(tx, { row, given })
      for (const id of gift.transferIds) await refuseTaken(tx, id, by)
      const { transferId: _own, ...act } = actOf(row, by)
      const done = await giveSeveral(context, { ...act, ...gift })
      const before = Object.fromEntries(done.map((one) => [one.before.id, one.before.state]))
      const after = Object.fromEntries(done.map(({ transfer }) => [transfer.id, transfer.state]))
      return { before, after, subject: `deposit:${gift.depositId}` }
    },
  }),
  refund: onTransfer({
    name: ['Record a refund', 'Отметить возврат'],
    effect: [
      'Records that the bank returned the money; Inlet does not send it. A deposit paid with it may be reversed.',
      'Отмечает, что банк вернул деньги; сам Inlet ничего не переводит. Оплаченный ими депозит может стать возвращённым.',
    ],
    done: ['Refund recorded.', 'Возврат отмечен.'],
    policy: dangerous,
    audit: 'transfer_refund',
    kind: 'danger',
    holds: true,
    from: can('refunded'),
    reasons: [
      ['Refunded at the payer’s request.', 'Возвращено по просьбе плательщика.'],
      ['Sent by mistake.', 'Отправлено по ошибке.'],
    ],
    fields: {
      amount: {
        head: ['Refunded amount', 'Сумма возврата'],
        hint: ['Empty for the whole remainder.', 'Пусто — весь остаток.'],
        is: 'cents',
        isOptional: true,
      },
    },
    run: (_tx, { row, given, by, context }) =>
      decided(refund(context, { ...actOf(row, by), cents: given.amount })),
  }),
  revoke: onTransfer({
    name: ['The bank took it back', 'Банк забрал деньги'],
    effect: [
      'What it paid is undone; a deposit without enough money is reversed, and its merchant gets a callback.',
      'Что оно оплатило, будет отменено; депозит, которому не хватит денег, станет возвращённым, мерчант получит колбэк.',
    ],
    done: ['Marked as revoked by the bank.', 'Отмечено, что банк забрал деньги.'],
    policy: dangerous,
    audit: 'transfer_revoke',
    kind: 'danger',
    holds: true,
    from: ({ transfer: { direction, state } }) =>
      direction === 'credit' && state !== 'revoked' && state !== 'duplicate',
    run: plain(revokeByHand),
  }),
  undo: onTransfer({
    name: ['Undo the last decision', 'Отменить последнее решение'],
    effect: [
      'The transfer is what it was before; what the matcher made of it since is undone too.',
      'Поступление станет таким, каким было; отменится и то, что с тех пор сделало сопоставление.',
    ],
    done: ['The last decision is undone.', 'Последнее решение отменено.'],
    policy: dangerous,
    audit: 'transfer_undo',
    holds: true,
    from: ({ canUndo }) => canUndo,
    run: plain(undoDecision),
  }),
  note: addNote<TransferRow>('transfer_note'),
}
