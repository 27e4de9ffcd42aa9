/** The query of the names of what proposals and audit entries are about. */

import { type Queryable, sql } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'

/** A requisite is named by its kind, number and bank, everything else by its name alone. */
type SubjectName = { name: string; requisite: { kind: RequisiteKind; number: string } | null }
/** Names by subject, such as `merchant:…`; subjects without a name are missing. */
type SubjectNames = ReadonlyMap<string, SubjectName>

export async function readSubjectNames(db: Queryable, subjects: readonly string[]): Promise<SubjectNames> {
  const ids = [...new Set(subjects.map((subject) => subject.slice(subject.indexOf(':') + 1)))].filter(isUuid)
  const rows = await db.query<{
    subject: string
    name: string
    kind: RequisiteKind | null
    number: string | null
  }>(sql`
    select 'merchant:' || id as subject, name, null as kind, null as number
    from merchants
    where id = any(${ids}::uuid[])
    union all
    select 'account:' || id, label, null, null
    from receiving_accounts
    where id = any(${ids}::uuid[])
    union all
    select 'requisite:' || id, bank_name, kind, number
    from requisites
    where id = any(${ids}::uuid[])
    union all
    select 'person:' || id, name, null, null
    from people
    where id = any(${ids}::uuid[])
    union all
    select 'source:' || id, name, null, null
    from bank_sources
    where id = any(${ids}::uuid[])
    union all
    select 'statement:' || id, file_name, null, null
    from statements
    where id = any(${ids}::uuid[])`)
  return new Map(
    rows.map(({ subject, name, kind, number }) => [
      subject,
      { name, requisite: kind === null ? null : { kind, number: number! } },
    ]),
  )
}
