/** Which stored files of an installation are no longer needed. Pure. */
import { readPartName } from './wal-position.ts'

/** `firstSegment`: null where only another master key can say it. */
type Kept = { name: string; firstSegment: string | null }

/**
 * `complete`: the backups that have a manifest, newest first; `stored`: names below the installation's folder. A backup that
 * was broken off goes. WAL goes that is older than the oldest backup that stays; none, while that one is locked.
 */
export function namesToDelete(
  stored: readonly string[],
  complete: readonly Kept[],
  { keep }: { keep: number },
): string[] {
  const kept = complete.slice(0, keep)
  if (kept.length === 0) return []
  const stays = new Set(kept.map(({ name }) => name))
  const first = kept.at(-1)!.firstSegment
  const gone = stored.filter((name) => {
    const [kind, second = ''] = name.split('/')
    if (kind === 'base') return !stays.has(second)
    const segment = kind === 'wal' ? readPartName(second)?.segment : undefined
    return first !== null && segment !== undefined && segment < first
  })
  // The manifest first: what is half deleted does not count as a backup.
  return gone.sort((one, other) => Number(isManifest(other)) - Number(isManifest(one)))
}

export const isManifest = (name: string): boolean => name.endsWith('/manifest')
