/** Requests for acts of sections: what they are called, and what they would change. */
import { isDeepStrictEqual } from 'node:util'
import type { ActRequest, Proposal } from '../../../domain/approvals/proposal.ts'
import { readMessage } from '../../../domain/messages/message.ts'
import type { ConsoleLanguage } from '../../../domain/people/person.ts'
import { actOfRequest, changesOf } from '../../../sections/decide-request.ts'
import { type Context, inLanguage, type Two } from '../../../sections/section.ts'
import { allSections } from '../../../sections/sections.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'

/** Whether a section declares it; the other kinds are decided by `decideProposal`. */
export const isDeclared = ({ kind }: Pick<ActRequest, 'kind'>): boolean => kind.includes('.')

export const requestName = ({ language }: Pick<DeskContext, 'language'>, request: { kind: string }): string =>
  kindName(request.kind, language)

export function kindName(kind: string, language: ConsoleLanguage): string {
  const [one, name = ''] = kind.split('.')
  const section = allSections.find((section) => section.one === one)
  const act = section?.acts[name] ?? section?.sectionActs?.[name]
  if (act) return inLanguage(act.name, language)
  return (caseWords[language].proposals as Record<string, string>)[kind] ?? kind
}

export type Change = [name: string, before: string | Markup, after: string | Markup]

/** Each field with its value before and after; a fact that is not asked to change has one value. */
export async function requestChanges(context: Context, request: Proposal): Promise<Change[]> {
  const wanted = actOfRequest(allSections, request)
  if (!wanted) return []
  const { language } = context
  const { asks, facts } = await changesOf(context, request, wanted)
  const said = (codes: readonly string[]) =>
    codes.map((code) => translate(readMessage({ code }, ''), language)).join(' ')
  const text = (words: Two | null, isDigits: boolean): string | Markup => {
    if (!words) return '–'
    const plain = inLanguage(words, language)
    return isDigits
      ? html`<span class="digits">${plain
          .replace(/[\s-]/g, '')
          .match(/.{1,4}/gsu)!
          .map((group) => html`<span>${group}</span>`)}</span>`
      : plain
  }
  return [
    ...facts
      .filter(([, value]) => value.length > 0)
      .map(([name, value]): Change => {
        const shown = typeof value === 'string' ? value : said(value)
        return [name, shown, shown]
      }),
    ...asks
      .filter(({ before, after }) => !isDeepStrictEqual(before, after))
      .map(
        ({ head, before, after, isDigits }): Change => [
          inLanguage(head, language),
          text(before, isDigits),
          text(after, isDigits),
        ],
      ),
  ]
}
