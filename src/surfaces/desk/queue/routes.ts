/** HTTP routes of the queue: a filtered part of it, its next item, and acts on several items at once. */

import { readApprovalRuleActs } from '../../../domain/alarms/store.ts'
import { appendAudit } from '../../../domain/audit/store.ts'
import { dropClaim, giveClaim, readClaim, takeClaim } from '../../../domain/people/claim-store.ts'
import { setAside } from '../../../domain/transfers/decide-transfer.ts'
import { samePayment } from '../../../domain/transfers/same-payment.ts'
import { bounds } from '../../../platform/bounds.ts'
import { isContended } from '../../../platform/db-errors.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { auditLine } from '../../staff/visit.ts'
import { kindName } from '../approvals/requests.ts'
import { deskPath } from '../paths.ts'
import { approvalRuleActsPanel } from '../people/guard-pieces.ts'
import { decideTransfer } from '../transfers/routes.ts'
import { listHeldDays } from '../transfers/store.ts'
import { type DeskTools, deskOf, read, reasonOf, sectionRoutes, work } from '../visit.ts'
import { deskWords } from '../words.ts'
import { filterFrom, queueAt } from './filter.ts'
import { hrefOf, itemKey, nextAfter, type PickedItem } from './queue.ts'
import { queuePage } from './queue-page.ts'
import { type Acted, type Outcome, severalPage } from './several-page.ts'
import { readChoices, readPicked, readQueue } from './store.ts'
import { queueWords } from './words.ts'

const heldDaysShown = 6

