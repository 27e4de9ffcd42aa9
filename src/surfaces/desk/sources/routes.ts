/**
 * HTTP routes of bank sources. Switching off takes effect at once; in live mode a change that lets a source report more
 * is a proposal.
 */

import { proposeOrAddSource, proposeOrChangeSource } from '../../../domain/approvals/change-source.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import { message } from '../../../domain/messages/message.ts'
import { readAccountNumbers } from '../../../domain/statements/store.ts'
import { changedPart, changeSource, type SourceChanges } from '../../../domain/transfers/bank-source.ts'
import { normalizeAccountNumber } from '../../../domain/transfers/bank-text/account-number.ts'
import { findSource, listSources } from '../../../domain/transfers/source-store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { auditLine, deciderOf, idOf } from '../../staff/visit.ts'
import { deskPath } from '../paths.ts'
import { admin, type DeskTools, deskOf, modeOf, read, sectionRoutes } from '../visit.ts'
import { sourcePage, sourcesPage, tokenPage } from './source-pages.ts'

export function sourceRoutes(tools: DeskTools): void {
  const { get, post } = sectionRoutes(tools, 'sources')
  const { db } = tools.context

  get('/sources', read, async (visit) => {
    const [desk, sources] = await Promise.all([deskOf(tools, visit), listSources(db)])
    return sourcesPage(desk, sources)
  })

  post('/sources/add', admin, async (visit) => {
    const name = visit.field('name')
    const mode = modeOf(visit)
    if (name.length < 1 || name.length > 100) throw new Refusal('invalid_value')
    const accounts = [await accountNumbered(mode, visit.field('number'))]
    const networks = networksIn(visit)
    const change = { kind: 'source_add', name, mode, accounts, networks } as const
    const added = await proposeOrAddSource(db, { change, ...askedBy(visit) })
    if (!added) return { to: deskPath('/sources'), notice: 'proposed' }
    return tokenPage(await deskOf(tools, visit), added)
  })

  get('/sources/:id', read, async (visit) => {
    const [desk, source] = await Promise.all([deskOf(tools, visit), findSource(db, idOf(visit))])
    if (source?.kind !== 'push') throw new Refusal('not_found')
    return sourcePage(desk, source)
  })

  post('/sources/:id/allow', admin, async (visit) => {
    const id = idOf(visit)
    const source = await findSource(db, id)
    if (!source) throw new Refusal('not_found')
    const accountId = await accountNumbered(source.mode, visit.field('number'))
    const isAsked = await proposeOrChangeSource(db, {
      change: { kind: 'source_account', id, accountId },
      ...askedBy(visit),
    })
    return { to: deskPath('/sources/:id', id), notice: isAsked ? 'proposed' : 'saved' }
  })

  post('/sources/:id/withdraw', admin, async (visit) => {
    const id = idOf(visit)
    const account = visit.field('account')
    if (!isUuid(account)) throw new Refusal('not_found')
    const accounts = (ids: readonly string[]) => ids.filter((listed) => listed !== account)
    await reduce(visit, id, 'source_account_remove', { accounts })
    return { to: deskPath('/sources/:id', id), notice: 'saved' }
  })

  post('/sources/:id/networks', admin, async (visit) => {
    const id = idOf(visit)
    const isAsked = await proposeOrChangeSource(db, {
      change: { kind: 'source_networks', id, networks: networksIn(visit) },
      ...askedBy(visit, 'networks-reason'),
    })
    return { to: deskPath('/sources/:id', id), notice: isAsked ? 'proposed' : 'saved' }
  })

  async function accountNumbered(mode: Mode, text: string): Promise<string> {
    const number = normalizeAccountNumber(text)
    const account = (await readAccountNumbers(db, mode)).find((one) => one.number === number)
    if (account) return account.id
    throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
  }

  const reduce = (visit: KnownVisit, id: string, act: string, changes: SourceChanges) =>
    changeSource(db, id, changes, {
      audit: ({ before, after }) =>
        auditLine(visit, {
          ...{ act, subject: `source:${id}` },
          before: changedPart(before, changes),
          after: changedPart(after, changes),
        }),
    })

  post('/sources/disable', admin, async (visit) => {
    await reduce(visit, sourceIn(visit), 'source_disable', { enabled: false })
    return { to: deskPath('/sources'), notice: 'saved' }
  })

  post('/sources/enable', admin, async (visit) => {
    const change = { kind: 'source_enable', id: sourceIn(visit) } as const
    const isAsked = await proposeOrChangeSource(db, { change, ...askedBy(visit) })
    return { to: deskPath('/sources'), notice: isAsked ? 'proposed' : 'saved' }
  })
}

const askedBy = (visit: KnownVisit, field = 'reason') => ({
  by: deciderOf(visit),
  reason: visit.field(field),
})

function sourceIn(visit: KnownVisit): string {
  const id = visit.field('source')
  if (!isUuid(id)) throw new Refusal('not_found')
  return id
}

/** Networks separated by spaces or commas. */
const networksIn = (visit: KnownVisit): string[] =>
  visit
    .field('networks')
    .split(/[\s,]+/)
    .filter((text) => text !== '')
