/** Test mode: buttons on the payment page that send typical payments of the bank. */

import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { rejectDeposit } from '../transfers/end-deposit.ts'
import { type FakePayment, missingOf, payByFakeBank } from './fake-bank.ts'
import type { Play } from './record.ts'

const actor = 'sandbox'

export async function simulateBank(context: DepositContext, deposit: Deposit, play: Play): Promise<void> {
  const { id: depositId, amountCents } = deposit
  if (play === 'reject') {
    const evidence = { source: 'payment page panel' }
    await rejectDeposit(context, { depositId, actor, reason: message('rejected_by_test_bank'), evidence })
    return
  }
  await payByFakeBank(context, { depositId, ...payments[play](missingOf(deposit), amountCents) })
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
