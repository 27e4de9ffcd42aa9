/** `inlet approval set`: one person may approve alone. The way out where no one is left who could approve that. */

import { setApprovalSettings } from '../../domain/approvals/change-settings.ts'
import type { Command } from './command.ts'
import { oneOf } from './options.ts'

export const approvalCommands: Record<string, Command> = {
  'approval set': {
    usage: 'inlet approval set --single on|off',
    summary: 'whether one person may approve alone; applies immediately and alerts the operator',
    example: '--single on',
    async run({ db }, values) {
      const { isSingleOperator } = await setApprovalSettings(db, {
        single: oneOf(values, 'single', ['on', 'off']),
      })
      return {
        json: { single_operator: isSingleOperator },
        text: `one operator: ${isSingleOperator ? 'yes' : 'no'}`,
      }
    },
  },
}
