/**
 * Notifies open pages that their deposit has changed. One reader per process reads all of them together, once a
 * second, or at once when this process changed something. A page without a stream polls.
 */

import { type PageMark, readPageMarks } from '../../domain/deposits/read-store.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'

export type PageWatch = {
  /**
   * Calls `changed` after every change, until the returned function is called. Returns null if too many pages are open.
   */
  watch(seen: PageMark, network: string, changed: () => void): (() => void) | null
  /** This process changed something: reads the pages now. */
  wake(): void
  /** Ends the stream of every page, so that the server can stop. */
  stop(): void
  isStopped(): boolean
  readonly size: number
}

type Watcher = { changed: () => void }

export function watchPages(db: Db, log: Log): PageWatch {
  const pages = new Map<string, { mark: string; watchers: Set<Watcher> }>()
  const openOf = new Map<string, number>()
  let open = 0
  let isReading = false
  let isWoken = false
  let isStopped = false

  function count(network: string, more: 1 | -1): void {
    const ofNetwork = (openOf.get(network) ?? 0) + more
    open += more
    if (ofNetwork > 0) openOf.set(network, ofNetwork)
    else openOf.delete(network)
  }

  async function read(): Promise<void> {
    if (isReading || pages.size === 0) return
    isReading = true
    isWoken = false
    try {
      const tokens = [...pages.keys()]
      for (let from = 0; from < tokens.length; from += bounds.pagesRead) {
        const marks = await readPageMarks(db, tokens.slice(from, from + bounds.pagesRead))
        for (const watched of marks) {
          const page = pages.get(watched.pageToken)
          const mark = markOf(watched)
          if (!page || page.mark === mark) continue
          page.mark = mark
          for (const { changed } of page.watchers) changed()
        }
      }
    } catch (error) {
      log.warn('open pages were not updated', faultFields(error))
    } finally {
      isReading = false
      if (isWoken) setTimeout(() => void read(), bounds.pagesGapMs).unref()
    }
  }

  const timer = setInterval(() => void read(), bounds.pagesReadMs)
  timer.unref()

  return {
    watch(seen, network, changed) {
      const ofNetwork = openOf.get(network) ?? 0
      if (isStopped || open >= bounds.openPages || ofNetwork >= bounds.openPagesPerNetwork) return null
      const token = seen.pageToken
      const page = pages.get(token) ?? { mark: markOf(seen), watchers: new Set<Watcher>() }
      const watcher = { changed }
      pages.set(token, page)
      page.watchers.add(watcher)
      count(network, 1)
      return () => {
        if (!page.watchers.delete(watcher)) return
        count(network, -1)
        if (page.watchers.size === 0) pages.delete(token)
      }
    },
    wake() {
      isWoken = true
      void read()
    },
    stop() {
      isStopped = true
      clearInterval(timer)
      for (const { watchers } of pages.values()) for (const { changed } of watchers) changed()
    },
    isStopped: () => isStopped,
    get size() {
      return open
    },
  }
}

const markOf = ({ state, labels, receivedCents, claimedAt, expiresAt }: PageMark): string =>
  [state, labels.join(), receivedCents, claimedAt?.getTime(), expiresAt.getTime()].join('|')
