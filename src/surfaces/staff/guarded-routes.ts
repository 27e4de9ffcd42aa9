/**
 * The guarded routes of the consoles. Every console route is made here: with a policy, behind one authentication, and,
 * if it changes something, with a CSRF check. The server does not start with a console route that was made in another
 * way.
 */

import type { Readable } from 'node:stream'
import { actingAs } from '../../domain/audit/acting.ts'
import type { MerchantId } from '../../domain/merchants/merchant.ts'
import { message } from '../../domain/messages/message.ts'
import { accessOf, type Policy, type Visitor } from '../../domain/people/access.ts'
import { authenticate, visitorNow } from '../../domain/people/authenticate.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { cookieName, isSecret, markName } from '../../domain/people/session.ts'
import type { ClientInfo } from '../../domain/people/sign-in.ts'
import { parseFlat } from '../../platform/body.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { createFairLimit, type FairPlaces } from '../../platform/fair-limit.ts'
import {
  bodyOf,
  clientNetwork,
  type Http,
  limitedByAddress,
  noteForLog,
  queryOf,
  type Reply,
  type Request,
  type RouteConfig,
} from '../../platform/http.ts'
import { type RateLimit, rateLimited } from '../../platform/rate-limit.ts'
import { Refusal, type Sentence } from '../../platform/refusals.ts'
import { isUuid, refuseProblems } from '../../platform/request-fields.ts'
import { cookieOf, refuseOtherSites, rememberedIn } from '../../platform/same-site.ts'
import { readForm, withUploads } from '../../platform/upload.ts'
import { render } from '../web/html.ts'
import { languageFrom } from '../web/messages/languages.ts'
import type { FinishedPage } from '../web/page.ts'
import { sendPage } from '../web/send-page.ts'
import { type LivePages, markOf } from './live-pages.ts'
import { staffPath } from './paths.ts'

export type RoutePolicy = { method: 'GET' | 'POST'; path: string; policy: Policy }

export type Visit = {
  request: Request
  reply: Reply
  language: ConsoleLanguage
  client: ClientInfo
  /** The merchant in the address, where there is one. */
  merchantId: MerchantId
  /** A field of the form, trimmed; empty if it is missing. */
  field(name: string): string
  /** The names of the form's fields in order, used for checkboxes. */
  fieldNames(): string[]
  query(name: string): string
}

/** A visit of somebody who is signed in, which every policy except `anyone` guarantees. */
export type KnownVisit = Visit & { visitor: Visitor }
/** How a route takes its file: stored as it arrives, and dropped if it may not stay. */
export type FileRules<File> = {
  mostBytes: number
  mostMs: number
  tooLarge: Sentence
  places: FairPlaces
  /** If no file was chosen, browsers send an empty one without a name. */
  store(bytes: Readable, name: string): Promise<File>
  drop?(file: File): Promise<void>
}
export type UploadVisit<File> = KnownVisit & { file: File }

export type GuardedRoutes = {
  /** Every route with its policy, as the router knows it. */
  policies: readonly RoutePolicy[]
  get<P extends Policy>(path: string, policy: P, serve: Serve<P>): void
  /** A page that is sent again over an event stream when it changes. `make` may return an address to redirect to. */
  live(path: string, policy: KnownPolicy, make: (visit: KnownVisit) => Promise<FinishedPage | string>): void
  post<P extends Policy>(path: string, policy: P, serve: Serve<P>): void
  /** A form with a file. The CSRF token comes before the file, and without it nothing of the file is stored. */
  upload<File>(
    path: string,
    policy: KnownPolicy,
    rules: FileRules<File>,
    serve: (visit: UploadVisit<File>) => Promise<Reply | object>,
  ): void
}
export type KnownPolicy = Exclude<Policy, { for: 'anyone' }>
type Serve<P extends Policy> = (
  visit: P extends { for: 'anyone' } ? Visit & { visitor: Visitor | null } : KnownVisit,
) => Promise<Reply | object>

type GuardedRouteConfig = RouteConfig & { policy?: Policy }

const firstSegment = (url: string) => url.split('/')[1]
const guarded = new Set(staffPath.routes.map(firstSegment))

