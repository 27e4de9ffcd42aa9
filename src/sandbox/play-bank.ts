/**
 * Test mode: whoever looks at the payment page plays the bank. Money goes through the same verbs as real money;
 * nothing here decides what becomes of a deposit.
 */
import { expireDeposit, type Ledger, receiveMoney, rejectDeposit } from '../deposits/change-deposit.ts'
import type { Deposit } from '../deposits/deposit.ts'

export const plays = ['exact', 'less', 'more', 'late', 'twice', 'reject'] as const
export type Play = (typeof plays)[number]

const bank = { actor: 'sandbox', evidence: { source: 'payment page panel' } }

export async function playBank(
  ledger: Ledger,
  { id: depositId, state, amountCents, receivedCents }: Deposit,
  play: Play,
): Promise<void> {
  const missing = amountCents - receivedCents > 0n ? amountCents - receivedCents : amountCents
  const pay = (cents: bigint) => receiveMoney(ledger, { ...bank, depositId, cents })
  switch (play) {
    case 'exact':
      return void (await pay(missing))
    case 'less':
      return void (await pay(missing > 1n ? missing / 2n : missing))
    case 'more':
      return void (await pay(missing + (amountCents / 10n || 1n)))
    case 'twice':
      await pay(missing)
      return void (await pay(amountCents))
    case 'late':
      if (state === 'created') await expireDeposit(ledger, { ...bank, depositId })
      return void (await pay(missing))
    case 'reject':
      return void (await rejectDeposit(ledger, { ...bank, depositId, reason: 'Rejected by the test bank' }))
  }
}
