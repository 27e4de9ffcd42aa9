/**
 * Test mode: whoever looks at the payment page plays the bank. Where the bank's own words cannot tell whose money it
 * is (a card that got too little has no reference), the panel also plays the operator who knows, because nobody else
 * would come; the transfer's decisions say so. A second payment without a reference stays in the operator's queue.
 */
import type { Ledger } from '../deposits/change-deposit.ts'
import type { Deposit } from '../deposits/deposit.ts'
import type { Cents } from '../money.ts'
import { matchByHand } from '../transfers/decide-transfer.ts'
import { rejectDeposit } from '../transfers/end-deposit.ts'
import { type FakePayment, missingOf, payByFakeBank } from './fake-bank.ts'

export const plays = ['exact', 'less', 'more', 'late', 'twice', 'reject'] as const
export type Play = (typeof plays)[number]

const actor = 'sandbox'

export async function playBank(ledger: Ledger, deposit: Deposit, play: Play): Promise<void> {
  const { id: depositId, amountCents } = deposit
  if (play === 'reject') {
    const evidence = { source: 'payment page panel' }
    await rejectDeposit(ledger, { depositId, actor, reason: 'Rejected by the test bank', evidence })
    return
  }
  const { sent } = await payByFakeBank(ledger, {
    depositId,
    ...payments[play](missingOf(deposit), amountCents),
  })
  const { transfer } = sent[0]!
  if (transfer.state === 'matched') return
  const reason = 'The test panel says which deposit it is for.'
  await matchByHand(ledger, { transferId: transfer.id, depositId, actor, reason })
}

const payments: Record<
  Exclude<Play, 'reject'>,
  (missing: Cents, amount: Cents) => Omit<FakePayment, 'depositId'>
> = {
  exact: (missing) => ({ cents: missing }),
  less: (missing) => ({ cents: missing > 1n ? missing / 2n : missing }),
  more: (missing, amount) => ({ cents: missing + (amount / 10n || 1n) }),
  late: (missing) => ({ cents: missing, late: true }),
  twice: (missing) => ({ cents: missing, twice: true }),
}
