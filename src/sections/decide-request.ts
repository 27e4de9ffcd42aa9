/**
 * A second person decides a request: the decision, the act itself and the audit entry are one transaction. If the act
 * fails, the request stays open.
 */
import { type ApprovalRight, approvalRight } from '../domain/approvals/guard.ts'
import type { Decider, Proposal } from '../domain/approvals/proposal.ts'
import {
  endProposal,
  lockProposal,
  readApprovalSettings,
  readIndependence,
  readProposer,
} from '../domain/approvals/store.ts'
import { appendAudit } from '../domain/audit/store.ts'
import { message } from '../domain/messages/message.ts'
import { allowsRoles } from '../domain/people/access.ts'
import { isDecider } from '../domain/people/person.ts'
import { findPerson } from '../domain/people/store.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { wordsOf } from './cells.ts'
import { actNamed, runApproved } from './perform-act.ts'
import type {
  Acted,
  AnyAct,
  By,
  Context,
  Field,
  Fields,
  Reads,
  Section,
  Seen,
  Texts,
  Two,
} from './section.ts'
import { choicesOf } from './typed.ts'

type DecideRequest = {
  id: string
  verdict: 'approved' | 'refused' | 'withdrawn'
  by: Decider & { isFresh: boolean }
  reason: string
}

/** The act that a request waits to do, with its section. */
export function actOfRequest(
  sections: readonly Section[],
  { kind, asked }: Pick<Proposal, 'kind' | 'asked'>,
): { section: Section; act: AnyAct } | undefined {
  const [one, name = ''] = kind.split('.')
  const section = sections.find((section) => section.one === one)
  const act = section && actNamed(section, name, asked.id as string | null)
  return section && act && { section, act }
}

export async function decideRequest(
  context: Context,
  asked: DecideRequest,
): Promise<{ proposal: Proposal; acted: Acted }> {
  const after: Parameters<By['after']>[0][] = []
  const decided = await context.db.transaction((tx) =>
    decideWithin(tx, context, asked, (then) => void after.push(then)),
  )
  for (const then of after) await then(context)
  return decided
}

export async function decideWithin(
  tx: Tx,
  context: Context,
  { id, verdict, by, reason }: DecideRequest,
  after: By['after'],
): Promise<{ proposal: Proposal; acted: Acted }> {
  const found: Proposal | undefined = await lockProposal(tx, id)
  const wanted = found && actOfRequest(context.sections, found)
  if (!wanted) throw new Refusal('not_found', { detail: message('no_proposal_with_id') })
  if (found.state !== 'open')
    throw new Refusal('state_conflict', { detail: message('proposal_decided_already') })
  if (verdict === 'withdrawn' && found.proposedBy !== by.personId)
    throw new Refusal('state_conflict', { detail: message('only_proposer_can_withdraw') })
  const { section, act } = wanted
  const right = verdict === 'approved' ? await rightTo(tx, found, act, by) : null
  const mark = right === 'single_operator' || right === 'delayed' ? right : null
  const doer: By = {
    ...{ personId: by.personId, email: by.email, actor: `operator:${by.email}`, isFresh: by.isFresh },
    reason: `${found.reason}`,
    requestId: by.requestId,
    approved: { proposal: id, proposedBy: found.proposerName, isSingleOperator: mark === 'single_operator' },
    after,
  }
  // What was asked for in a merchant's console happens there.
  const place = section.read.for === 'merchant' ? { ...context, merchantId: found.merchantId } : context
  const acted = verdict === 'approved' ? await runApproved(tx, place, section, found, doer) : {}
  await endProposal(tx, { id, state: verdict, decidedBy: by.personId, reason, mark })
  const word = { approved: 'approve', refused: 'refuse', withdrawn: 'withdraw' }[verdict]
  await appendAudit(tx, {
    ...{ personId: by.personId, actor: by.email, requestId: by.requestId, reason },
    act: `${word}_${act.audit}`,
    subject: acted.subject ?? found.subject,
    merchantId: acted.merchantId ?? found.merchantId,
    before: { proposal: id, state: 'open', proposed_by: found.proposerName, was: acted.before ?? null },
    after: { proposal: id, state: verdict, ...(mark && { [mark]: true }), is: acted.after ?? null },
  })
  // The act may have waited for a lock, in which time either of the two may have lost access.
  if (verdict === 'approved') await refuseFormerPeople(tx, found, act, by)
  return { proposal: { ...found, state: verdict }, acted }
}

