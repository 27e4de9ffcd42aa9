/** What a person can do with a transfer beyond matching it whole: the fields and the buttons. */
import { canBecome, type Transfer } from '../../../domain/transfers/transfer.ts'
import { flag, html, type Markup } from '../../web/html.ts'
import { area, field } from '../../web/pieces.ts'
import type { DeskContext } from '../frame.ts'
import { deskPath } from '../paths.ts'
import type { ActButton } from '../queue/item-pieces.ts'
import { actWords } from './words.ts'

type Possible = Pick<Transfer, 'id' | 'state' | 'direction'>

/** Folded, because most days need none of them. */
export function moreFields(desk: DeskContext, { state }: Possible): Markup | false {
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

/** Only what is possible now: the common acts stand there with their obstacles. */
export function moreButtons(
  desk: DeskContext,
  { id, state, direction }: Possible,
  { canUndo, isSuspected }: { canUndo: boolean; isSuspected: boolean },
): ActButton[] {
  const words = actWords[desk.language]
  const split: ActButton = {
    text: words.split,
    effect: `${words.splitText} ${words.aboveOne}`,
    action: deskPath('/transfers/:id/split', id),
    key: 'p',
    presets: 'match',
  }
  const same: ActButton = {
    text: words.same,
    effect: words.sameText,
    action: deskPath('/transfers/:id/duplicate', id),
    key: 'd',
    presets: 'duplicate',
  }
  const revoke: ActButton = {
    text: words.revoke,
    effect: words.revokeText,
    action: deskPath('/transfers/:id/revoke', id),
    key: 'v',
    kind: 'danger',
  }
  const canRevoke = direction === 'credit' && state !== 'revoked' && state !== 'duplicate'
  return [
    ...(canBecome(state, 'matched') ? [split] : []),
    ...(canBecome(state, 'duplicate') && !isSuspected ? [same] : []),
    ...(canRevoke ? [revoke] : []),
    ...(canUndo ? [undoButton(desk, id)] : []),
  ]
}

export const undoButton = (desk: DeskContext, id: string): ActButton => ({
  text: actWords[desk.language].undo,
  effect: actWords[desk.language].undoText,
  action: deskPath('/transfers/:id/undo', id),
  key: 'u',
})
