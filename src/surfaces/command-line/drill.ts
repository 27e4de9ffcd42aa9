/**
 * `inlet backup drill`: restores the newest backup into a temporary cluster, checks it, and measures what a disaster of this moment
 * would have cost: how much would be lost (RPO), and how long it takes until the copy could serve (RTO).
 */
import { join, resolve } from 'node:path'
import { type Drill, noteDrill } from '../../domain/backups/store.ts'
import { examine } from '../../domain/doctor/examine.ts'
import { removeDataFolder } from '../../platform/backup/restore-cluster.ts'
import { withBackupLock } from '../../platform/backup/take-backup.ts'
import { logTime, monotonicMs } from '../../platform/clock.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { createLog } from '../../platform/log.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { chooseBackup, notEmbedded, openPlace } from './backup.ts'
import type { Command } from './command.ts'
import { optional } from './options.ts'
import { restoreInto, Stopped } from './restore.ts'

export const drillCommands: Record<string, Command> = {
  'backup drill': {
    usage:
      'inlet backup drill [--scratch FOLDER]   (scratch: where there is room for a copy, without it the data folder)',
    summary:
      'restore the newest backup into a temporary cluster, check it, and measure what would be lost and how long it takes',
    example: '--scratch /mnt/large',
    async runAlone(values, _words, readConfig, terminal, openFoundation) {
      const config = readConfig()
      const place = await openPlace(values, config)
      const log = createLog('warn', (line) => terminal.stderr.write(line))
      const { db, cluster, close } = await openFoundation(config, 'command', log)
      const into = join(resolve(optional(values, 'scratch') ?? config.dataDir), 'inlet-drill')
      const [startedAt, now] = [monotonicMs(), Date.parse(logTime())]
      const seconds = () => (monotonicMs() - startedAt) / 1000
      const drill = async (installation: string): Promise<Drill & { backup: string }> => {
        // What a killed drill left behind: a decrypted copy of everything.
        await removeDataFolder(into)
        try {
          const manifest = await chooseBackup(place.backups, { installation })
          const work = { ...place, config, manifest, until: null, into, terminal, openFoundation }
          return await restoreInto(work, async (copy, { newestCommit }) => {
            const ready = seconds()
            const lost = (now - (newestCommit?.getTime() ?? Date.parse(manifest.endedAt))) / 1000
            const problem = await problemIn(copy)
            const backup = manifest.name
            return { ok: problem === null, lossSeconds: Math.max(0, lost), seconds: ready, problem, backup }
          })
        } catch (error) {
          if (!(error instanceof OperatorProblem) || error instanceof Stopped) throw error
          return { ok: false, lossSeconds: null, seconds: seconds(), problem: error.message, backup: 'none' }
        } finally {
          await removeDataFolder(into)
        }
      }
      try {
        if (!cluster) throw notEmbedded()
        const result = await withBackupLock(cluster, () => drill(cluster.home.secrets.id))
        await noteDrill(db, result)
        const { ok, lossSeconds, problem, backup } = result
        return {
          json: { ok, backup, loss_seconds: lossSeconds, restore_seconds: result.seconds, problem },
          text: [
            `Drill with backup ${backup}: ${ok ? 'restored, and every check passed.' : `FAILED. ${problem}`}`,
            `Data loss if the machine had failed at the start of the drill (RPO): ${lossSeconds?.toFixed(1) ?? 'unknown'} s. Time until the copy was ready (RTO): ${result.seconds.toFixed(1)} s.`,
          ].join('\n'),
          failed: !ok,
        }
      } finally {
        await close()
      }
    },
  },
}

/** Every check of the doctor that is possible on a copy at rest, the audit chain included. */
async function problemIn(copy: Foundation): Promise<string | null> {
  const findings = await examine(copy, { all: false, isAtRest: true })
  const broken = findings.filter(({ verdict }) => verdict === 'broken' || verdict === 'unknown')
  const problems = broken.map(({ name, verdict }) => `${name} is ${verdict}`)
  return problems.length === 0 ? null : `${problems.join('; ')}.`
}
