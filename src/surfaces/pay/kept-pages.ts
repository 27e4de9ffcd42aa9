/**
 * Payment pages that were opened before, kept as they were sent: customers reload, and come back from their bank's app. A
 * page is kept under all that it is made of, so one that differs in any fact is another page, and none is shown after its
 * deposit has changed. The time that is left stands in no page: the script asks for it.
 */
import { hash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { keptBytes } from '../../platform/kept-bytes.ts'
import { ownBytes } from '../../platform/own-bytes.ts'
import type { Language } from '../web/messages/languages.ts'
import type { FinishedPage } from '../web/page.ts'
import { type PackedPage, packPage } from '../web/send-page.ts'
import { type Assets, payPage } from './pages.ts'
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
  const kept = keptBytes<PackedPage & { length: number }>(keepBytes)
  return {
    async open(view, language, encoding) {
      // The signed way back to the shop is another one every second.
      if (view.returnTo !== null) return payPage(view, language, assets)
      const key = `${encoding} ${keyOf(view, language)}`
      const known = kept.get(key)
      if (known) return known
      const page = await packPage(payPage(view, language, assets), encoding)
      const own = { ...page, bytes: ownBytes(page.bytes), length: page.bytes.length }
      kept.set(key, own)
      return own
    },
    get bytes() {
      return kept.bytes
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
