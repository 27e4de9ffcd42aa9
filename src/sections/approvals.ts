/** Requests that wait for a second person: who asked for what and why, the values before and after, and the decision. */
import { type ApprovalRight, approvalRight } from '../domain/approvals/guard.ts'
import type { Proposal, ProposalState } from '../domain/approvals/proposal.ts'
import {
  findProposal,
  listDecidedProposals,
  listOpenProposals,
  readApprovalSettings,
  readIndependence,
} from '../domain/approvals/store.ts'
import { readMessage } from '../domain/messages/message.ts'
import { approvalRuleNotes } from './approval-rule-notes.ts'
import { age, day, foreign, said, state, text, time, words } from './cells.ts'
import { actOfRequest, changesOf, decideWithin, requestName } from './decide-request.ts'
import { act, section } from './declare.ts'
import { note, table } from './parts.ts'
import { decide, read, work } from './roles.ts'
import {
  type By,
  both,
  type Cell,
  type Context,
  type Part,
  type Reads,
  type Tone,
  type Two,
} from './section.ts'
import { choicesFrom } from './states.ts'
import { readSubjects } from './subjects.ts'

type Row = Proposal & {
  name: Two
  about: Cell
  /** The right of the person who looks, and whether nobody else could ever decide. */
  right: ApprovalRight | null
  isAlone: boolean
}

const states: Record<ProposalState, readonly [Two, Tone]> = {
  open: [['Pending approval', 'На согласовании'], 'warn'],
  approved: [['Approved', 'Согласовано'], 'ok'],
  refused: [['Declined', 'Отклонено'], 'bad'],
  withdrawn: [['Withdrawn', 'Отозвано'], 'plain'],
}

async function named(context: Reads, found: readonly Proposal[]): Promise<Row[]> {
  const about = await readSubjects(context, found)
  return found.map((request) => ({
    ...{ ...request, right: null, isAlone: false },
    name: requestName(context.sections, request.kind),
    about: about(request.subject),
  }))
}

