/** The pieces of a full backup: data is stored while it is read, in files of limited length. */
import { type BackupPlace, measured, type Piece } from './backup-set.ts'
import { type ClusterFile, readPart } from './cluster-files.ts'
import { type Bytes, sealed } from './sealed-stream.ts'

export type BackupProgress = { phase: 'storing' | 'checking'; bytes: number; total: number }

type Storing = {
  place: BackupPlace
  progress?: (done: BackupProgress) => void
  stop?: AbortSignal
}

export type Pieces = ReturnType<typeof createPieces>

const pieceBytes = 128 * 1024 * 1024

/** Cuts the stream of files into pieces, each stored on its own while it is read. */
export function createPieces({ place, progress, stop }: Storing, folder: string, total: number) {
  const { destination, vault } = place
  const stored: Piece[] = []
  let piece: { feed: Feed; done: Promise<void>; bytes: number } | undefined
  let read = 0

  const begin = () => {
    const name = `${folder}/${String(stored.length + 1).padStart(6, '0')}`
    const feed = createFeed()
    const { bytes, result } = measured(sealed(vault, name, feed.bytes))
    const done = destination.put(name, bytes).then(() => void stored.push({ name, ...result() }))
    done.catch((error) => feed.fail(error))
    return { feed, done, bytes: 0 }
  }
  const end = async () => {
    const ended = piece
    piece = undefined
    await ended?.feed.end()
    await ended?.done
  }
  const add = async (chunks: Iterable<Buffer> | Bytes): Promise<boolean> => {
    const before = read
    for await (const chunk of chunks) {
      stop?.throwIfAborted()
      piece ??= begin()
      await piece.feed.push(chunk)
      piece.bytes += chunk.length
      read += chunk.length
      progress?.({ phase: 'storing', bytes: Math.min(read, total), total })
    }
    return read > before
  }
  return {
    add,
    /** A file is divided when a piece is full. Returns false if the file, or its end, no longer exists. */
    async addFile(cluster: string, { path, bytes }: ClusterFile): Promise<boolean> {
      let at = 0
      do {
        if (piece && piece.bytes >= pieceBytes) await end()
        const room = pieceBytes - (piece?.bytes ?? 0)
        const part = Math.min(bytes - at, Math.max(room, 1))
        // Reading stops here: if the name exists again later, it is another file.
        if (!(await add(readPart(cluster, { path, at, bytes: part })))) return false
        at += part
      } while (at < bytes)
      return true
    },
    async end(): Promise<Piece[]> {
      await end()
      return stored
    },
    /** Aborts the piece that is being stored, and throws the reason. */
    async abandon(reason: unknown): Promise<never> {
      piece?.feed.fail(reason)
      await piece?.done.catch(() => {})
      throw reason
    },
  }
}

type Feed = {
  bytes: Bytes
  push(chunk: Buffer): Promise<void>
  end(): Promise<void>
  fail(error: unknown): void
}

/** Passes chunks from one loop to another, one at a time. */
function createFeed(): Feed {
  const { readable, writable } = new TransformStream<Buffer, Buffer>()
  const writer = writable.getWriter()
  writer.closed.catch(() => {})
  // A write that is never read would wait forever.
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const unlessFailed = (work: Promise<void>) => {
    work.catch(() => {})
    return Promise.race([work, failed.promise])
  }
  return {
    bytes: readable as unknown as Bytes,
    async push(chunk) {
      await unlessFailed(writer.ready)
      await unlessFailed(writer.write(chunk))
    },
    end: () => unlessFailed(writer.close()),
    fail(error) {
      failed.reject(error)
      writer.abort(error).catch(() => {})
    },
  }
}
