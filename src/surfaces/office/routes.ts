/** The routes of declared sections: their lists, their files, one row, and their acts. */
import { listOpenProposalsOf } from '../../domain/approvals/store.ts'
import { appendAudit } from '../../domain/audit/store.ts'
import { message } from '../../domain/messages/message.ts'
import { accessOf, type Policy } from '../../domain/people/access.ts'
import { dropClaim, readClaim, takeClaim } from '../../domain/people/claim-store.ts'
import { readNames } from '../../domain/people/store.ts'
import { isDay } from '../../domain/transfers/bank-text/days.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Reply } from '../../platform/http.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { isRefusal, Refusal, refusals } from '../../platform/refusals.ts'
import { fileHead, fileRow } from '../../sections/cell-values.ts'
import { doneText, performAct, subjectOf, type Wanted } from '../../sections/perform-act.ts'
import {
  type AnyAct,
  type Choice,
  type Chosen,
  type Context,
  type Fields,
  type Filter,
  inLanguage,
  type Section,
  type Two,
} from '../../sections/section.ts'
import { choicesOf, FieldsRefused, type Texts } from '../../sections/typed.ts'
import type { GuardedRoutes, KnownPolicy, KnownVisit } from '../staff/guarded-routes.ts'
import { show } from '../staff/routes.ts'
import { limitExports, sendCsv } from '../staff/send-csv.ts'
import { translate } from '../staff/sentences/translate.ts'
import { auditLine } from '../staff/visit.ts'
import type { FinishedPage } from '../web/page.ts'
import type { RefusedAct } from './act-form.ts'
import { actPage, secretPage } from './act-page.ts'
import { actorsIn } from './cells.ts'
import type { OfficeContext } from './context.ts'
import { listPage } from './list-page.ts'
import { type ActView, type ThingView, thingPage } from './thing-page.ts'

export type OfficeTools = {
  routes: GuardedRoutes
  limits: RateLimit
  /** The route of a section here, as the router knows it. */
  route: (path: string) => string
  /** What its acts and lists work with, for this visit. */
  contextOf: (visit: KnownVisit) => Promise<Context>
  /** The frame of its pages. */
  pagesOf: (visit: KnownVisit) => Promise<Omit<OfficeContext, 'isOpen' | 'here'>>
  /** The page of a request that waits for a second person; null where it has none. */
  proposalAt: (id: string) => string | null
  /** The address that withdraws a request, where it has no page. */
  withdrawAt?: (visit: KnownVisit, id: string) => string
}

type Refused = RefusedAct & { name: string }

