/** HTTP routes of the block and watch lists. */

import { readNames } from '../../../domain/people/store.ts'
import { addToList, removeListing } from '../../../domain/rules/change-list.ts'
import { listKinds, lists, listValue } from '../../../domain/rules/listing.ts'
import { listEntries } from '../../../domain/rules/store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { auditLine } from '../../staff/visit.ts'
import { pageLength } from '../deposits/routes.ts'
import { deskPath } from '../paths.ts'
import { type DeskTools, dangerous, deskOf, read, reasonOf, sectionRoutes, work } from '../visit.ts'
import { listsPage } from './lists-page.ts'

export function listRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'lists')
  const { directory } = tools
  const { db } = tools.context

  get('/lists', read, async (visit) => {
    const list = lists.find((list) => list === visit.query('list')) ?? null
    const kind = listKinds.find((listKind) => listKind === visit.query('kind')) ?? null
    const q = visit.query('q').trim().slice(0, 200)
    const includesRemoved = visit.query('ended') === 'on'
    const before = isUuid(visit.query('before')) ? visit.query('before') : null
    // The search text is normalized in the way of each kind of entry.
    const values = q === '' ? null : listKinds.flatMap((listKind) => listValue(listKind, q) ?? [])
    const [desk, found] = await Promise.all([
      deskOf(tools, visit),
      listEntries(db, { list, kind, values, includesRemoved, before, limit: pageLength + 1 }),
    ])
    const rows = found.slice(0, pageLength)
    const next = found.length > pageLength ? rows.at(-1)!.id : null
    const view = { rows, list, kind, q, includesRemoved, next, isFirst: before === null }
    const people = await readNames(
      db,
      rows.flatMap(({ addedBy, removedBy }) => [addedBy, removedBy]),
    )
    return listsPage({ ...desk, people }, view)
  })

  post('/lists/add', work, async (visit) => {
    const list = lists.find((list) => list === visit.field('new-list'))
    const kind = listKinds.find((listKind) => listKind === visit.field('new-kind'))
    const merchantId = visit.field('merchant').toLowerCase() || null
    if (!list || !kind || (merchantId && !isUuid(merchantId))) throw new Refusal('invalid_value')
    const reason = reasonOf(visit)
    const value = visit.field('value')
    const after = { list, kind, value: listValue(kind, value), merchant: merchantId }
    const line = auditLine(visit, { act: 'list_add', subject: 'list', merchantId, reason, after })
    const addedBy = visit.visitor.person.email.slice(0, 100)
    await addToList(db, { list, kind, value, reason, addedBy, merchantId }, { audit: line })
    directory.forget()
    return { to: deskPath('/lists'), notice: 'saved' }
  })

  post('/lists/end', dangerous, async (visit) => {
    const id = visit.field('entry')
    if (!isUuid(id)) throw new Refusal('not_found')
    const reason = reasonOf(visit)
    const line = auditLine(visit, { act: 'list_end', subject: `list:${id}`, reason })
    const by = visit.visitor.person.email.slice(0, 100)
    await removeListing(db, { id, by, reason }, { audit: line })
    directory.forget()
    return { to: deskPath('/lists'), notice: 'saved' }
  })
}