/** Both must still be who they were: the decider when the request arrived, the proposer when the request was made. */
async function refuseFormerPeople(
  tx: Tx,
  proposal: Proposal,
  act: AnyAct,
  { personId }: Decider,
): Promise<void> {
  const decider = await findPerson(tx, personId)
  if (!decider || decider.disabledAt || !isDecider(decider)) throw new Refusal('forbidden')
  const proposer = await readProposer(tx, proposal)
  if (proposer.isDisabled || !allowsRoles(act.policy, proposer))
    throw new Refusal('state_conflict', { detail: message('proposer_may_ask_no_more') })
}

async function rightTo(
  tx: Tx,
  proposal: Proposal,
  act: AnyAct,
  by: Decider,
): Promise<Exclude<ApprovalRight['is'], 'never' | 'later'>> {
  await refuseFormerPeople(tx, proposal, act, by)
  const { personId } = by
  const { isSingleOperator } = await readApprovalSettings(tx)
  const independence = await readIndependence(tx, { proposedBy: proposal.proposedBy, personId })
  const right = approvalRight({ proposal, personId, isSingleOperator, ...independence })
  if (right.is === 'never')
    throw new Refusal('state_conflict', {
      detail: message(right.because === 'own' ? 'proposer_cannot_approve' : 'subject_cannot_approve'),
    })
  if (right.is !== 'later') return right.is
  const from = minuteText(right.from)
  throw new Refusal('state_conflict', {
    detail:
      right.because === 'own'
        ? message('sole_decider_must_wait', { from })
        : message('access_given_by_proposer_too_recent', { from }),
  })
}

function minuteText(at: Date): string {
  const text = new Date(Math.ceil(at.getTime() / 60_000) * 60_000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`
}

type Ask = { head: Two; before: Two | null; after: Two | null; is: Field<unknown>['is'] }

/** What a request would change, field by field: as it was seen, and as it is asked for. */
export async function changesOf(
  context: Reads,
  { asked }: Pick<Proposal, 'asked'>,
  { section, act }: { section: Section; act: AnyAct },
): Promise<{ asks: Ask[]; facts: [string, Seen[string]][] }> {
  const { id, texts, seen } = asked as { id: string | null; texts: Texts; seen: Seen }
  const fields = Object.entries(act.fields as Fields<unknown>)
  const row = id === null ? undefined : await section.find?.(context, id)
  const asks: Ask[] = []
  for (const [name, field] of fields) {
    if (field.is === 'tick' && field.isForWarnings) continue
    const choices = id !== null && row === undefined ? [] : await choicesOf(field, context, row, texts)
    const shown = (text: unknown): Two | null => {
      if (field.is === 'tick') return text === 'on' ? ['Yes', 'Да'] : ['No', 'Нет']
      return text ? wordsOf(choices, `${text}`) : null
    }
    asks.push({ head: field.head, before: shown(seen[name]), after: shown(texts[name]), is: field.is })
  }
  return { asks, facts: Object.entries(seen).filter(([name]) => !Object.hasOwn(act.fields, name)) }
}

/** What a request is called: as its act. */
export function requestName(sections: readonly Section[], kind: string): Two {
  const [one, name = ''] = kind.split('.')
  const section = sections.find((section) => section.one === one)
  const act = section?.acts[name] ?? section?.sectionActs?.[name]
  return act?.name ?? [kind, kind]
}
