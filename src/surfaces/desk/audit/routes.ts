/** HTTP routes of the audit record; all of them only read. */

import { type AuditFilter, appendAudit, listAudit } from '../../../domain/audit/store.ts'
import { verifyAudit } from '../../../domain/audit/verify-audit.ts'
import { listPeople, readNames } from '../../../domain/people/store.ts'
import { csvRow } from '../../../domain/reports/csv.ts'
import { batched } from '../../../platform/batched.ts'
import { bounds } from '../../../platform/bounds.ts'
import type { Db } from '../../../platform/db.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { limitExports, sendCsv } from '../../staff/send-csv.ts'
import { auditLine } from '../../staff/visit.ts'
import { readSubjectNames } from '../approvals/store.ts'
import { type DeskTools, deskOf, read, sectionRoutes } from '../visit.ts'
import { auditPage } from './audit-page.ts'

const pageLength = 50
const exportedAtOnce = 1_000

export function auditRoutes(tools: DeskTools): void {
  const { get } = sectionRoutes(tools, 'audit')
  const { vault } = tools
  const { db } = tools.context
  /** The check reads the whole audit log, so requests that arrive meanwhile share the next check. */
  const verify = batched(async ([all]) => new Map([[all!, await verifyAudit(db, vault)]]), {
    most: 1,
    atOnce: 1,
  })

  get('/audit', read, async (visit) => {
    const filter = filterOf(visit)
    const before = visit.query('before')
    const [desk, found, people, verdict] = await Promise.all([
      deskOf(tools, visit),
      listAudit(db, {
        ...filter,
        before: /^\d{1,18}$/.test(before) ? BigInt(before) : null,
        limit: pageLength + 1,
      }),
      listPeople(db, null, { after: null, limit: bounds.listRows }),
      visit.query('check') === 'yes' ? verify('') : null,
    ])
    const entries = found.slice(0, pageLength)
    const [actors, names] = await Promise.all([
      readNames(
        db,
        entries.map(({ actor }) => actor),
      ),
      readSubjectNames(
        db,
        entries.map(({ subject }) => subject),
      ),
    ])
    const view = {
      entries,
      people,
      names,
      filter: {
        person: filter.personId ?? '',
        subject: filter.subject ?? '',
        merchant: filter.merchantId ?? '',
      },
      next: found.length > pageLength ? entries.at(-1)!.place.toString() : null,
      isFirst: before === '',
      verdict: verdict ?? null,
    }
    return auditPage({ ...desk, people: actors }, view)
  })

  get('/audit/export.csv', read, async (visit) => {
    const filter = filterOf(visit)
    const line = auditLine(visit, { act: 'export', subject: 'audit', after: filter })
    limitExports(tools.limits, visit.visitor.person.id)
    await db.transaction((tx) => appendAudit(tx, line))
    return sendCsv(visit.reply, 'audit', auditRows(db, filter))
  })
}

function filterOf({ query }: KnownVisit): Pick<AuditFilter, 'personId' | 'subject' | 'merchantId'> {
  const id = (name: string) => (isUuid(query(name)) ? query(name) : null)
  return {
    personId: id('person'),
    subject: query('subject').trim().slice(0, 100) || null,
    merchantId: id('merchant'),
  }
}

/** Newest first, a thousand at a time, so that a long record needs little memory. Times are UTC. */
async function* auditRows(
  db: Db,
  filter: Pick<AuditFilter, 'personId' | 'subject' | 'merchantId'>,
): AsyncGenerator<string> {
  const head = [
    'place',
    'at (UTC)',
    'actor',
    'act',
    'subject',
    'reason',
    'before',
    'after',
    'request',
    'digest',
  ]
  yield csvRow(head, ';')
  for (let before: bigint | null = null; ; ) {
    const entries = await listAudit(db, { ...filter, before, limit: exportedAtOnce })
    yield entries
      .map((entry) =>
        csvRow(
          [
            entry.place.toString(),
            entry.at.toISOString(),
            entry.actor,
            entry.act,
            entry.subject,
            entry.reason,
            entry.before,
            entry.after,
            entry.requestId,
            entry.digest.toString('hex'),
          ],
          ';',
        ),
      )
      .join('')
    if (entries.length < exportedAtOnce) return
    before = entries.at(-1)!.place
  }
}