export function createGuardedRoutes(
  app: Http,
  {
    db,
    limits,
    publicUrl,
    asPage,
    livePages,
  }: {
    db: Db
    limits: RateLimit
    publicUrl: string
    asPage: NonNullable<RouteConfig['asPage']>
    livePages: LivePages
  },
): GuardedRoutes {
  const { origin } = new URL(publicUrl)
  const isSecure = publicUrl.startsWith('https:')
  const preHandler = limitedByAddress(limits)
  const policies: RoutePolicy[] = []
  app.addHook('onRoute', ({ url, config, method }) => {
    if (!guarded.has(firstSegment(url))) return
    const policy = (config as GuardedRouteConfig | undefined)?.policy
    if (!policy) throw new Error(`The route ${method} ${url} names no policy.`)
    const named = (['GET', 'POST'] as const).find((known) => known === method)
    if (named) policies.push({ method: named, path: url, policy })
  })

  /** Authenticates the request and checks the policy. */
  async function enter(request: Request, policy: Policy) {
    const visitor = await authenticate(db, cookieOf(request, cookieName(isSecure)), isForEvents(request))
    if (visitor) {
      recognised.set(request, visitor)
      noteForLog(request, { person: visitor.person.id })
    }
    const { merchant } = request.params as { merchant?: string }
    const merchantId = merchant && isUuid(merchant) ? merchant : null
    const access = accessOf(policy, visitor, merchantId)
    if (access.is === 'refused') {
      const isDenied = access.because === 'forbidden' || access.because === 'not_found'
      noteForLog(request, { isDenied })
      throw new Refusal(access.because)
    }
    return { visitor, merchantId }
  }

  /** Limits a person in all networks: a form adds an entry to the audit log, and a page may take longer than many creates. */
  function refuseTooMany(kind: 'acts' | 'pages', { person }: Visitor): void {
    const verdict = limits.take(`${kind}:${person.id}`, kind === 'acts' ? bounds.actRate : bounds.pageRate)
    if (!verdict.allowed) throw rateLimited(kind, verdict)
  }

  function open<P extends Policy>(method: 'GET' | 'POST', path: string, policy: P, serve: Serve<P>): void {
    const config: GuardedRouteConfig = { policy, asPage }
    app.route({
      method,
      url: path,
      config,
      preHandler,
      handler: async (request, reply) => {
        if (method === 'POST') refuseOtherSites(request, origin, { allowsMissing: false })
        const { visitor, merchantId } = await enter(request, policy)
        const fields = method === 'POST' ? fieldsOf(request) : new Map<string, string>()
        // Without a session there is no token yet; then the Origin header, which a foreign form cannot forge, has to
        // do.
        if (method === 'POST' && visitor && policy.for !== 'anyone') {
          refuseForged(request, fields, visitor)
          refuseTooMany('acts', visitor)
        }
        const visit = visitOf({ request, reply, visitor, merchantId, fields })
        if (method === 'GET' && visitor) refuseTooMany('pages', visitor)
        return checkedAgain(policy, visitor, merchantId, () =>
          serve(visit as unknown as Parameters<Serve<P>>[0]),
        )
      },
    })
  }

  /** Each time the page is made again, the session is checked again. */
  const live: GuardedRoutes['live'] = (path, policy, make) => {
    const serve = async (visit: KnownVisit) => {
      const { request, reply } = visit
      if (!isForEvents(request)) {
        const made = await make(visit)
        if (typeof made === 'string') return reply.redirect(made, 303)
        // The script compares the mark, and ignores the first page of the stream if it is the loaded one.
        reply.header('server-timing', `page;desc="${markOf(render(made.markup))}"`)
        return sendPage(request, reply, made)
      }
      const personId = visit.visitor.person.id
      const makeAgain = async () => {
        const entered = await enter(request, policy)
        const made = await make(visitOf({ request, reply, ...entered, fields: new Map() }) as KnownVisit)
        if (typeof made === 'string') throw new Refusal('not_found')
        return render(made.markup)
      }
      return livePages.open(reply, { personId, place: visit.merchantId }, await makeAgain(), makeAgain)
    }
    open('GET', path, policy, serve as Serve<KnownPolicy>)
  }

  function upload<File>(
    path: string,
    policy: KnownPolicy,
    { places, drop, tooLarge, ...rules }: FileRules<File>,
    serve: (visit: UploadVisit<File>) => Promise<Reply | object>,
  ): void {
    const inTurn = createFairLimit(places)
    withUploads(app, (scoped) =>
      scoped.route({
        method: 'POST',
        url: path,
        config: { policy, asPage, isLong: rules.mostMs > bounds.requestTimeoutMs } as GuardedRouteConfig,
        // If the request is refused before its file was read, the connection is closed instead of reading the file for
        // nothing.
        onRequest: async (_request, reply) => void reply.header('connection', 'close'),
        preHandler,
        handler: async (request, reply) => {
          refuseOtherSites(request, origin, { allowsMissing: false })
          const { visitor, merchantId } = await enter(request, policy)
          // Places are counted by merchant, because a merchant may have many owners.
          return inTurn(merchantId ?? visitor!.person.id, async () => {
            const { fields, file } = await readForm<File>(request, {
              ...rules,
              problems: { ...uploadProblems, tooLarge },
              accept(fields) {
                refuseForged(request, fields, visitor!)
                refuseTooMany('acts', visitor!)
              },
            })
            // The person may have lost access while the file arrived.
            await enter(request, policy).catch(async (refusal) => {
              await drop?.(file)
              throw refusal
            })
            const visit = visitOf({ request, reply, visitor, merchantId, fields }) as KnownVisit
            return checkedAgain(policy, visitor, merchantId, () => serve({ ...visit, file }))
          })
        },
      }),
    )
  }

  return {
    policies,
    upload,
    live,
    get: (path, policy, serve) => open('GET', path, policy, serve),
    post: (path, policy, serve) => open('POST', path, policy, serve),
  }
}

