/** Which stored files of an installation are no longer needed. Pure. */
import { readPartName } from './wal-position.ts'

type Kept = { name: string; firstSegment: string; key?: string | undefined }

/**
 * `complete`: the backups whose manifest can be read; `stored`: names below the installation's folder. The newest are those
 * that are furthest in WAL: a clock may have been wrong. An interrupted backup is deleted; a complete one that cannot be
 * read, such as one of an earlier master key, is deleted like an older one as soon as enough others stay. WAL that is older
 * than every kept backup is deleted. Files of archived months stay, unless they were stored under a master key that no backup
 * is left of.
 *
 * Answers groups: each backup, WAL, archives. Within a group the oldest comes first, and nothing may go before what stands in front of it.
 */
export function groupsToDelete(
  stored: readonly string[],
  complete: readonly Kept[],
  { keep }: { keep: number },
): string[][] {
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
  const keys = new Set(kept.map(({ key }) => key))
  const isGone = (name: string): boolean => {
    const [kind, second = ''] = name.split('/')
    if (kind === 'base') return !stays.has(second)
    // Nobody knows where the WAL of an unreadable one begins, and which files it needs.
    if (unreadable.length > 0) return false
    if (kind === 'archive')
      return !keys.has(undefined) && !keys.has(second.slice(second.lastIndexOf('.') + 1))
    const segment = kind === 'wal' ? readPartName(second)?.segment : undefined
    return segment !== undefined && segment < oldest.firstSegment
  }
  const gone = stored
    .filter(isGone)
    // The manifest first: what is half deleted does not count as a backup.
    .sort((one, other) => Number(isManifest(other)) - Number(isManifest(one)))
  return [...Map.groupBy(gone, groupOf).values()]
}

const groupOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('base/') ? 2 : 1)
    .join('/')

export const isManifest = (name: string): boolean => name.endsWith('/manifest')