export function sectionRoutes(tools: OfficeTools, section: Section): void {
  const { routes, route, contextOf } = tools
  const base = route(section.path)
  const serve = (visit: KnownVisit, make: Promise<FinishedPage>, status = 200): Promise<Reply> =>
    make.then((page) => show(visit, page, status))

  const page = (path: string, policy: KnownPolicy, make: (visit: KnownVisit) => Promise<FinishedPage>) =>
    section.isLive
      ? routes.live(path, policy, make)
      : routes.get(path, policy, (visit) => serve(visit, make(visit)))

  const { only } = section
  // The only row stands at the address of the section.
  const ofRow = only ? base : `${base}/:id`
  const idOf = async (visit: KnownVisit): Promise<string> =>
    only ? only(await contextOf(visit)) : (visit.request.params as { id: string }).id
  if (!only) page(base, section.read, (visit) => listOf(tools, section, visit))

  if (section.isExported)
    routes.get(`${base}/export.csv`, section.read, async (visit) => {
      const context = await contextOf(visit)
      const { chosen } = await chosenIn(section.filters, visit.query, context)
      const line = auditLine(visit, {
        ...{ act: 'export', subject: section.path.slice(1), merchantId: context.merchantId },
        after: withoutTexts(section.filters, chosen),
      })
      limitExports(tools.limits, visit.visitor.person.id)
      await context.db.transaction((tx) => appendAudit(tx, line))
      return sendCsv(
        visit.reply,
        section.path.slice(1).replace('/', '-'),
        fileLines(section, context, chosen),
      )
    })

  for (const [name, act] of Object.entries(section.sectionActs ?? {})) {
    const policy = act.policy as KnownPolicy
    routes.get(`${base}/${name}`, policy, (visit) =>
      serve(visit, formOf(tools, section, { name, act }, visit, null)),
    )
    routes.post(`${base}/${name}`, policy, (visit) => perform(tools, section, { name, act, id: null }, visit))
  }

  if (!section.find) return
  const thing = async (visit: KnownVisit, opened: string | null) =>
    thingOf(tools, section, visit, await idOf(visit), { opened, refused: null })
  page(ofRow, section.read, (visit) => thing(visit, null))

  for (const [name, act] of Object.entries(section.acts)) {
    const policy = act.policy as KnownPolicy
    routes.get(`${ofRow}/${name}`, policy, (visit) => serve(visit, thing(visit, name)))
    routes.post(`${ofRow}/${name}`, policy, async (visit) =>
      perform(tools, section, { name, act, id: await idOf(visit) }, visit),
    )
  }

  const { claim } = section
  const worker = claimPolicy(section)
  if (!claim || !worker) return
  routes.post(`${base}/:id/take`, worker, async (visit) => {
    const [context, id] = [await contextOf(visit), await idOf(visit)]
    const row = await rowOf(section, context, id)
    await takeItem(context, claim.item(row), visit.visitor.person, claim.minutes)
    return visit.reply.redirect(hrefOf(visit, section, tools, id), 303)
  })
  routes.post(`${base}/:id/release`, worker, async (visit) => {
    const [context, id] = [await contextOf(visit), await idOf(visit)]
    const row = await rowOf(section, context, id)
    await dropClaim(context.db, claim.item(row), visit.visitor.person.id)
    return visit.reply.redirect(hrefOf(visit, section, tools, id), 303)
  })
}

/** Of two people who take an item, the second learns that the first works on it. */
export async function takeItem(
  { db }: Pick<Context, 'db'>,
  item: string,
  { id }: { id: string },
  minutes: number,
): Promise<void> {
  const holder = await takeClaim(db, item, id, minutes)
  if (holder.personId === id) return
  throw new Refusal('state_conflict', { detail: message('item_taken_by', { name: holder.name }) })
}

/** People who may do an act that needs the row may take it; the factor is asked for by the act. */
export function claimPolicy(section: Section): KnownPolicy | null {
  const held = Object.values(section.acts).find(({ holds }) => holds)?.policy as KnownPolicy | undefined
  if (held?.for === 'operator') return { for: 'operator', roles: held.roles }
  return held ?? null
}

const hrefOf = (visit: KnownVisit, section: Section, { route }: OfficeTools, id: string | null): string => {
  const base = route(section.path).replace(':merchant', visit.merchantId)
  return id === null || section.only ? base : `${base}/${encodeURIComponent(id)}`
}

