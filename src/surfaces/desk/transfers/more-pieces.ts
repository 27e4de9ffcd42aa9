/** What a person can do with a transfer: the buttons, and the fields of what most days do not need. */
import { canBecome, type Transfer } from '../../../domain/transfers/transfer.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import { area, field } from '../../web/pieces.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'
import { deskPath } from '../paths.ts'
import type { ActButton } from '../queue/item-pieces.ts'
import { actWords } from './words.ts'

/** Folded, because most days need none of them. */
export function moreFields(desk: DeskContext, { state }: Pick<Transfer, 'state'>): Markup | false {
  const words = actWords[desk.language]
  const canMatch = canBecome(state, 'matched')
  const canRepeat = canBecome(state, 'duplicate')
  if (!canMatch && !canRepeat) return false
  const isTyped = ['shares', 'with', 'other'].some((name) => desk.typed(name) !== '')
  return html`<details class="section" ${flag('open', isTyped)}><summary>${words.more}</summary>
<div class="stack">
${canMatch && area({ name: 'shares', label: words.shares, hint: words.sharesHint, value: desk.typed('shares'), maxLength: 8_000 })}
${canMatch && field({ name: 'with', label: words.with, hint: words.withHint, value: desk.typed('with'), maxLength: 4_000 })}
${canRepeat && field({ name: 'other', label: words.other, hint: words.otherHint, value: desk.typed('other'), maxLength: 36 })}
</div></details>`
}

/** What a person may do with a transfer, each with a key of its own. */
export function actsOf(desk: DeskContext, id: string) {
  const words = caseWords[desk.language]
  const more = actWords[desk.language]
  type Verb = 'genuine' | 'match' | 'set-aside' | 'refund' | 'split' | 'duplicate' | 'revoke' | 'undo'
  const act = (verb: Verb, [text, effect]: readonly [string, string], key: string): ActButton => ({
    ...{ text, effect, key, action: deskPath(`/transfers/:id/${verb}`, id) },
  })
  return {
    genuine: { ...act('genuine', [words.genuine, words.genuineText], 'g'), presets: 'genuine' },
    match: { ...act('match', [words.match, words.matchText], 'm'), presets: 'match' },
    setAside: { ...act('set-aside', [words.setAside, words.setAsideText], 's'), presets: 'set_aside' },
    refund: { ...act('refund', [words.refund, words.refundText], 'r'), presets: 'refund', kind: 'danger' },
    split: { ...act('split', [more.split, `${more.splitText} ${more.aboveOne}`], 'p'), presets: 'match' },
    same: { ...act('duplicate', [more.same, more.sameText], 'd'), presets: 'duplicate' },
    revoke: { ...act('revoke', [more.revoke, more.revokeText], 'v'), kind: 'danger' },
    undo: act('undo', [more.undo, more.undoText], 'u'),
  } satisfies Record<string, ActButton>
}
