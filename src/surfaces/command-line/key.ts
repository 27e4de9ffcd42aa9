/** `inlet key reseal`: after a change of the master key. The keys of merchants: see section-commands.ts. */

import { reseal } from '../../domain/keys/reseal.ts'
import type { Command } from './command.ts'
import { printResealProgress } from './progress.ts'

export const keyCommands: Record<string, Command> = {
  'key reseal': {
    usage:
      'inlet key reseal [--leave-damaged]   (leave-damaged: finish although some values open with neither key)',
    summary: 'after a change of the master key: re-encrypt everything with the new one',
    async run({ asOwner, vault }, values, _words, _config, { stderr }) {
      const leaveDamaged = values['leave-damaged'] === true
      const options = { leaveDamaged, onProgress: printResealProgress(stderr) }
      const { keyId, resealed, proved, damaged, late, isFinished } = await asOwner((owner) =>
        reseal(owner, vault, options),
      )
      const listed = (rows: readonly { table: string; id: string }[]) =>
        rows.map(({ table, id }) => `  ${table} ${id}`)
      const isSafe = isFinished && vault.old !== null
      return {
        json: { key: keyId, resealed, proved, damaged, late, finished: isFinished },
        text: [
          `${resealed} values re-encrypted; ${proved} open with the key ${keyId} alone.`,
          ...(damaged.length > 0
            ? ['', `${damaged.length} values open with no key and were left as they are:`, ...listed(damaged)]
            : []),
          ...(late.length > 0
            ? [
                '',
                'A process without the new key has encrypted these meanwhile; start it with both keys, and run this again:',
                ...listed(late),
              ]
            : []),
          ...(isSafe
            ? [`The old key (${vault.old!.id}) opens nothing now: remove INLET_OLD_MASTER_KEY.`]
            : []),
          ...(isFinished || late.length > 0
            ? []
            : [
                '',
                'Keep the old key. Renew what these rows hold or restore them, and run this again, or give them up with --leave-damaged.',
              ]),
        ].join('\n'),
        failed: !isFinished,
      }
    },
  },
}
