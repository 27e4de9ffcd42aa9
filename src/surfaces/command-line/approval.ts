/** `inlet approval …`: how many people decide. The way out where no one is left who could approve a change of it. */

import { setApprovalSettings } from '../../domain/approvals/change-settings.ts'
import type { Command } from './command.ts'
import { centsLimit, currencyOf, oneOf, optional, UsageProblem } from './options.ts'

export const approvalCommands: Record<string, Command> = {
  'approval set': {
    usage: 'inlet approval set [--single on|off] [--currency CODE --above-cents N|none]',
    summary:
      'whether one person may approve alone, and above which amount two must; applies immediately and alerts the operator',
    example: '--currency RUB --above-cents 10000000',
    async run({ db }, values) {
      const above = centsLimit(values, 'above-cents')
      if ((above === undefined) !== (optional(values, 'currency') === null))
        throw new UsageProblem('--currency and --above-cents belong together.')
      const settings = await setApprovalSettings(db, {
        ...(values.single !== undefined && { single: oneOf(values, 'single', ['on', 'off']) }),
        ...(above !== undefined && { [currencyOf(values)]: above?.toString() ?? null }),
      })
      const sums = Object.entries(settings.secondPersonAbove).map(([code, cents]) => `${code} ${cents}`)
      return {
        json: { single_operator: settings.isSingleOperator, second_person_above: settings.secondPersonAbove },
        text: `one operator: ${settings.isSingleOperator ? 'yes' : 'no'}\nsecond person above (cents): ${sums.join(', ') || 'always'}`,
      }
    },
  },
}
