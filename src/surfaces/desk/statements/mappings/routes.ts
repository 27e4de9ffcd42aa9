import { listAudit } from '../../../../domain/audit/store.ts'
import { maskedNumber } from '../../../../domain/requisites/requisite.ts'
import { type CsvMapping, isMappingName } from '../../../../domain/statements/formats/csv-mapping.ts'
import { type KeptMapping, keepMapping, removeMapping } from '../../../../domain/statements/keep-mapping.ts'
import { findMapping, listMappings } from '../../../../domain/statements/store.ts'
import type { Db } from '../../../../platform/db.ts'
import { Refusal } from '../../../../platform/refusals.ts'
import type { KnownVisit } from '../../../staff/guarded-routes.ts'
import { auditLine } from '../../../staff/visit.ts'
import { deskPath } from '../../paths.ts'
import { type DeskTools, deskOf, read, sectionRoutes, show, work } from '../../visit.ts'
import { mappingPage, mappingsPage } from './mapping-pages.ts'
import { mappingIn, valuesFrom, valuesIn, wrongFields } from './mapping-values.ts'
import { listNumberedAccounts } from './store.ts'

export function mappingRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'statements')
  const { db } = tools.context

  get('/statements/mappings', read, async (visit) => {
    const [desk, rows, accounts] = await Promise.all([
      deskOf(tools, visit),
      listMappings(db),
      listNumberedAccounts(db, null),
    ])
    return mappingsPage(desk, { rows, accounts })
  })

  get('/statements/mappings/:name', read, async (visit) => {
    const [desk, { name, mapping, accounts }] = await Promise.all([deskOf(tools, visit), find(visit)])
    const form = { values: valuesFrom(mapping, accounts), wrong: [], header: mapping.header, accounts }
    return mappingPage(desk, { name, form })
  })

  post('/statements/mappings/:name/save', work, async (visit) => {
    const { name, mapping, accounts } = await find(visit)
    const { header } = mapping
    const values = valuesIn(visit.field)
    const corrected = mappingIn(values, header, accounts)
    const wrong = wrongFields(corrected)
    if (wrong.length > 0) {
      const form = { values, wrong, header, accounts }
      return show(visit, mappingPage(await deskOf(tools, visit), { name, form }), 422)
    }
    const kept = { name, mapping: corrected as CsvMapping, isNew: false }
    await keepMapping(db, kept, { audit: mappingLine(visit, name) })
    return { to: deskPath('/statements/mappings/:name', name), notice: 'saved' }
  })

  post('/statements/mappings/:name/remove', work, async (visit) => {
    const { name } = await find(visit)
    await removeMapping(db, name, { audit: mappingLine(visit, name) })
    return { to: deskPath('/statements/mappings'), notice: 'done' }
  })

  async function find(visit: KnownVisit) {
    const { name } = visit.request.params as { name: string }
    if (!isMappingName(name)) throw new Refusal('not_found')
    const [mapping, accounts] = await Promise.all([findMapping(db, name), listNumberedAccounts(db, null)])
    if (!mapping) throw new Refusal('not_found')
    return { name, mapping, accounts }
  }
}

/** Writes changes of mappings to the audit record, with masked account numbers. */
export const mappingLine =
  (visit: KnownVisit, name: string) =>
  ({ before, after }: KeptMapping) =>
    auditLine(visit, {
      act: after ? 'mapping_keep' : 'mapping_remove',
      subject: `mapping:${name}`,
      before: masked(before),
      after: masked(after),
    })

/** The person who last saved the mapping; null if it was not saved at the desk. */
export async function mappingKeptBy(db: Db, name: string): Promise<string | null> {
  const filter = { merchantId: null, personId: null, subject: `mapping:${name}`, before: null }
  const [last] = await listAudit(db, { ...filter, limit: 1 })
  return last?.act === 'mapping_keep' ? last.personId : null
}

const masked = (mapping: CsvMapping | null) =>
  mapping && { ...mapping, account: maskedNumber(mapping.account) }
