/** Which of the stored backups a restore or a drill begins with: one of the installation that was named, or of the only one there is. */
import { type BackupPlace, type Manifest, readStored, type Stored } from '../../platform/backup/backup-set.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { shown } from './options.ts'

type Choice = {
  installation: string | null
  backup: string | null
  /** Recovery goes forward only: the backup must have ended by then. */
  until: Date | null
}

/** The newest backup that fits. The installation is never guessed: the wrong one would have the money of other shops. */
export async function chooseBackup(
  place: BackupPlace,
  { installation, backup, until }: Choice,
): Promise<Manifest> {
  const stored = await readStored(place, installation ?? undefined)
  const { manifests, unreadable } = named(stored, backup)
  const installations = new Set([...manifests, ...unreadable].map(({ id }) => id))
  if (installations.size > 1) throw new OperatorProblem(choiceText({ manifests, unreadable }))
  const found = manifests.find(({ endedAt }) => until === null || new Date(endedAt) <= until)
  if (found) return found
  if (manifests.length > 0)
    throw new OperatorProblem(
      `No backup had ended by ${until!.toISOString()}: the oldest one ended at ${manifests.at(-1)!.endedAt}.`,
    )
  if (unreadable.length > 0) throw new OperatorProblem(unreadable[0]!.problem)
  if (stored.manifests.length + stored.unreadable.length > 0)
    throw new OperatorProblem(`No backup there is called ${shown(backup!)}: see "inlet backup list".`)
  const whose = installation === null ? '' : ` of the installation ${shown(installation)}`
  throw new OperatorProblem(`No complete backup${whose} is stored there.`)
}

const named = ({ manifests, unreadable }: Stored, name: string | null): Stored =>
  name === null
    ? { manifests, unreadable }
    : {
        manifests: manifests.filter((manifest) => manifest.name === name),
        unreadable: unreadable.filter((backup) => backup.name === name),
      }

function choiceText({ manifests, unreadable }: Stored): string {
  const all = Map.groupBy([...manifests, ...unreadable], ({ id }) => id)
  const lines = [...all].map(([id, backups]) => {
    const newest = manifests.find((manifest) => manifest.id === id)
    const many = backups.length === 1 ? '1 backup' : `${backups.length} backups`
    const which = newest ? `the newest of ${newest.endedAt}` : 'none that the given master key opens'
    return `  ${shown(id)}: ${many}, ${which}`
  })
  return [
    'Backups of several installations are stored there; name one with --installation ID:',
    ...lines,
  ].join('\n')
}
