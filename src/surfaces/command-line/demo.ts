/** `inlet demo …` */

import { removeDemo } from '../../domain/sandbox/remove-demo.ts'
import type { Command } from './command.ts'

export const demoCommands: Record<string, Command> = {
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
