/**
 * Payment pages that were opened before, kept as bytes: customers reload, and come back from their bank's app. A page is
 * kept under all that it is made of, so one that differs in any fact is another page, and none is shown after its deposit
 * has changed. The time that is left stands in the end of a page, which is made at each visit.
 */
import { hash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import type { Language } from '../web/messages/languages.ts'
import { type PackedPage, packPage } from '../web/packed-page.ts'
import { endOf, type FinishedPage } from '../web/page.ts'
import { type Assets, payPage, timeLeft } from './pages.ts'
import type { PayView } from './view.ts'

type KeptPages = {
  open(
    view: PayView,
    language: Language,
    encoding: PackedPage['encoding'],
  ): Promise<FinishedPage | PackedPage>
  readonly bytes: number
}

export function keptPages(assets: Assets, keepBytes: number = bounds.pagesKeptBytes): KeptPages {
  const kept = new Map<string, PackedPage>()
  let bytes = 0

  const drop = (key: string): void => {
    bytes -= kept.get(key)?.rest.length ?? 0
    kept.delete(key)
  }

  function keep(key: string, page: PackedPage): void {
    drop(key)
    kept.set(key, page)
    bytes += page.rest.length
    // The one that was opened last is dropped last.
    for (const oldest of kept.keys()) {
      if (bytes <= keepBytes) return
      drop(oldest)
    }
  }

  return {
    async open(view, language, encoding) {
      // The signed way back to the shop is another one every second.
      if (view.returnTo !== null) return payPage(view, language, assets)
      const key = `${encoding} ${keyOf(view, language)}`
      const known = kept.get(key)
      const page = known
        ? { ...known, end: endOf(timeLeft(view)) }
        : await packPage(payPage(view, language, assets), encoding)
      keep(key, page)
      return page
    },
    get bytes() {
      return bytes
    },
  }
}

/** Of everything but the moment. */
const keyOf = (view: PayView, language: Language): string =>
  hash('sha256', `${language}${written({ ...view, now: null })}`, 'base64url')

/** Any two values that differ are written differently. JSON takes twice as long, mostly for its dates. */
function written(value: unknown): string {
  if (typeof value === 'string') return `"${value.length} ${value}`
  if (typeof value !== 'object' || value === null) return `${typeof value} ${value};`
  if (value instanceof Date) return `date ${value.getTime()};`
  let text = '{'
  for (const name in value) text += `${name}:${written(value[name as keyof typeof value])}`
  return `${text}}`
}