export function queueRoutes(tools: DeskTools): void {
  const { get, live, post } = sectionRoutes(tools, 'queue')
  const { context } = tools
  const { db } = context

  live('/', read, async (visit) => {
    const filter = filterFrom(visit.query)
    const [desk, queue, choices, acts, heldDays] = await Promise.all([
      deskOf(tools, visit),
      readQueue(db, filter, bounds.queueItems),
      readChoices(db),
      readApprovalRuleActs(db),
      filter.kind === 'held' ? listHeldDays(db, filter.accountId, heldDaysShown) : [],
    ])
    const lookedAt = bounds.queueLookedAt
    const items = queue.items.map((item) =>
      item.kind === 'proposal' ? { ...item, what: kindName(item.what, visit.language) } : item,
    )
    return queuePage(desk, {
      ...{ queue: { ...queue, items }, filter, choices, lookedAt, heldDays },
      acts: approvalRuleActsPanel(desk, acts),
    })
  })

  get('/next', read, async (visit) => {
    const filter = filterFrom(visit.query)
    const after = visit.query('after')
    const [{ items }, [left]] = await Promise.all([
      readQueue(db, filter, bounds.queueItems),
      readPicked(db, idsOf(keysIn([after]))),
    ])
    const personId = visit.visitor.person.id
    const next = nextAfter(items, { after, since: left?.since, personId })
    const [query] = queueAt(filter).split('?').slice(1)
    if (next) return visit.reply.redirect(hrefOf(next, query), 303)
    return visit.reply.redirect(`${deskPath('/')}?${query ? `${query}&` : ''}notice=nothing_left`, 303)
  })

  post('/queue/set-aside', work, (visit) =>
    decideSelected(visit, (item) =>
      item.type === 'transfer'
        ? { act: 'transfer_set_aside', verb: setAside }
        : queueWords[visit.language].onlyTransfers,
    ),
  )

  post('/queue/duplicate', work, (visit) =>
    decideSelected(visit, ({ type, isWaiting, sameAs: [first, second] }) => {
      const words = queueWords[visit.language]
      if (type !== 'transfer') return words.onlyTransfers
      // A transfer that settles a deposit is decided on its own page.
      if (!isWaiting) return deskWords[visit.language].refusedText.state_conflict!
      if (!first) return words.noSuspect
      if (second) return words.severalSuspects
      return {
        act: 'transfer_duplicate',
        verb: (context, act) => samePayment(context, { ...act, sameAs: first, mayReverse: false }),
      }
    }),
  )

  post('/queue/assign', work, async (visit) => {
    const words = queueWords[visit.language]
    const picked = await pickedIn(visit)
    const to = (await readChoices(db)).colleagues.find(({ id }) => id === visit.field('to'))
    if (!to) throw new Refusal('invalid_value', { detail: words.noColleague })
    return decideEach(visit, picked, async (item) => {
      if (!item.isWaiting)
        return { is: 'refused', detail: deskWords[visit.language].refusedText.state_conflict! }
      const key = itemKey(item.type, item.id)
      const line = auditLine(visit, { act: 'item_assign', subject: key, after: { to: to.name } })
      const from = visit.visitor.person.id
      const minutes = bounds.assignedMinutes
      const given = { item: key, from, to: to.id, minutes }
      await db.transaction(async (tx) => {
        const holder = await giveClaim(tx, given)
        if (holder.personId !== to.id) throw new TakenByOther(holder.name)
        await appendAudit(tx, line)
      })
      return { is: 'done', detail: words.assignedTo(to.name) }
    })
  })

  type Decision = { act: string; verb: typeof setAside }

  /** Decides each item in its own transaction; a string says why an item cannot be decided in this way. */
  async function decideSelected(visit: KnownVisit, decisionOf: (item: PickedItem) => Decision | string) {
    const picked = await pickedIn(visit)
    const reason = reasonOf(visit)
    const personId = visit.visitor.person.id
    return decideEach(visit, picked, async (item) => {
      const decision = decisionOf(item)
      if (typeof decision === 'string') return { is: 'refused', detail: decision }
      const key = itemKey(item.type, item.id)
      const before = await readClaim(db, key)
      const holder = await takeClaim(db, key, personId)
      if (holder.personId !== personId) throw new TakenByOther(holder.name)
      try {
        await decideTransfer(visit, context, { id: item.id, act: decision.act }, decision.verb)
      } catch (error) {
        // An item that could not be decided is released again, if it was free before.
        if (before?.personId !== personId) await dropClaim(db, key, personId)
        throw error
      }
      return { is: 'done', detail: reason }
    })
  }

  /**
   * Decides items one after another, in the order of the page. A refusal is the outcome of its item, and the others go
   * on. Once an item was locked by others for too long, the remaining ones are left, and the page says so.
   */
  async function decideEach(
    visit: KnownVisit,
    picked: readonly Acted['item'][],
    act: (item: PickedItem) => Promise<Outcome>,
  ) {
    const words = queueWords[visit.language]
    const acted: Acted[] = []
    const outcomeFor = async (item: Acted['item']): Promise<Outcome> => {
      if (!isKnown(item)) return { is: 'refused', detail: words.gone }
      if (acted.some(({ outcome }) => outcome.is === 'busy')) return { is: 'busy', detail: words.busy }
      return act(item).catch((error) => outcomeOf(visit, error))
    }
    for (const item of picked) acted.push({ item, outcome: await outcomeFor(item) })
    const filter = filterFrom(visit.query)
    return severalPage(await deskOf(tools, visit), { acted, filter })
  }

  /** The ticked items in the order of the form; names that are not items are reported as gone. */
  async function pickedIn(visit: KnownVisit): Promise<Acted['item'][]> {
    const words = queueWords[visit.language]
    const keys = keysIn(visit.fieldNames())
    if (keys.length === 0) throw new Refusal('invalid_value', { detail: words.nothingSelected })
    if (keys.length > bounds.queueItems)
      throw new Refusal('invalid_value', { detail: words.tooMany(bounds.queueItems) })
    const found = await readPicked(db, idsOf(keys))
    const known = new Map(found.map((item) => [itemKey(item.type, item.id), item]))
    return keys.map((key) => known.get(itemKey(key.type, key.id)) ?? key)
  }
}

type Key = Pick<PickedItem, 'type' | 'id'>

/** Reads item names: `transfer:…`, `deposit:…`. */
const keysIn = (names: readonly string[]): Key[] =>
  names.flatMap((name) => {
    const [type, id = ''] = name.split(':')
    return (type === 'transfer' || type === 'deposit') && isUuid(id) ? [{ type, id }] : []
  })

const idsOf = (keys: readonly Key[]) => ({
  transfers: keys.filter(({ type }) => type === 'transfer').map(({ id }) => id),
  deposits: keys.filter(({ type }) => type === 'deposit').map(({ id }) => id),
})

const isKnown = (item: Acted['item']): item is PickedItem => item.cents !== undefined

/** Marks the outcome of one item; it is not a refusal of the whole request. */
class TakenByOther extends Error {}

function outcomeOf(visit: KnownVisit, error: unknown): Outcome {
  const { language } = visit
  if (error instanceof TakenByOther)
    return { is: 'taken', detail: queueWords[language].takenBy(error.message) }
  if (isContended(error)) return { is: 'busy', detail: queueWords[language].busy }
  if (!(error instanceof Refusal)) throw error
  const { detail } = error.details
  return {
    is: 'refused',
    detail:
      (detail && translate(detail, language)) ?? deskWords[language].refusedText[error.code] ?? error.code,
  }
}
