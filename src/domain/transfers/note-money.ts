/** A person notes money that has arrived for a deposit: told early by hand, and paired when a bank tells it. */
import { newId } from '../../platform/clock.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Act } from '../deposits/decide.ts'
import { type Deposit, obstacle } from '../deposits/deposit.ts'
import { readDeposits } from '../deposits/read-store.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { prepare } from './entry.ts'
import { giveWithin } from './give-transfer.ts'
import { bankDay } from './payment-times.ts'
import { sourceOf } from './source-store.ts'
import { lockAccounts, lockTransfer } from './store.ts'
import { takeEarly } from './take-transfers.ts'
import type { Transfer } from './transfer.ts'

type Noted = { transfer: Transfer; deposit: Deposit; now: Date }

/** The money counts at once, unless it may be a payment that is known: then it is held. */
export async function noteMoney(
  context: DepositContext,
  { depositId, cents, ...act }: Act & { depositId: string; cents: Cents },
): Promise<Noted> {
  const { db, publicUrl, changed } = context
  const noted = await db.transaction(async (tx) => {
    const [found] = await readDeposits(tx, [depositId])
    if (!found) throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
    const { accountId, deposit, now } = found
    const account = accountId === null ? undefined : (await lockAccounts(tx, [accountId])).get(accountId)
    if (!account) throw new Refusal('state_conflict', { detail: message('deposit_has_no_requisites_yet') })
    const problem = obstacle(deposit, 'receive', now)
    if (problem) throw new Refusal('state_conflict', { detail: problem })
    const source = await sourceOf(tx, { mode: account.mode, kind: 'hand', channel: 'hand' })
    const purpose = deposit.reference ?? ''
    const entry = prepare({
      ...unknown,
      ...{
        accountId: account.id,
        cents,
        currency: deposit.currency,
        bookedOn: bankDay(now, deposit.currency),
      },
      ...{ bankId: newId(), purpose, purposeParts: [purpose] },
    })
    const { results } = await takeEarly(tx, [entry], { source, publicUrl })
    const [{ became, transferId }] = results as [(typeof results)[number]]
    if (became === 'paired')
      throw new Refusal('state_conflict', { detail: message('money_is_known_as', { transfer: transferId }) })
    if (became === 'new')
      await giveWithin(tx, context, {
        ...{ ...act, transferIds: [transferId], depositId, despiteReference: true },
        reason: act.reason ?? message('money_noted_by_hand'),
      })
    const [after] = await readDeposits(tx, [depositId])
    return { transfer: (await lockTransfer(tx, transferId))!, deposit: after!.deposit, now: after!.now }
  })
  changed([noted.deposit.state])
  return noted
}

/** What a person does not say of it. */
const unknown = {
  direction: 'credit',
  channel: 'hand',
  version: 0n,
  line: null,
  bookedAt: null,
  paidOn: null,
  documentNumber: '',
  payerName: '',
  payerAccount: '',
  payerTaxId: '',
  payerBank: '',
  isReversal: false,
  isInternal: false,
} as const
