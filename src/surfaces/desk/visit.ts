/** What the desk's routes share: the page context, who acts, and refusals as pages. */

import type { AddressRule } from '../../domain/deposits/address.ts'
import type { DepositContext } from '../../domain/deposits/change-deposit.ts'
import { type Mode, modes } from '../../domain/merchants/merchant.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import type { Reply } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { type FieldProblem, Refusal, refusals } from '../../platform/refusals.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Directory } from '../api/merchant-directory.ts'
import type {
  FileStore,
  GuardedRoutes,
  KnownPolicy,
  KnownVisit,
  UploadVisit,
} from '../staff/guarded-routes.ts'
import { pageContext, show } from '../staff/routes.ts'
import { translate } from '../staff/sentences/translate.ts'
import type { FinishedPage } from '../web/page.ts'
import type { Background } from './background.ts'
import { caseWords } from './case-words.ts'
import {
  type DeskContext,
  everybody,
  refusedDeskNote,
  refusedDeskPage,
  type Section,
  workers,
} from './frame.ts'
import { deskPath } from './paths.ts'
import { readWaiting } from './store.ts'
import { deskWords, type Notice } from './words.ts'

export type DeskTools = {
  routes: GuardedRoutes
  context: DepositContext
  vault: Vault
  outbound: Outbound
  directory: Directory
  limits: RateLimit
  publicUrl: string
  isProduction: boolean
  isTrustedHost: AddressRule['isTrustedHost']
  background: Background
  /** The database's time. */
  now: () => Promise<Date>
  log: Pick<Log, 'warn'>
}

/** Policies: who may read, who may act, and which acts also need a fresh factor. */
export const read = { for: 'operator', roles: everybody } as const
export const work = { for: 'operator', roles: workers } as const
export const dangerous = { ...work, isFresh: true } as const

export async function deskOf(
  { context }: Pick<DeskTools, 'context'>,
  visit: KnownVisit,
  refusal: Refused | null = null,
): Promise<DeskContext> {
  const { now, queue, approvals } = await readWaiting(context.db)
  const name = visit.query('notice')
  const isGet = visit.request.method === 'GET'
  const { url } = visit.request
  const desk = {
    ...pageContext(visit),
    visitor: visit.visitor,
    now,
    waiting: { queue, approvals },
    notice: Object.hasOwn(deskWords.en.notices, name) ? (name as Notice) : null,
    here: isGet ? url.split('?', 1)[0]! : pageBehind(url),
    typed: visit.field,
    refused: null,
  }
  return { ...desk, refused: refusal && refusedDeskNote(desk, refusal) }
}

/** The address of a form is the address of its page plus a verb; it is normalized as a browser would. */
const pageBehind = (url: string): string => new URL(url, 'http://localhost').pathname.replace(/\/[^/]*$/, '')

export { show }

export const actorOf = ({ visitor }: KnownVisit): string => `operator:${visitor.person.email}`

/** The mode has to be chosen, so that nobody works in live mode by accident. */
export function modeOf(visit: KnownVisit): Mode {
  const mode = modes.find((mode) => mode === visit.field('mode'))
  if (mode) return mode
  throw new Refusal('invalid_value', { detail: deskWords[visit.language].chooseMode })
}

type Shown = FinishedPage | Reply
type Done = { to: string; notice: Notice } | Shown
type DeskPath = Parameters<typeof deskPath.route>[0]

/** The guarded routes of one section: its pages, and its actions, whose refusals are shown inside the desk. */
export const sectionRoutes = (tools: DeskTools, section: Section) => ({
  get: (path: DeskPath, policy: KnownPolicy, make: (visit: KnownVisit) => Promise<Shown>) =>
    tools.routes.get(deskPath.route(path), policy, async (visit) => answer(visit, await make(visit))),
  live: (path: DeskPath, policy: KnownPolicy, make: (visit: KnownVisit) => Promise<FinishedPage | string>) =>
    tools.routes.live(deskPath.route(path), policy, make),
  /** `again`: the page of the form, which keeps what was typed if the act is refused. */
  post: (
    path: DeskPath,
    policy: KnownPolicy,
    act: (visit: KnownVisit) => Promise<Done>,
    again?: (visit: KnownVisit, refused: Refused) => Promise<FinishedPage>,
  ) =>
    tools.routes.post(deskPath.route(path), policy, (visit) =>
      perform(tools, visit, section, () => act(visit), again && ((refused) => again(visit, refused))),
    ),
  upload: (
    path: DeskPath,
    policy: KnownPolicy,
    files: FileStore,
    act: (visit: UploadVisit) => Promise<Done>,
  ) =>
    tools.routes.upload(deskPath.route(path), policy, files, (visit) =>
      perform(tools, visit, section, () => act(visit)),
    ),
})

/** Awaiting a reply takes until it was sent or canceled, and yields nothing. */
const answer = (visit: KnownVisit, shown: Shown | undefined): Reply | Promise<Reply> =>
  shown && 'markup' in shown ? show(visit, shown) : visit.reply

/** Does an act and leads back to its page; a refusal becomes a page that says why. */
async function perform(
  tools: Pick<DeskTools, 'context'>,
  visit: KnownVisit,
  section: Section,
  act: () => Promise<Done>,
  again?: (refused: Refused) => Promise<FinishedPage>,
): Promise<Reply> {
  try {
    const done: Done | undefined = await act()
    if (!done || !('notice' in done)) return await answer(visit, done)
    const { to } = done
    return visit.reply.redirect(`${to}${to.includes('?') ? '&' : '?'}notice=${done.notice}`, 303)
  } catch (error) {
    if (!(error instanceof Refusal) || !shown.has(error.code)) throw error
    const { detail, errors = [] } = error.details
    const refused = {
      code: error.code,
      detail: detail && translate(detail, visit.language),
      errors: errors.map((error) => problemText(error, visit.language)),
    }
    const { status } = refusals[error.code]
    if (again) return show(visit, await again(refused), status)
    const desk = await deskOf(tools, visit)
    return show(visit, refusedDeskPage(desk, section, { ...refused, back: desk.here }), status)
  }
}

/** Why an act was refused, in the reader's language. */
type Refused = { code: string; detail: string | undefined; errors: readonly string[] }

/** The label of the field, then what is wrong with it. */
function problemText({ pointer, detail }: FieldProblem, language: ConsoleLanguage): string {
  const name = pointer.replace('#/', '')
  const label =
    name === 'currency' ? deskWords[language].currency : (caseWords[language].fields[name] ?? name)
  return `${label}: ${translate(detail, language)}`
}

const shown = new Set([
  'not_found',
  'invalid_value',
  'state_conflict',
  'already_exists',
  'confirmation_required',
  'url_not_allowed',
  'too_many_keys',
  'statement_damaged',
  'statement_account_unknown',
  'statement_mapping_missing',
  'statement_header_changed',
  'statement_format_unsupported',
  'other_source_counts',
])
