/** How long a deposit with requisites can be paid, and for how long after that money still counts for it. Pure. */
import type { Merchant } from '../merchants/merchant.ts'
import type { Candidate } from '../requisites/choice.ts'

export const paymentTimes = (
  { settings }: Pick<Merchant, 'settings'>,
  { carriesReference }: Pick<Candidate, 'carriesReference'>,
) => ({
  openMinutes: settings.paymentMinutes,
  lateGraceHours: carriesReference ? settings.lateGraceAccountHours : settings.lateGraceHours,
})
