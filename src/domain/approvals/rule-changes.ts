/** Which rules of a merchant let less money, or money that is late, confirm a deposit. Pure. */
import type { MerchantSettings } from '../merchants/merchant.ts'

/** A merchant's rules by their names, as texts. */
type RuleTexts = Record<string, string>

/** Those of the wanted rules by which less money, or money that is late, would confirm without a person. */
export function looserRules(now: MerchantSettings, wanted: Partial<MerchantSettings>): RuleTexts {
  const becomes = <Name extends keyof MerchantSettings>(name: Name, value: MerchantSettings[Name]) =>
    wanted[name] === value && now[name] !== value
  const tolerance = wanted.underpaidToleranceCents ?? now.underpaidToleranceCents
  const isAccepted = becomes('underpaidPolicy', 'accept')
  const isLateConfirmed = becomes('latePolicy', 'confirm')
  const confirmsLate = (wanted.latePolicy ?? now.latePolicy) === 'confirm'
  const graces = (['lateGraceHours', 'lateGraceAccountHours'] as const)
    .map((name) => ({ name, hours: wanted[name] ?? now[name] }))
    .filter(({ name, hours }) => isLateConfirmed || (confirmsLate && hours > now[name]))
  return {
    ...(isAccepted && { underpaidPolicy: 'accept' }),
    // The approver of "accept" has to see the tolerance.
    ...((isAccepted || tolerance > now.underpaidToleranceCents) && {
      underpaidToleranceCents: tolerance.toString(),
    }),
    ...(becomes('overpaidPolicy', 'confirm') && { overpaidPolicy: 'confirm' }),
    ...(isLateConfirmed && { latePolicy: 'confirm' }),
    // The approver of late money has to see how late it may be.
    ...Object.fromEntries(graces.map(({ name, hours }) => [name, String(hours)])),
  }
}