async function rowOf(section: Section, context: Context, id: string): Promise<unknown> {
  const row = await section.find?.(context, id)
  if (row === undefined) throw new Refusal('not_found')
  return row
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────────────

async function listOf(tools: OfficeTools, section: Section, visit: KnownVisit): Promise<FinishedPage> {
  const [context, office] = await placeOf(tools, visit)
  const { chosen, choices } = await chosenIn(section.filters, visit.query, context)
  const after = visit.query('after') || null
  const [page, totals, notes] = await Promise.all([
    section.list(context, { chosen, after, limit: bounds.listRows }),
    section.totals?.(context, chosen) ?? [],
    section.notes?.(context, chosen) ?? [],
  ])
  const cells = page.rows.flatMap((row) => Object.values(section.columns).map(({ cell }) => cell(row)))
  const people = await readNames(context.db, actorsIn(cells).map(emailIn))
  const links = (section.links ?? [])
    .filter(({ policy }) => isOpenTo(visit, policy))
    .map(({ to, text, kind }) => ({ href: office.place.pathOf(to), name: text, kind }))
  const named = Object.entries(section.sectionActs ?? {})
    .filter(([, { policy }]) => isOpenTo(visit, policy))
    .map(([name, act]) => ({
      href: `${hrefOf(visit, section, tools, null)}/${name}`,
      name: act.name,
      kind: act.kind,
    }))
  const acts = [...links, ...named]
  const view = { section, page, chosen, choices, totals, notes, isFirst: after === null, acts }
  return listPage({ ...office, people, section }, { ...view, notice: noticeIn(section, visit) })
}

/** `operator:anna@…` is a person of the desk; parts of the program have no address. */
const emailIn = (actor: string): string => actor.slice(actor.indexOf(':') + 1)

/** The filters in an address. What is not a choice, or no day, is no filter. */
async function chosenIn(filters: readonly Filter[], query: (name: string) => string, context: Context) {
  const chosen: Record<string, string> = {}
  const choices = new Map<string, readonly Choice[]>()
  for (const filter of filters) {
    const text = query(filter.name).trim().slice(0, 200)
    if (filter.is === 'choice') {
      const of = typeof filter.of === 'function' ? await filter.of(context) : filter.of
      choices.set(filter.name, of)
      chosen[filter.name] = of.some(({ value }) => value === text) ? text : ''
    } else if (filter.is === 'tick') chosen[filter.name] = text === 'on' ? 'on' : ''
    else chosen[filter.name] = filter.is === 'day' && !isDay(text) ? '' : text
  }
  return { chosen: chosen as Chosen, choices }
}

const exportedAtOnce = 500

async function* fileLines(section: Section, context: Context, chosen: Chosen): AsyncGenerator<string> {
  yield fileHead(section.columns)
  for (let after: string | null = null; ; ) {
    const { rows, next }: Awaited<ReturnType<Section['list']>> = await section.list(context, {
      ...{ chosen, after, limit: exportedAtOnce },
    })
    yield rows.map((row) => fileRow(section.columns, row)).join('')
    if (next === null) return
    after = next
  }
}

/** A search text may be a customer's name or number, and the audit log is kept forever. */
const withoutTexts = (filters: readonly Filter[], chosen: Chosen): Chosen =>
  Object.fromEntries(
    filters.flatMap(({ name, is }) =>
      is === 'search' || is === 'text' || chosen[name] === '' ? [] : [[name, chosen[name]!]],
    ),
  )

/** What the last act says, by its name in the address. */
export function noticeIn(section: Section, visit: KnownVisit): string | null {
  const name = visit.query('done')
  if (name === 'proposed') return inLanguage(proposed, visit.language)
  if (name === 'withdrawn') return inLanguage(withdrawn, visit.language)
  const acts: Section['acts'] = { ...section.acts, ...section.sectionActs }
  if (!Object.hasOwn(acts, name)) return null
  return inLanguage(doneText(acts[name]!, Number(visit.query('count')) || 0), visit.language)
}

const proposed: Two = [
  'Sent for approval. Nothing has changed yet.',
  'Отправлено на согласование. Пока ничего не изменилось.',
]

const withdrawn: Two = ['Request withdrawn.', 'Запрос отозван.']

export async function officeOf(tools: OfficeTools, visit: KnownVisit): Promise<OfficeContext> {
  const here = visit.request.url.split('?', 1)[0]!
  return {
    ...(await tools.pagesOf(visit)),
    // The address of a form is the address of its page plus a verb.
    here: visit.request.method === 'GET' ? here : here.replace(/\/[^/]*$/, ''),
    isOpen: (policy) => isOpenTo(visit, policy),
  }
}

const placeOf = (tools: OfficeTools, visit: KnownVisit): Promise<[Context, OfficeContext]> =>
  Promise.all([tools.contextOf(visit), officeOf(tools, visit)])

const isOpenTo = (visit: KnownVisit, policy: Policy): boolean => {
  const access = accessOf(policy, visit.visitor, visit.merchantId || null)
  return access.is === 'allowed' || access.because === 'step_up_required'
}

// ── One row ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type Opened = { opened: string | null; refused: Refused | null }

async function thingOf(...asked: Parameters<typeof thingViewOf>): Promise<FinishedPage> {
  const { office, view } = await thingViewOf(...asked)
  return thingPage(office, view)
}

/** What the page of a row shows, also where it stands within another page. */
export async function thingViewOf(
  tools: OfficeTools,
  section: Section,
  visit: KnownVisit,
  id: string,
  { opened, refused }: Opened,
): Promise<{ office: OfficeContext; view: ThingView<unknown> }> {
  const [context, office] = await placeOf(tools, visit)
  const row = await rowOf(section, context, id)
  const item = section.claim?.item(row)
  const [parts, proposals, holder, acts] = await Promise.all([
    section.parts?.(context, row) ?? [],
    listOpenProposalsOf(context.db, subjectOf(section, row, id)),
    item ? readClaim(context.db, item) : undefined,
    actsOf(section, visit, context, row),
  ])
  const cells = Object.values({ ...section.columns, ...section.facts }).map(({ cell }) => cell(row))
  const more = parts.flatMap((part) =>
    part.is === 'table' ? part.rows.flat() : part.is === 'facts' ? part.facts.map(([, cell]) => cell) : [],
  )
  const people = await readNames(context.db, actorsIn([...cells, ...more]).map(emailIn))
  const worker = claimPolicy(section)
  const href = hrefOf(visit, section, tools, id)
  const view = { section, row, href, parts, acts, opened, refused, holder: holder ?? null }
  return {
    office: { ...office, people, section },
    view: {
      ...view,
      proposals: proposals.map(({ id, proposerName, proposedBy }) => ({
        ...{ proposerName, href: tools.proposalAt(id) },
        withdraw: (proposedBy === visit.visitor.person.id && tools.withdrawAt?.(visit, id)) || null,
      })),
      mayTake: worker !== null && isOpenTo(visit, worker),
      notice: noticeIn(section, visit),
    },
  }
}

/** The acts that this person's role allows, each with the reason where it is not possible now. */
async function actsOf(
  section: Section,
  visit: KnownVisit,
  context: Context,
  row: unknown,
): Promise<ActView[]> {
  const views: ActView[] = []
  for (const [name, act] of Object.entries(section.acts)) {
    if (!isOpenTo(visit, act.policy)) continue
    const possible = act.from?.(row) ?? true
    if (possible === false || act.isOffered?.(row) === false) continue
    const choices = await choicesIn(act, context, row)
    views.push({ name, act, obstacle: possible === true ? null : possible, choices })
  }
  return views
}

async function choicesIn(act: AnyAct, context: Context, row: unknown, texts: Texts = {}) {
  const choices = new Map<string, readonly Choice[]>()
  for (const [name, field] of Object.entries(act.fields as Fields<unknown>))
    if (field.is === 'choice') choices.set(name, await choicesOf(field, context, row, texts))
  return choices
}

type Named = { name: string; act: AnyAct }

/** The page of an act that needs no row: its form alone. What the address names is filled in. */
async function formOf(
  tools: OfficeTools,
  section: Section,
  { name, act }: Named,
  visit: KnownVisit,
  refused: RefusedAct | null,
): Promise<FinishedPage> {
  const [context, office] = await placeOf(tools, visit)
  const action = `${hrefOf(visit, section, tools, null)}/${name}`
  const asked = Object.keys(act.fields).map((field) => [field, visit.query(field)] as const)
  const typed = Object.fromEntries(asked.filter(([, text]) => text !== ''))
  const choices = await choicesIn(act, context, undefined, refused?.texts ?? typed)
  const foreseen = (await act.foresee?.(context, undefined)) ?? null
  return actPage({ ...office, section }, { section, name, act, action, choices, typed, refused, foreseen })
}

// ── Acts ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function perform(
  tools: OfficeTools,
  section: Section,
  { name, act, id }: Omit<Wanted, 'texts' | 'section'> & { act: AnyAct },
  visit: KnownVisit,
): Promise<Reply> {
  const sent = visit.fieldNames()
  // A browser sends nothing for a tick that is not set.
  const typed = Object.entries(act.fields as Fields<unknown>).filter(
    ([name, { is }]) => is === 'tick' || sent.includes(name),
  )
  const texts = Object.fromEntries(typed.map(([name]) => [name, visit.field(name)]))
  const reason = visit.field('reason')
  const { person, session } = visit.visitor
  try {
    const performed = await performAct(
      await tools.contextOf(visit),
      { section, name, id, texts },
      {
        ...{ personId: person.id, email: person.email, requestId: visit.client.requestId },
        ...{ reason, isFresh: session.isFresh },
      },
    )
    if (performed.is === 'proposed')
      return visit.reply.redirect(`${hrefOf(visit, section, tools, id)}?done=proposed`, 303)
    const { secret, secretText, show: next, isGone, listed, count } = performed.acted
    const to = next?.section
      ? `${tools.route(next.section).replace(':merchant', visit.merchantId)}/${encodeURIComponent(next.id)}`
      : hrefOf(
          visit,
          section,
          tools,
          next?.id ?? (isGone || listed ? null : await stillThere(section, tools, visit, id)),
        )
    const said = { ...listed, done: name, ...(count !== undefined && { count: `${count}` }) }
    if (!secret) return visit.reply.redirect(`${to}?${new URLSearchParams(said)}`, 303)
    const [, office] = await placeOf(tools, visit)
    return show(visit, secretPage({ ...office, section }, { section, act, secret, secretText, to }))
  } catch (error) {
    const refused = refusedBy(error, visit)
    if (!refused) throw error
    const view = { ...refused, texts: { ...texts, reason } }
    const page =
      id === null
        ? formOf(tools, section, { name, act }, visit, view)
        : thingOf(tools, section, visit, id, { opened: name, refused: { ...view, name } })
    return show(visit, await page, refused.status)
  }
}

