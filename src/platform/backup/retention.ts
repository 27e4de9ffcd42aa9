/** Which stored files of an installation are no longer needed. Pure. */
import { readPartName } from './wal-position.ts'

type Kept = { name: string; firstSegment: string }

/**
 * `complete`: the backups whose manifest can be read; `stored`: names below the installation's folder. The newest are those that
 * are furthest in WAL: a clock may have been wrong. A backup that was broken off goes; one that is whole but cannot be read, such as one
 * of a master key before, goes like an older one as soon as enough others stay. WAL goes that is older than every backup that stays.
 */
export function namesToDelete(
  stored: readonly string[],
  complete: readonly Kept[],
  { keep }: { keep: number },
): string[] {
  const kept = complete
    .toSorted((one, other) => (one.firstSegment < other.firstSegment ? 1 : -1))
    .slice(0, keep)
  const oldest = kept.at(-1)
  if (!oldest) return []
  const known = new Set(complete.map(({ name }) => name))
  const unreadable = stored
    .filter(isManifest)
    .map((name) => name.split('/')[1]!)
    .filter((name) => !known.has(name) && (kept.length < keep || name > oldest.name))
  const stays = new Set([...kept.map(({ name }) => name), ...unreadable])
  const gone = stored.filter((name) => {
    const [kind, second = ''] = name.split('/')
    if (kind === 'base') return !stays.has(second)
    const segment = kind === 'wal' ? readPartName(second)?.segment : undefined
    // Nobody knows where the WAL of an unreadable one begins.
    return segment !== undefined && unreadable.length === 0 && segment < oldest.firstSegment
  })
  // The manifest first: what is half deleted does not count as a backup.
  return gone.sort((one, other) => Number(isManifest(other)) - Number(isManifest(one)))
}

export const isManifest = (name: string): boolean => name.endsWith('/manifest')
