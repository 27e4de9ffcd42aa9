/** HTTP routes of the queue: a filtered part of it, and the decision about one item, which leads to the next. */

import { dropClaim } from '../../../domain/people/claim-store.ts'
import { findCandidates, findReceivers } from '../../../domain/transfers/find-candidates.ts'
import { findOtherNamedDeposits } from '../../../domain/transfers/match-store.ts'
import { canBecome } from '../../../domain/transfers/transfer.ts'
import { bounds } from '../../../platform/bounds.ts'
import type { Reply } from '../../../platform/http.ts'
import { approvalRuleNotes } from '../../../sections/approval-rule-notes.ts'
import { deposits } from '../../../sections/deposits.ts'
import { performAct } from '../../../sections/perform-act.ts'
import { read } from '../../../sections/roles.ts'
import type { AnyAct, Section } from '../../../sections/section.ts'
import type { TransferRow } from '../../../sections/transfer-acts.ts'
import { evidenceParts, transfers } from '../../../sections/transfers.ts'
import { titleOf } from '../../office/cells.ts'
import type { OfficeContext } from '../../office/context.ts'
import {
  claimPolicy,
  noticeIn,
  type OfficeTools,
  type Opened,
  officeOf,
  refusedBy,
  takeItem,
  thingViewOf,
} from '../../office/routes.ts'
import { claimBar, thingBody } from '../../office/thing-page.ts'
import type { KnownPolicy, KnownVisit } from '../../staff/guarded-routes.ts'
import { deskRoot } from '../../staff/paths.ts'
import { show } from '../../staff/routes.ts'
import { idOf } from '../../staff/visit.ts'
import { html, type Markup } from '../../web/html.ts'
import type { FinishedPage } from '../../web/page.ts'
import type { DeskTools } from '../desk.ts'
import { candidatesPanel } from './candidates.ts'
import { filterFrom, queryOf, queueAt } from './filter.ts'
import { hrefOf, nextAfter } from './queue.ts'
import { type QueueView, queuePage } from './queue-page.ts'
import { readChoices, readQueue } from './store.ts'
import { queueWords } from './words.ts'

/** What is decided beside the queue. */
const decided: readonly Section[] = [transfers, deposits]

export function queueRoutes(tools: DeskTools, office: OfficeTools): void {
  tools.routes.live(deskRoot, read, (visit) => pageOf(tools, office, visit, null))
  for (const section of decided) decisionRoutes(tools, office, section)
}

function decisionRoutes(tools: DeskTools, office: OfficeTools, section: Section): void {
  const { routes } = tools
  const { db } = tools.context
  const route = `${deskRoot}/queue${section.path}/:id`
  const open = async (visit: KnownVisit, opened: Opened) =>
    pageOf(tools, office, visit, await openOf(tools, office, section, visit, opened))

  routes.live(route, read, (visit) => open(visit, { opened: null, refused: null }))
  for (const [name, act] of Object.entries(section.acts)) {
    const policy = act.policy as KnownPolicy
    routes.get(`${route}/${name}`, policy, async (visit) =>
      show(visit, await open(visit, { opened: name, refused: null })),
    )
    routes.post(`${route}/${name}`, policy, (visit) =>
      perform(tools, office, { section, name, act }, visit, open),
    )
  }

  const worker = claimPolicy(section)!
  const itemIn = (visit: KnownVisit): string => `${section.one}:${idOf(visit)}`
  routes.post(`${route}/take`, worker, async (visit) => {
    await takeItem({ db }, itemIn(visit), visit.visitor.person, section.claim!.minutes)
    return visit.reply.redirect(addressIn(section, visit), 303)
  })
  routes.post(`${route}/release`, worker, async (visit) => {
    await dropClaim(db, itemIn(visit), visit.visitor.person.id)
    return visit.reply.redirect(addressIn(section, visit), 303)
  })
}

const baseIn = (section: Section, visit: KnownVisit): string =>
  `${deskRoot}/queue${section.path}/${encodeURIComponent(idOf(visit))}`

const queryIn = (visit: KnownVisit): string => queryOf(filterFrom(visit.query))

const withQuery = (address: string, query: string): string => (query === '' ? address : `${address}?${query}`)

const addressIn = (section: Section, visit: KnownVisit): string =>
  withQuery(baseIn(section, visit), queryIn(visit))