/** Why this person may approve, if the reason is unusual; or why not, and from when on they may. */
function rightNotes({ right, isAlone, state }: Row): Part[] {
  if (state !== 'open' || !right || right.is === 'second_person') return []
  const more = isAlone ? [secondPerson] : []
  if (right.is === 'single_operator')
    return [
      note('info', [
        'You requested this. This installation has one operator, and the audit log will say so.',
        'Это ваш запрос. Установкой управляет один человек, журнал это отметит.',
      ]),
    ]
  if (right.is === 'delayed')
    return [
      note('warn', [
        'You requested this a day ago and nobody else can approve it, so you may do it yourself. The audit log and an alarm will record it.',
        'Вы запросили это сутки назад, и больше согласовать некому, поэтому можете согласовать сами. Журнал и тревога это отметят.',
      ]),
    ]
  if (right.is === 'later') {
    const from = `${right.from.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    const why: Two =
      right.because === 'own'
        ? [
            `You requested this. Nobody else can approve it, so you may do it yourself from ${from}.`,
            `Это ваш запрос. Больше согласовать некому, поэтому вы можете сделать это сами с ${from}.`,
          ]
        : [
            `You or the person who requested this gave the other access less than a day ago, or one colleague gave it to both of you. A colleague can approve it now, you can from ${from}.`,
            `Один из вас дал другому доступ меньше суток назад, или доступ обоим дал один сотрудник. Коллега может согласовать сейчас, вы — с ${from}.`,
          ]
    return [note('info', why), ...more]
  }
  if (right.is === 'never' && right.because === 'own')
    return [
      note('info', [
        'You requested this, so a second person must approve it.',
        'Это ваш запрос: его согласует второй сотрудник.',
      ]),
      ...more,
    ]
  return [
    note('info', [
      'This request is about yourself. Another colleague must approve it; you may refuse it.',
      'Этот запрос о вас. Согласует его другой сотрудник; отклонить можете и вы.',
    ]),
  ]
}

const secondPerson = note('info', ['Nobody else can approve it yet.', 'Согласовать пока больше некому.'], {
  to: '/people',
  id: 'invite',
  text: ['Invite an approver or admin', 'Пригласить согласующего'],
})

/** Each field with its value before and after; a fact that is not asked to change stands in both columns. */
async function changeRows(
  context: Context,
  request: Row,
): Promise<(readonly [what: Cell, before: Cell, after: Cell])[]> {
  const wanted = actOfRequest(context.sections, request)
  if (!wanted) return []
  const heads = { ...wanted.section.columns, ...wanted.section.facts }
  const { asks, facts } = await changesOf(context, request, wanted)
  const fact = (value: (typeof facts)[number][1]): Cell =>
    typeof value === 'string' ? foreign(value) : value.map((code) => said(readMessage({ code }, code)))
  // A number that the approver compares with a paper, in groups.
  const asked = (value: Two | null, is: (typeof asks)[number]['is']): Cell => {
    if (value === null) return null
    if (is === 'day') return day(value[0])
    return is === 'digits' ? text(grouped(value[0])) : words(value)
  }
  return [
    ...facts
      .filter(([, value]) => value.length > 0)
      .map(([name, value]) => [words(heads[name]?.head ?? both(name)), fact(value), fact(value)] as const),
    ...asks.map(({ head, before, after, is }) => [words(head), asked(before, is), asked(after, is)] as const),
  ]
}

const grouped = (number: string): string => (number.replace(/[\s-]/g, '').match(/.{1,4}/gsu) ?? []).join(' ')

const onRequest = act<Row>()
async function decided(
  tx: Parameters<typeof decideWithin>[0],
  { row, by, context }: { row: Row; by: By; context: Context },
  verdict: 'approved' | 'refused' | 'withdrawn',
) {
  const { email, requestId, isFresh, reason } = by
  const asked = { id: row.id, verdict, reason, by: { personId: by.personId!, email, requestId, isFresh } }
  const { acted } = await decideWithin(tx, context, asked, by.after)
  const { secret, secretText } = acted
  return { isUnchanged: true as const, ...(secret && { secret }), ...(secretText && { secretText }) }
}

const isOpen = ({ state }: Row): boolean => state === 'open'

export const approvals = section<Row>()({
  one: 'approval',
  path: '/approvals',
  name: ['Approvals', 'Согласования'],
  empty: [
    ['No pending approvals', 'Нечего согласовывать'],
    [
      'New requisites, looser limits and payment rules, large manual confirmations, new merchant URLs, wider access for bank sources and people appear here for a second person to approve.',
      'Здесь появляются новые реквизиты, смягчённые лимиты и правила, крупные ручные подтверждения, новые адреса мерчантов, расширенный доступ источников и сотрудников.',
    ],
  ],
  read,
  isLive: true,
  columns: {
    request: { head: ['Request', 'Запрос'], rank: 1, cell: (r) => words(r.name) },
    state: { rank: 1, cell: (r) => state(r.state, ...states[r.state]) },
    subject: { head: ['What', 'Что'], rank: 2, cell: (r) => r.about },
    proposed_by: { head: ['Who', 'Кто'], rank: 2, cell: (r) => foreign(r.proposerName) },
    waits: {
      head: ['Waiting', 'Ожидание'],
      rank: 2,
      cell: (r) => (r.state === 'open' ? age(r.proposedAt) : null),
    },
    reason: { head: ['Reason', 'Причина'], rank: 3, cell: (r) => said(r.reason) },
    decided_by: {
      head: ['Decided', 'Решение'],
      rank: 3,
      cell: (r) =>
        r.deciderName ? [foreign(r.deciderName, r.decidedReason ?? ''), time(r.decidedAt)] : null,
    },
  },
  filters: { state: { is: 'choice', of: choicesFrom(states) } },
  idOf: ({ id }) => id,
  merchantOf: ({ merchantId }) => merchantId,
  title: ({ name }) => name,
  async pages(context, { chosen: { state } }) {
    const isOpen = state === 'open'
    const open = state === null || isOpen ? await listOpenProposals(context.db, 200) : []
    const past = isOpen ? [] : await listDecidedProposals(context.db, 50)
    const wanted = past.filter((request) => state === null || request.state === state)
    return { rows: await named(context, [...open, ...wanted]), next: null }
  },
  notes: (context) => approvalRuleNotes(context),
  find: async (context, id) => {
    const found = await findProposal(context.db, id)
    if (!found) return undefined
    const { personId, db } = context
    const [row] = await named(context, [found])
    if (!personId) return row
    const { proposedBy } = found
    const [{ isSingleOperator }, independence] = await Promise.all([
      readApprovalSettings(db),
      readIndependence(db, { proposedBy, personId }),
    ])
    const right = approvalRight({ proposal: found, personId, isSingleOperator, ...independence })
    return { ...row!, right, isAlone: !independence.hasOtherDecider }
  },
  parts: async (context, row) => [
    ...rightNotes(row),
    table(['Request', 'Запрос'], await changeRows(context, row), [
      [['What', 'Что'], ([what]) => what],
      [['Before', 'Было'], ([, before]) => before],
      [['After', 'Станет'], ([, , after]) => after],
    ]),
  ],
  acts: {
    approve: onRequest({
      name: ['Approve', 'Согласовать'],
      effect: [
        'The change takes effect immediately and is recorded with both names. A one-time link or secret is shown to you once: pass it on yourself.',
        'Изменение вступит в силу сразу и будет записано с обоими именами. Одноразовая ссылка или секрет показывается вам один раз: передайте сами.',
      ],
      done: ['Approved.', 'Согласовано.'],
      policy: decide,
      audit: 'approve',
      kind: 'primary',
      from: isOpen,
      run: (tx, doing) => decided(tx, doing, 'approved'),
    }),
    refuse: onRequest({
      name: ['Decline', 'Отклонить'],
      done: ['Declined.', 'Отклонено.'],
      policy: { for: 'operator', roles: decide.roles },
      audit: 'refuse',
      kind: 'danger',
      from: isOpen,
      run: (tx, doing) => decided(tx, doing, 'refused'),
    }),
    withdraw: onRequest({
      name: ['Withdraw request', 'Отозвать запрос'],
      done: ['Request withdrawn.', 'Запрос отозван.'],
      policy: work,
      audit: 'withdraw',
      from: isOpen,
      run: (tx, doing) => decided(tx, doing, 'withdrawn'),
    }),
  },
})