/**
 * Has the policy checked again in every audited transaction of `serve`. What people do about themselves is checked under their own lock
 * (`lockVisitor`): a new factor or password replaces the session of the request.
 */
function checkedAgain<Result>(
  policy: Policy,
  visitor: Visitor | null,
  merchantId: MerchantId | null,
  serve: () => Promise<Result>,
): Promise<Result> {
  if (!visitor || (policy.for !== 'merchant' && policy.for !== 'operator')) return serve()
  const check = async (tx: Tx) => {
    const access = accessOf(policy, await visitorNow(tx, visitor), merchantId)
    if (access.is === 'refused') throw new Refusal(access.because)
  }
  return actingAs({ personId: visitor.person.id, check }, serve)
}

/** A request for the event stream of a live page, made by its script. */
export const isForEvents = ({ method, headers }: Request): boolean =>
  method === 'GET' && headers.accept === 'text/event-stream'

function visitOf({
  request,
  reply,
  visitor,
  merchantId,
  fields,
}: {
  request: Request
  reply: Reply
  visitor: Visitor | null
  merchantId: MerchantId | null
  fields: ReadonlyMap<string, string>
}): Visit & { visitor: Visitor | null } {
  const query = queryOf(request)
  return {
    request,
    reply,
    visitor,
    language: languageOf(request),
    client: clientInfoOf(request),
    merchantId: merchantId ?? '',
    field: (name) => (fields.get(name) ?? '').trim(),
    fieldNames: () => [...fields.keys()],
    // Our filters hold no control characters, and PostgreSQL accepts no NUL.
    query: (name) => query(name).replace(/\p{Cc}/gu, ''),
  }
}

function refuseForged(request: Request, fields: ReadonlyMap<string, string>, { session }: Visitor): void {
  const token = fields.get('csrf') ?? request.headers['x-csrf']
  if (token !== session.csrf) throw new Refusal('cross_site_request')
}

/** Reads a URL-encoded form. JSON bodies are read by the routes that expect them. */
function fieldsOf(request: Request): Map<string, string> {
  const body = bodyOf(request)
  const type = request.headers['content-type']?.split(';', 1)[0]
  if (type !== 'application/x-www-form-urlencoded' || body.length === 0) return new Map()
  const { fields, problems } = parseFlat(body, 'form', { most: bounds.formFields, takesLines: true })
  refuseProblems(problems, 'malformed_body')
  return new Map([...fields].map(([name, text]) => [name, text.replaceAll('\r\n', '\n')]))
}

function clientInfoOf(request: Request): ClientInfo {
  const mark = rememberedIn(request, markName)
  return {
    network: clientNetwork(request),
    browser: String(request.headers['user-agent'] ?? ''),
    mark: isSecret(mark) ? mark : null,
    requestId: request.id,
  }
}

/** Who was recognised, even if the request was refused. */
const recognised = new WeakMap<Request, Visitor>()

/** The language that the person chose, else the browser's; the consoles have two. */
export function languageOf(request: Request): ConsoleLanguage {
  const chosen = recognised.get(request)?.person.language
  if (chosen) return chosen
  const language = languageFrom({
    query: queryOf(request)('lang'),
    cookie: rememberedIn(request, 'inlet_lang'),
    acceptLanguage: request.headers['accept-language'],
  })
  return language === 'en' ? 'en' : 'ru'
}

const uploadProblems = {
  noFile: message('upload_has_no_file'),
  unreadable: message('upload_cannot_be_read'),
}
