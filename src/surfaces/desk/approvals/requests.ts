/** Requests for acts of sections: what they are called, and what they would change. */
import type { ActRequest, Proposal, ProposalKind } from '../../../domain/approvals/proposal.ts'
import { actOfRequest, changesOf } from '../../../sections/decide-request.ts'
import { inLanguage } from '../../../sections/section.ts'
import { allSections } from '../../../sections/sections.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'

/** Whether a section declares it; the other kinds are decided by `decideProposal`. */
export const isDeclared = ({ kind }: Pick<ActRequest, 'kind'>): boolean => kind.includes('.')

export function requestName({ language }: Pick<DeskContext, 'language'>, request: Proposal): string {
  const wanted = isDeclared(request) && actOfRequest(allSections, request)
  return wanted
    ? inLanguage(wanted.act.name, language)
    : (caseWords[language].proposals[request.kind] ?? request.kind)
}

/** What a kind of request is called, without the request. */
export function kindName({ language }: Pick<DeskContext, 'language'>, kind: string): string {
  const [one, name = ''] = kind.split('.')
  const section = allSections.find((section) => section.one === one)
  const act = section?.acts[name] ?? section?.sectionActs?.[name]
  return act ? inLanguage(act.name, language) : (caseWords[language].proposals[kind as ProposalKind] ?? kind)
}

/** Each field with its value before and after; a fact that is not asked to change has one value. */
export function requestChanges(
  { language }: Pick<DeskContext, 'language'>,
  request: Proposal,
): [string, string, string][] {
  const wanted = actOfRequest(allSections, request)
  if (!wanted) return []
  const { asks, facts } = changesOf(request, wanted.act)
  return [
    ...facts.map(([name, value]): [string, string, string] => [name, value, value]),
    ...asks
      .filter(({ before, after }) => (before ?? '') !== after)
      .map(({ head, before, after }): [string, string, string] => [
        inLanguage(head, language),
        before || '–',
        after || '–',
      ]),
  ]
}
