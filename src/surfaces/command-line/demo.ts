/** `inlet demo …` */

import { fillBusyDay } from '../../domain/sandbox/busy/fill-busy-day.ts'
import { seedDemo } from '../../domain/sandbox/demo-data.ts'
import { removeDemo } from '../../domain/sandbox/remove-demo.ts'
import { createLog } from '../../platform/log.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import type { Command } from './command.ts'
import { integer } from './options.ts'
import { printDepositProgress } from './progress.ts'

export const demoCommands: Record<string, Command> = {
  'demo busy': {
    usage: 'inlet demo busy [--deposits NUMBER]   (1500 when it does not say, at least 300)',
    summary: 'fill the demo with a busy day and a fortnight before it; never in production',
    example: '--deposits 1000',
    async run(foundation, values, _words, config, terminal) {
      const asked = integer(values, 'deposits', 300, 20_000) ?? 1_500
      if (!config.demo)
        throw new OperatorProblem('A busy day is made in the demo only: INLET_DEMO is off here.')
      const demo = await seedDemo(config, foundation)
      if (!demo) throw new OperatorProblem('There is no demo in this database: use an empty data folder.')
      const log = createLog('warn', (line) => terminal.stderr.write(line))
      const { deposits, shops } = await foundation.asOwner((owner) =>
        fillBusyDay(
          { owner, vault: foundation.vault, log },
          {
            ...{ demo, deposits: asked, publicUrl: config.publicUrl },
            progress: printDepositProgress(terminal.stderr),
          },
        ),
      )
      return {
        json: { deposits, shops },
        text: `Made ${deposits} deposits of ${shops} shops in the last fortnight. Start Inlet and follow its links to console and desk.`,
      }
    },
  },
  'demo remove': {
    usage: 'inlet demo remove',
    summary: 'remove the demo before production: its people, merchant, keys and requisites',
    async run({ db }, _values, _words, { dataDir }) {
      const { people, merchants, accounts, links, letIn, done } = await removeDemo(db, dataDir)
      const closed = [
        ...people.map((email) => `Closed person ${email}: sessions, links and factors ended.`),
        ...merchants.map((id) => `Disabled merchant ${id}: its keys ended.`),
        ...(accounts > 0 ? [`Disabled ${accounts} receiving accounts and their requisites.`] : []),
        ...(links > 0 ? [`Ended ${links} links that the demo's people handed out.`] : []),
      ]
      return {
        json: { people, merchants, accounts, links, let_in: letIn, done },
        text: [
          ...(closed.length > 0 ? closed : ['Nothing of the demo is open.']),
          ...letIn.map(
            (email) => `Let in by the demo's people and still open: ${email}. Is it one of yours?`,
          ),
          ...done.map((act) => `Done by the demo's people: ${act}. Is it meant to stay?`),
        ].join('\n'),
      }
    },
  },
}
