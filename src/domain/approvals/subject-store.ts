/** The query of the names of what proposals and audit entries are about. */

import { type Queryable, sql } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'

/** A requisite is named by its kind, number and bank, everything else by its name alone. */
type SubjectName = { name: string; requisite: { kind: RequisiteKind; number: string } | null }
/** Names by subject, such as `merchant:…`; subjects without a name are missing. */
type SubjectNames = ReadonlyMap<string, SubjectName>

export async function readSubjectNames(db: Queryable, subjects: readonly string[]): Promise<SubjectNames> {
  const idsOf = (kind: string) => {
    const start = `${kind}:`
    const ids = subjects.filter((subject) => subject.startsWith(start)).map((one) => one.slice(start.length))
    return [...new Set(ids)].filter(isUuid)
  }
  const rows = await db.query<{
    subject: string
    name: string
    kind: RequisiteKind | null
    number: string | null
  }>(sql`
    select 'merchant:' || id as subject, name, null as kind, null as number
    from merchants
    where id = any(${idsOf('merchant')}::uuid[])
    union all
    select 'account:' || id, label, null, null
    from receiving_accounts
    where id = any(${idsOf('account')}::uuid[])
    union all
    select 'requisite:' || id, bank_name, kind, number
    from requisites
    where id = any(${idsOf('requisite')}::uuid[])
    union all
    select 'person:' || id, name, null, null
    from people
    where id = any(${idsOf('person')}::uuid[])
    union all
    select 'source:' || id, name, null, null
    from bank_sources
    where id = any(${idsOf('source')}::uuid[])
    union all
    select 'statement:' || id, file_name, null, null
    from statements
    where id = any(${idsOf('statement')}::uuid[])`)
  return new Map(
    rows.map(({ subject, name, kind, number }) => [
      subject,
      { name, requisite: kind === null ? null : { kind, number: number! } },
    ]),
  )
}