/** What an act has ended has no page any more: the list comes next. */
async function stillThere(section: Section, tools: OfficeTools, visit: KnownVisit, id: string | null) {
  const row = id === null ? undefined : await section.find?.(await tools.contextOf(visit), id)
  return row === undefined ? null : id
}

/** A refusal that the form can show; null for what belongs to the frame: sign in again, no right, no such row. */
export function refusedBy(error: unknown, { language }: KnownVisit) {
  if (error instanceof FieldsRefused)
    return {
      code: 'invalid_value',
      detail: null,
      problems: error.problems,
      status: refusals.invalid_value.status,
    }
  if (!(error instanceof Refusal) || framed.some((code) => isRefusal(error, code))) return null
  const { detail, errors = [] } = error.details
  const problems: Record<string, Two> = {}
  for (const { pointer, detail } of errors) {
    const [name, [en, ru] = ['', '']] = [pointer.replace('#/', ''), problems[pointer.replace('#/', '')]]
    problems[name] = [`${en} ${detail}`.trim(), `${ru} ${translate(detail, 'ru')}`.trim()]
  }
  const { status, title } = refusals[error.code]
  return {
    code: error.code,
    detail: detail ? translate(detail, language) : errors.length > 0 ? null : title,
    problems,
    status,
  }
}

export const framed = [
  'not_found',
  'forbidden',
  'login_required',
  'second_factor_required',
  'step_up_required',
] as const
