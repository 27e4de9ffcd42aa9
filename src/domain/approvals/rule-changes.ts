/** Which rules of a merchant let less money, or money that is late, confirm a deposit. Pure. */
import type { MerchantSettings } from '../merchants/merchant.ts'

/** Whether less money, or money that is later, would confirm without a person by the wanted rules. */
export function confirmsMore(now: MerchantSettings, wanted: Partial<MerchantSettings>): boolean {
  const then = { ...now, ...wanted }
  const becomes = (name: 'underpaidPolicy' | 'overpaidPolicy' | 'latePolicy', value: string) =>
    then[name] === value && now[name] !== value
  const graces = ['lateGraceHours', 'lateGraceAccountHours'] as const
  return (
    becomes('underpaidPolicy', 'accept') ||
    becomes('overpaidPolicy', 'confirm') ||
    becomes('latePolicy', 'confirm') ||
    then.underpaidToleranceCents > now.underpaidToleranceCents ||
    (then.latePolicy === 'confirm' && graces.some((name) => then[name] > now[name]))
  )
}
