/** What routes of both consoles take from a visit: who acts, on what, and the audit line about it. */
import type { Decider } from '../../domain/approvals/proposal.ts'
import type { AuditDraft } from '../../domain/audit/audit.ts'
import { Refusal } from '../../platform/refusals.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { KnownVisit } from './guarded-routes.ts'

export const deciderOf = ({ visitor, client }: KnownVisit): Decider => ({
  personId: visitor.person.id,
  email: visitor.person.email,
  requestId: client.requestId,
})

/** A line of the audit record about what this person does. */
export const auditLine = (
  { visitor, client }: KnownVisit,
  line: Pick<AuditDraft, 'act' | 'subject'> & Partial<AuditDraft>,
): AuditDraft => ({
  personId: visitor.person.id,
  actor: visitor.person.email,
  merchantId: null,
  reason: '',
  before: null,
  after: null,
  requestId: client.requestId,
  ...line,
})

export function idOf({ request }: KnownVisit, name = 'id'): string {
  const id = (request.params as Record<string, string | undefined>)[name] ?? ''
  if (!isUuid(id)) throw new Refusal('not_found')
  return id
}
