/** What was changed in the last day about the rules of approval, on pages that are written by hand. */
import { approvalRuleNote } from '../../sections/approval-rule-notes.ts'
import { inLanguage } from '../../sections/section.ts'
import { html, type Markup } from '../web/html.ts'
import { callout } from '../web/pieces.ts'
import type { DeskContext } from './frame.ts'
import { deskPath } from './paths.ts'

export function approvalRuleActsPanel(
  { language }: Pick<DeskContext, 'language'>,
  { length }: readonly unknown[],
): Markup | null {
  if (length === 0) return null
  const { text, link } = approvalRuleNote(length)
  return callout(
    'warn',
    html`${inLanguage(text, language)} <a href="${deskPath('/audit')}?guard=on">${inLanguage(link, language)}</a>`,
  )
}
