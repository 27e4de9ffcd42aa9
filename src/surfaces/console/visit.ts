/** What the routes of the console share: the page context, audit lines, and refusals shown as pages of the console. */
import type { AuditDraft } from '../../domain/audit/audit.ts'
import { appendAudit } from '../../domain/audit/store.ts'
import type { TestParts } from '../../domain/callbacks/delivery/send-test.ts'
import type { AddressRule } from '../../domain/deposits/address.ts'
import type { DepositContext } from '../../domain/deposits/change-deposit.ts'
import type { MerchantId } from '../../domain/merchants/merchant.ts'
import { findMerchant } from '../../domain/merchants/store.ts'
import { roleAt } from '../../domain/people/access.ts'
import type { Db } from '../../platform/db.ts'
import type { Reply } from '../../platform/http.ts'
import type { RateLimit } from '../../platform/rate-limit.ts'
import { Refusal, refusals, type Sentence } from '../../platform/refusals.ts'
import type { Directory } from '../api/merchant-directory.ts'
import type { GuardedRoutes, KnownPolicy, KnownVisit, SmallUploadVisit } from '../staff/guarded-routes.ts'
import { refusedBody } from '../staff/refused-body.ts'
import { pageContext, show } from '../staff/routes.ts'
import { translate } from '../staff/sentences/translate.ts'
import { auditLine as staffLine } from '../staff/visit.ts'
import type { FinishedPage } from '../web/page.ts'
import { type ConsoleContext, merchantPage, type Section, sectionPath, wordsOf } from './frame.ts'
import { consolePath } from './paths.ts'

export type ConsoleTools = TestParts & {
  routes: GuardedRoutes
  directory: Directory
  /** Reloads the key caches at once, so that a new secret works immediately, in the demo shop too. */
  keysChanged: (merchantId: MerchantId) => Promise<void>
  context: DepositContext
  limits: RateLimit
  publicUrl: string
  isProduction: boolean
  isTrustedHost: AddressRule['isTrustedHost']
  /** The database's time. */
  now: () => Promise<Date>
}

export const viewer = { for: 'merchant', minimumRole: 'viewer' } as const
export const developer = { for: 'merchant', minimumRole: 'developer' } as const
export const freshOwner = { for: 'merchant', minimumRole: 'owner', isFresh: true } as const

export async function readConsoleContext(db: Db, visit: KnownVisit): Promise<ConsoleContext> {
  const { visitor, merchantId } = visit
  const merchant = await findMerchant(db, merchantId)
  const role = roleAt(visitor, merchantId)
  if (!merchant || !role) throw new Refusal('not_found')
  return { ...pageContext(visit), visitor, merchant, role, notice: visit.query('notice') }
}

/** An entry of the audit log about what this person does at this merchant. */
export const auditLine = (
  visit: KnownVisit,
  line: Pick<AuditDraft, 'act'> & Partial<AuditDraft>,
): AuditDraft =>
  staffLine(visit, {
    subject: `merchant:${visit.merchantId}`,
    merchantId: visit.merchantId,
    ...line,
  })

/** For acts that are more than one transaction: the audit line is written before the act begins. */
export const writeAuditLine = (db: Db, line: AuditDraft): Promise<void> =>
  db.transaction((tx) => appendAudit(tx, line))

/** Reads a whole number within a range from a form; null for anything else. */
export function wholeOf(text: string, least: number, most: number): number | null {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : null
}

type Make = (consoleContext: ConsoleContext, visit: KnownVisit) => FinishedPage | Promise<FinishedPage>
type Done = string | FinishedPage | Reply
type Act<V extends KnownVisit = KnownVisit> = (visit: V) => Promise<Done>
type ConsolePath = Parameters<typeof consolePath.route>[0]

/** The guarded routes of one section: its pages, in the frame of their merchant, and its acts. */
export function sectionRoutes({ routes, db }: ConsoleTools, section: Section) {
  const page = async (visit: KnownVisit, make: Make) => make(await readConsoleContext(db, visit), visit)
  return {
    get: (path: ConsolePath, policy: KnownPolicy, make: Make) =>
      routes.get(consolePath.route(path), policy, async (visit) => show(visit, await page(visit, make))),
    live: (path: ConsolePath, policy: KnownPolicy, make: Make) =>
      routes.live(consolePath.route(path), policy, (visit) => page(visit, make)),
    post: (path: ConsolePath, policy: KnownPolicy, act: Act) =>
      routes.post(consolePath.route(path), policy, (visit) => perform(db, visit, section, act)),
    smallUpload: (
      path: ConsolePath,
      policy: KnownPolicy,
      bound: { mostBytes: number; tooLarge: Sentence },
      act: Act<SmallUploadVisit>,
    ) =>
      routes.smallUpload(consolePath.route(path), policy, bound, (visit) => perform(db, visit, section, act)),
  }
}

/** Performs an act, then redirects or shows its page; a refusal becomes a page of the console. */
async function perform<V extends KnownVisit>(
  db: Db,
  visit: V,
  section: Section,
  act: Act<V>,
): Promise<Reply> {
  try {
    const done: Done | undefined = await act(visit)
    if (typeof done === 'string') return visit.reply.redirect(done, 303)
    // Awaiting a Fastify reply yields undefined, after it was sent or canceled.
    return done && 'markup' in done ? await show(visit, done) : visit.reply
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const context = await readConsoleContext(db, visit)
    const { refused, refusedTitle: title } = wordsOf(context)
    const { code, details } = error
    const sentence = refused[code]
    if (sentence === undefined) throw error
    const detail = details.detail && translate(details.detail, context.language)
    const body = refusedBody(context, { code, sentence, detail, back: sectionPath(context, section) })
    return show(visit, merchantPage(context, { title, section, body }), refusals[code].status)
  }
}