async function pageOf(
  { context: { db } }: DeskTools,
  office: OfficeTools,
  visit: KnownVisit,
  open: QueueView['open'],
): Promise<FinishedPage> {
  const filter = filterFrom(visit.query)
  const [place, queue, choices, notes] = await Promise.all([
    officeOf(office, visit),
    readQueue(db, filter, bounds.queueItems),
    readChoices(db),
    approvalRuleNotes({ db }),
  ])
  const notice = noticeIn(transfers, visit) ?? noticeIn(deposits, visit)
  return queuePage(place, {
    ...{ queue, filter, choices, open, notice, notes },
    lookedAt: bounds.queueLookedAt,
  })
}

/** The decision about one item; reading it changes nothing. */
async function openOf(
  tools: DeskTools,
  office: OfficeTools,
  section: Section,
  visit: KnownVisit,
  opened: Opened,
): Promise<NonNullable<QueueView['open']>> {
  const { office: place, view: found } = await thingViewOf(office, section, visit, idOf(visit), opened)
  const href = baseIn(section, visit)
  const query = queryIn(visit)
  const view = { ...found, href, query: query === '' ? '' : `?${query}` }
  const isTransfer = section === (transfers as Section)
  const candidates = isTransfer && (await candidatesOf(tools, place, visit, view, { href, query }))
  const parts = isTransfer
    ? await evidenceParts(await office.contextOf(visit), found.row as TransferRow)
    : found.parts
  // A transfer is matched at its candidates; what was refused there is said there.
  const isMatch = opened.refused?.name === 'match' && candidates !== false
  const acts = candidates === false ? view.acts : view.acts.filter(({ name }) => name !== 'match')
  const page = `${deskRoot}${section.path}/${encodeURIComponent(idOf(visit))}`
  const [en, ru] = queueWords.whole
  return {
    key: `${section.one}:${idOf(visit)}`,
    title: html`<a href="${page}" title="${place.language === 'ru' ? ru : en}">${titleOf(section, found.row, place)}</a>`,
    actions: claimBar(place, view),
    body: thingBody(
      place,
      { ...view, acts, parts, refused: isMatch ? null : view.refused },
      candidates || null,
    ),
    isStill: opened.opened !== null,
  }
}

type Thing = Awaited<ReturnType<typeof thingViewOf>>['view']

/** The deposits that it may be for, and those that the person finds; false where it cannot be matched. */
async function candidatesOf(
  { context: { db } }: DeskTools,
  office: OfficeContext,
  visit: KnownVisit,
  { row: found, holder, refused }: Thing,
  place: { href: string; query: string },
): Promise<Markup | false> {
  const row = found as TransferRow
  const { transfer } = row
  if (!canBecome(transfer.state, 'matched')) return false
  const find = visit.query('find').trim().slice(0, 128)
  const candidates = await findCandidates(db, transfer)
  const more = await db.transaction(async (tx) => ({
    found: find === '' ? [] : await findReceivers(tx, transfer, find),
    named: await findOtherNamedDeposits(tx, transfer, []),
  }))
  const isFree = !holder || holder.personId === visit.visitor.person.id
  const isMatch = refused?.name === 'match'
  return candidatesPanel(office, {
    ...{ row, candidates, find, ...more, ...place, isFree },
    refused: isMatch ? refused : null,
  })
}

/** Does an act, and opens the next item of the filter. */
async function perform(
  tools: DeskTools,
  office: OfficeTools,
  { section, name, act }: { section: Section; name: string; act: AnyAct },
  visit: KnownVisit,
  open: (visit: KnownVisit, opened: Opened) => Promise<FinishedPage>,
): Promise<Reply> {
  const texts = Object.fromEntries(Object.keys(act.fields).map((field) => [field, visit.field(field)]))
  const reason = visit.field('reason')
  const { person, session } = visit.visitor
  const filter = filterFrom(visit.query)
  try {
    const id = idOf(visit)
    // Read before, while the item still stands in its place.
    const { items } = await readQueue(tools.context.db, filter, bounds.queueItems)
    const performed = await performAct(
      await office.contextOf(visit),
      { section, name, id, texts },
      {
        ...{ personId: person.id, email: person.email, requestId: visit.client.requestId },
        ...{ reason, isFresh: session.isFresh },
      },
    )
    const done = performed.is === 'proposed' ? 'proposed' : name
    const stays = name === 'note'
    const next = stays ? undefined : nextAfter(items, { after: `${section.one}:${id}`, personId: person.id })
    const to = stays ? addressIn(section, visit) : next ? hrefOf(next, queryOf(filter)) : queueAt(filter)
    return visit.reply.redirect(`${to}${to.includes('?') ? '&' : '?'}done=${done}`, 303)
  } catch (error) {
    const refused = refusedBy(error, visit)
    if (!refused) throw error
    const opened = { opened: name, refused: { ...refused, name, texts: { ...texts, reason } } }
    return show(visit, await open(visit, opened), refused.status)
  }
}
