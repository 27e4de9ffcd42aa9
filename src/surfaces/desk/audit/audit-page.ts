/** The audit record, newest first, and whether its chain of digests is intact. */
import type { AuditEntry, Verdict } from '../../../domain/audit/audit.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { actorName, timeOf } from '../../staff/frame.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { html, type Markup } from '../../web/html.ts'
import { callout, empty, table } from '../../web/pieces.ts'
import type { SubjectNames } from '../approvals/rows.ts'
import { subjectLink } from '../approvals/subject-pieces.ts'
import { caseWords } from '../case-words.ts'
import { type DeskContext, deskPage } from '../frame.ts'
import { listPager } from '../list-pager.ts'
import { deskPath } from '../paths.ts'
import { recordWords } from './words.ts'

type AuditView = {
  entries: readonly AuditEntry[]
  people: readonly { id: string; name: string }[]
  /** The names of what the entries are about. */
  names: SubjectNames
  filter: { person: string; subject: string; merchant: string }
  next: string | null
  isFirst: boolean
  verdict: Verdict | null
}

export function auditPage(desk: DeskContext, view: AuditView) {
  const words = recordWords[desk.language]
  const { entries, people, names, filter, next, isFirst, verdict } = view
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''))
  return deskPage(desk, {
    title: words.sections.audit,
    section: 'audit',
    actions: html`<a class="button" href="${`${deskPath('/audit/export.csv')}?${query}`}">${words.export}</a>
<a class="button" href="${deskPath('/audit')}?check=yes">${words.check}</a>`,
    body: html`${verdict && verdictOf(desk, verdict)}
<p class="quiet">${words.chainText}</p>
${filterBar(desk, {
  path: deskPath('/audit'),
  search: {
    name: 'subject',
    label: words.subject,
    placeholder: words.subjectHint,
    value: filter.subject,
    maxLength: 100,
  },
  filters: [
    choiceFilter({
      name: 'person',
      label: words.person,
      value: filter.person,
      none: words.all,
      choices: people.map((person) => ({ value: person.id, text: person.name })),
    }),
    fieldFilter({
      name: 'merchant',
      label: words.merchant,
      value: filter.merchant,
      maxLength: 36,
      placeholder: words.merchantHint,
    }),
  ],
})}
${
  entries.length === 0
    ? empty(words.noEntries, words.noEntriesText)
    : html`<div class="compact">${table(
        words.sections.audit,
        [
          words.act,
          words.when,
          words.who,
          words.subject,
          { head: words.why, is: 'long' },
          { head: words.place, is: 'number extra' },
        ],
        entries.map((entry) => [
          actOf(desk, entry.act),
          timeOf(desk, entry.at),
          actorName(desk, entry.actor),
          subjectLink(desk, names, entry.subject),
          reasonAndChanges(desk, entry),
          entry.place,
        ]),
      )}</div>`
}
${listPager(desk, { path: deskPath('/audit'), params: filter, next, isFirst })}`,
  })
}

const verdictOf = (
  desk: DeskContext,
  { entries, head, problem, gaps }: NonNullable<AuditView['verdict']>,
): Markup => {
  const words = recordWords[desk.language]
  return problem
    ? html`<div role="alert">${callout('bad', html`<strong>${words.broken}</strong> ${translate(problem, desk.language)}`)}</div>`
    : html`<div role="status">${callout('ok', html`${words.whole(entries.toString())} ${words.head}: <span class="mono anywhere">${head}</span>. ${words.headHint}`)}</div>
${gaps.map((gap) => callout('warn', translate(gap, desk.language)))}`
}

/** The act in words where there are some; its title is the code that the export and the command line use. */
export function actOf({ language }: Pick<DeskContext, 'language'>, act: string): Markup {
  const { actNames, proposed } = recordWords[language]
  const [, verb = '', kind = ''] = /^(propose|approve|refuse|withdraw)_(.+)$/.exec(act) ?? []
  const asked = (caseWords[language].proposals as Record<string, string>)[kind] ?? actNames[kind]
  const name = actNames[act] ?? (proposed[verb] && asked && `${proposed[verb]}: ${asked}`)
  return name ? html`<span title="${act}">${name}</span>` : html`<span class="mono">${act}</span>`
}

/** The reason, if one was given, and the values that changed. */
function reasonAndChanges(desk: DeskContext, entry: AuditEntry): Markup | null {
  const reason = reasonOf(desk, entry)
  const change = changeOf(entry, recordWords[desk.language].change)
  return reason || change ? html`${reason && html`<bdi>${reason}</bdi>`}${change}` : null
}

/** The audit record stores the way of signing in as the reason. */
const reasonOf = ({ language }: DeskContext, { act, reason }: AuditEntry): string =>
  (act === 'sign_in' ? recordWords[language].ways[reason] : undefined) ?? translate(reason, language)

const changeOf = ({ before, after }: AuditEntry, name: string): Markup | null =>
  before === 'null' && after === 'null'
    ? null
    : html`<details><summary>${name}</summary><p class="mono anywhere">${before === 'null' ? '–' : before.slice(0, 2000)} → ${after === 'null' ? '–' : after.slice(0, 2000)}</p></details>`
