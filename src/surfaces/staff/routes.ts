/** HTTP routes for signing in, for joining, and for one's own account. */

import { countRecoveryCodes, listPasskeys } from '../../domain/people/factor-store.ts'
import type { LoginAttempts } from '../../domain/people/login-attempts.ts'
import {
  addPasskey,
  passkeyRegistrationOptions,
  passkeySignInOptions,
  type Site,
  signInWithPasskey,
} from '../../domain/people/passkey.ts'
import { passwordLeast, passwordMost } from '../../domain/people/password.ts'
import { consoleLanguages, hasSecondFactor, needsSecondFactor } from '../../domain/people/person.ts'
import { csrfOf, markCookie, sessionCookie } from '../../domain/people/session.ts'
import { listSessions } from '../../domain/people/session-store.ts'
import {
  changePassword,
  newTotp,
  openedTotp,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  setUpTotp,
} from '../../domain/people/set-up-factor.ts'
import {
  endOwnSessions,
  provePasswordAgain,
  proveSecondFactor,
  type SignedIn,
  signInWithPassword,
} from '../../domain/people/sign-in.ts'
import { setPreferences } from '../../domain/people/store.ts'
import { zones } from '../../domain/people/time.ts'
import { base32, totpAddress } from '../../domain/people/totp.ts'
import { parseJson } from '../../platform/body.ts'
import { cachedDatabaseTime, type Db } from '../../platform/db.ts'
import { bodyOf, type Reply, type Request } from '../../platform/http.ts'
import { Refusal, type RefusalCode } from '../../platform/refusals.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { Vault } from '../../platform/vault.ts'
import { qrMarkup } from '../web/qr.ts'
import { sendPage } from '../web/send-page.ts'
import { consoleScript, consoleStyles } from './assets.ts'
import { type GuardedRoutes, isForEvents, type KnownVisit, languageOf, type Visit } from './guarded-routes.ts'
import {
  accountPage,
  codesPage,
  type FormError,
  homePage,
  type PageContext,
  refusedPage,
  secondFactorPage,
  setUpPage,
  signInAgainPage,
  signInPage,
} from './pages.ts'
import { consoleHome, deskHome, staffPath } from './paths.ts'
import { translate } from './sentences/translate.ts'
import { peopleWords } from './words.ts'

const assets = { styles: consoleStyles, script: consoleScript.name }

export function peopleRoutes(
  routes: GuardedRoutes,
  { db, vault, attempts, publicUrl }: { db: Db; vault: Vault; attempts: LoginAttempts; publicUrl: string },
): void {
  const now = cachedDatabaseTime(db)
  const { hostname: host, origin } = new URL(publicUrl)
  const site: Site = { host, origin }
  const isSecure = publicUrl.startsWith('https:')
  const keep = (reply: Reply, signedIn: SignedIn) => keepSession(reply, signedIn, isSecure)
  routes.get(staffPath.route('/sign-in'), { for: 'anyone' }, async (visit) => {
    const to = ownPath(visit.query('to'))
    if (visit.visitor?.session.strength === 'full') return visit.reply.redirect(to, 303)
    return show(visit, signInPage(pageContext(visit), { to, email: '', formError: null }))
  })

  routes.post(staffPath.route('/sign-in'), { for: 'anyone' }, async (visit) => {
    const { field, client, reply } = visit
    const [email, password, to] = [field('email'), field('password'), ownPath(field('to'))]
    try {
      const signedIn = await signInWithPassword({ db, attempts }, { email, password, client })
      keep(reply, signedIn)
      if (signedIn.strength === 'full') return reply.redirect(to, 303)
      const next = hasSecondFactor(signedIn.person)
        ? staffPath('/sign-in/second')
        : staffPath('/sign-in/set-up')
      return reply.redirect(`${next}?to=${encodeURIComponent(to)}`, 303)
    } catch (error) {
      const { formError, status } = formErrorOf(error, visit.reply)
      return show(visit, signInPage(pageContext(visit), { to, email, formError }), status)
    }
  })

  routes.get(staffPath.route('/sign-in/second'), { for: 'password_only' }, async (visit) => {
    const { visitor, reply } = visit
    if (!hasSecondFactor(visitor.person)) return reply.redirect(staffPath('/sign-in/set-up'), 303)
    return askForProof(visit, secondFactorPage)
  })
  routes.post(staffPath.route('/sign-in/second'), { for: 'password_only' }, (visit) =>
    prove(visit, secondFactorPage, byCode),
  )

  routes.get(staffPath.route('/sign-in/again'), { for: 'person' }, (visit) =>
    askForProof(visit, signInAgainPage),
  )
  // The password is asked for only if the person has no second factor.
  routes.post(staffPath.route('/sign-in/again'), { for: 'person' }, (visit) =>
    prove(visit, signInAgainPage, hasSecondFactor(visit.visitor.person) ? byCode : byPassword),
  )

  routes.post(staffPath.route('/sign-in/passkey/ask'), { for: 'anyone' }, async () =>
    passkeySignInOptions({ vault, now }, site),
  )

  routes.post(
    staffPath.route('/sign-in/passkey'),
    { for: 'anyone' },
    async ({ request, reply, visitor, client }) => {
      const replaces = visitor && { personId: visitor.person.id, session: visitor.session }
      keep(
        reply,
        await signInWithPasskey({ db, vault }, { site, response: jsonOf(request), client, replaces }),
      )
      return reply.send({})
    },
  )

  routes.get(staffPath.route('/sign-in/set-up'), { for: 'set_up' }, async (visit) => showSetUp(visit, null))

  routes.post(staffPath.route('/sign-in/set-up'), { for: 'set_up' }, async (visit) => {
    const { visitor, field, client, reply } = visit
    try {
      const asked = { person: visitor.person, session: visitor.session, client }
      const done = await setUpTotp({ db, vault }, { ...asked, sealed: field('sealed'), code: field('code') })
      keep(reply, done)
      return await show(visit, codesPage(pageContext(visit), done.codes))
    } catch (error) {
      const { formError, status } = formErrorOf(error, visit.reply)
      return showSetUp(visit, formError, status)
    }
  })

  routes.post(staffPath.route('/sign-in/set-up/passkey/ask'), { for: 'set_up' }, async (visit) => {
    return passkeyRegistrationOptions({ db, vault }, visit.visitor.person, site)
  })

  routes.post(staffPath.route('/sign-in/set-up/passkey'), { for: 'set_up' }, async (visit) => {
    const { visitor, request, reply, client } = visit
    const { name, ...response } = jsonOf(request)
    const asked = { person: visitor.person, session: visitor.session, site, response, client }
    const signedIn = await addPasskey(
      { db, vault },
      {
        ...asked,
        name:
          String(name ?? '')
            .replace(/\p{Cc}/gu, '')
            .trim()
            .slice(0, 100) || 'Passkey',
      },
    )
    keep(reply, signedIn)
    // A person without recovery codes gets some: the script requests them with the token of the new session.
    const codesLeft = await countRecoveryCodes(db, visitor.person.id)
    return reply.send(codesLeft > 0 ? {} : { codes: { csrf: csrfOf(signedIn.secret) } })
  })

  routes.post(staffPath.route('/sign-out'), { for: 'password_only' }, async (visit) => {
    await endOwnSessions(db, { ...askedBy(visit), which: { id: visit.visitor.session.id } })
    const to = visit.field('to')
    const next =
      to === '' ? staffPath('/sign-in') : `${staffPath('/sign-in')}?to=${encodeURIComponent(ownPath(to))}`
    return visit.reply.header('set-cookie', sessionCookie(null, isSecure)).redirect(next, 303)
  })

  routes.get(staffPath.route('/home'), { for: 'person' }, async (visit) => {
    const { person, memberships } = visit.visitor
    const [only] = memberships
    if (person.operatorRole && memberships.length === 0) return visit.reply.redirect(staffPath(deskHome), 303)
    if (!person.operatorRole && only && memberships.length === 1)
      return visit.reply.redirect(staffPath(consoleHome, only.merchantId), 303)
    return show(visit, homePage(pageContext(visit), visit.visitor))
  })

  routes.get(staffPath.route('/console'), { for: 'person' }, async ({ reply }) =>
    reply.redirect(staffPath('/home'), 303),
  )

  routes.get(staffPath.route('/account'), { for: 'person' }, async (visit) => showAccount(visit, null))

  routes.post(
    staffPath.route('/account/preferences'),
    { for: 'person' },
    async ({ visitor, field, reply }) => {
      const language = consoleLanguages.find((consoleLanguage) => consoleLanguage === field('language'))
      const timeZone = zones.find((zone) => zone === field('zone'))
      if (!language || !timeZone) throw new Refusal('invalid_value')
      await setPreferences(db, visitor.person.id, { language, timeZone })
      return reply.redirect(`${staffPath('/account')}?notice=saved`, 303)
    },
  )

  routes.post(staffPath.route('/account/password'), { for: 'person', isFresh: true }, async (visit) => {
    try {
      const { memberships } = visit.visitor
      await changePassword(db, { ...askedBy(visit), memberships, host, password: visit.field('password') })
      return visit.reply.redirect(`${staffPath('/account')}?notice=password`, 303)
    } catch (error) {
      const { formError, status } = formErrorOf(error, visit.reply)
      return showAccount(visit, formError, status)
    }
  })

  routes.post(staffPath.route('/account/codes'), { for: 'person', isFresh: true }, async (visit) => {
    if (!hasSecondFactor(visit.visitor.person)) throw new Refusal('not_found')
    const codes = await renewRecoveryCodes({ db, vault }, askedBy(visit))
    return show(visit, codesPage(pageContext(visit), codes))
  })

  routes.post(staffPath.route('/account/totp/remove'), { for: 'person', isFresh: true }, (visit) =>
    removed(visit, removeTotp(db, askedBy(visit))),
  )

  routes.post(staffPath.route('/account/passkeys/remove'), { for: 'person', isFresh: true }, (visit) =>
    removed(visit, removePasskey(db, askedBy(visit), visit.field('id'))),
  )

  /**
   * Ends one session, or all except this one. It needs a fresh factor, so that a stolen session cannot sign its owner
   * out.
   */
  routes.post(staffPath.route('/account/sessions/end'), { for: 'person', isFresh: true }, async (visit) => {
    const id = visit.field('id')
    if (id !== '' && !isUuid(id)) throw new Refusal('not_found')
    await endOwnSessions(db, {
      ...askedBy(visit),
      which: id === '' ? { except: visit.visitor.session.id } : { id },
    })
    return visit.reply.redirect(`${staffPath('/account')}?notice=saved`, 303)
  })

  type Prove = (visit: KnownVisit) => Promise<SignedIn>

  function byCode(visit: KnownVisit): Promise<SignedIn> {
    const { field, client } = visit
    return proveSecondFactor({ db, vault, attempts }, { ...idsOf(visit), code: field('code'), client })
  }

  function byPassword(visit: KnownVisit): Promise<SignedIn> {
    const { field, client } = visit
    return provePasswordAgain({ db, attempts }, { ...idsOf(visit), password: field('password'), client })
  }

  async function prove(visit: KnownVisit, page: typeof secondFactorPage, by: Prove): Promise<Reply> {
    try {
      keep(visit.reply, await by(visit))
      return visit.reply.redirect(ownPath(visit.field('to')), 303)
    } catch (error) {
      const { formError, status } = formErrorOf(error, visit.reply)
      return askForProof(visit, page, formError, status)
    }
  }

  async function askForProof(
    visit: KnownVisit,
    page: typeof secondFactorPage,
    formError: FormError = null,
    status = 200,
  ): Promise<Reply> {
    const { visitor } = visit
    const { person } = visitor
    // An authenticator app, or recovery codes.
    const hasCodes =
      person.hasTotp || (hasSecondFactor(person) && (await countRecoveryCodes(db, person.id)) > 0)
    const to = ownPath(visit.field('to') || visit.query('to'))
    return show(visit, page(pageContext(visit), { visitor, hasCodes, to, formError }), status)
  }

  async function removed(visit: KnownVisit, removal: Promise<void>) {
    try {
      await removal
      return visit.reply.redirect(`${staffPath('/account')}?notice=saved`, 303)
    } catch (error) {
      const { formError, status } = formErrorOf(error, visit.reply)
      return showAccount(visit, formError, status)
    }
  }

  async function showSetUp(visit: KnownVisit, formError: FormError, status = 200) {
    const { visitor } = visit
    const { person, memberships } = visitor
    const sent = formError && visit.field('sealed')
    const made = sent
      ? { secret: openedTotp(vault, person.id, sent), sealed: sent }
      : await newTotp({ db, vault }, person.id)
    const words = peopleWords[visit.language]
    const qr = qrMarkup(Buffer.from(totpAddress(made.secret, person.email, host)), words.totp)
    const isNeeded = needsSecondFactor(person, memberships) && !hasSecondFactor(person)
    const { sealed, secret } = made
    const view = { visitor, isNeeded, qr, secret: base32(secret), sealed, formError }
    return show(visit, setUpPage(pageContext(visit), view), status)
  }

  async function showAccount(visit: KnownVisit, formError: FormError, status = 200) {
    const { id } = visit.visitor.person
    const [passkeys, sessions, codesLeft] = await Promise.all([
      listPasskeys(db, id),
      listSessions(db, id),
      countRecoveryCodes(db, id),
    ])
    const name = visit.query('notice')
    const notice = name === 'saved' || name === 'password' ? name : null
    const view = { visitor: visit.visitor, passkeys, sessions, codesLeft, zones, notice, formError } as const
    return show(visit, accountPage(pageContext(visit), view), status)
  }
}

/** Sets the session cookie, and, for a full session, the cookie that marks this browser as known. */
export const keepSession = (reply: Reply, { secret, strength }: SignedIn, isSecure: boolean): Reply =>
  reply.header('set-cookie', [
    sessionCookie(secret, isSecure),
    ...(strength === 'full' ? [markCookie(secret, isSecure)] : []),
  ])

export const pageContext = ({ language }: Pick<Visit, 'language'>): PageContext => ({
  language,
  assets,
})

/** The address of a form is the address of its page plus a verb. */
const pageOf = ({ method, url }: Request): string => (method === 'GET' ? url : url.replace(/\/[^/]*$/, ''))

export const show = (
  { request, reply }: Pick<Visit, 'request' | 'reply'>,
  page: Parameters<typeof sendPage>[2],
  status = 200,
): Promise<Reply> => sendPage(request, reply, page, status)

const idsOf = ({ visitor }: KnownVisit) => ({ personId: visitor.person.id, sessionId: visitor.session.id })

const askedBy = ({ visitor, client }: KnownVisit) => ({
  person: visitor.person,
  session: visitor.session,
  client,
})

/** Accepts only a path of ours, so that nobody can redirect to another site, here or by the script of a page. */
const ownPath = (to: string): string =>
  /^\/(?:console|operator|account|home|join)(?:[/?][\w\-./?=&%+:]*)?$/.test(to) && !to.includes('..')
    ? to
    : staffPath('/home')

function jsonOf(request: Request): Record<string, unknown> {
  const value = parseJson(bodyOf(request))
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Refusal('malformed_body')
}

/** Turns refusals that the form can show into a message; other errors are thrown again. */
export function formErrorOf(error: unknown, reply: Reply): { formError: FormError; status: number } {
  if (!(error instanceof Refusal)) throw error
  if (error.code === 'sign_in_failed') return { formError: { kind: 'failed' }, status: 401 }
  if (error.code === 'rate_limited') {
    const { detail: why = '', retryAfterSeconds: seconds = 1 } = error.details
    reply.header('retry-after', String(seconds))
    return { formError: { kind: 'wait', why, seconds }, status: 429 }
  }
  if (error.code === 'invalid_value')
    return { formError: { kind: 'password', least: passwordLeast, most: passwordMost }, status: 422 }
  if (error.code === 'password_easy_to_guess') return { formError: { kind: 'easyToGuess' }, status: 422 }
  if (error.code === 'forbidden' && error.details.detail)
    return { formError: { kind: 'lastFactor' }, status: 403 }
  throw error
}

/** Shows refusals as pages; people who are not signed in are led to the sign-in page and back. */
export async function refusedAsPage(refusal: Refusal, request: Request, reply: Reply): Promise<Reply> {
  // A request of a live page's script: it has to stop, and its person is shown no error.
  if (isForEvents(request) && reply.statusCode < 500) return reply.code(204).send()
  const isJson = request.headers['content-type'] === 'application/json'
  const to = encodeURIComponent(ownPath(pageOf(request)))
  if (!isJson && refusal.code === 'login_required')
    return reply.redirect(`${staffPath('/sign-in')}?to=${to}`, 303)
  if (!isJson && refusal.code === 'second_factor_required')
    return reply.redirect(`${staffPath('/sign-in/second')}?to=${to}`, 303)
  if (!isJson && refusal.code === 'step_up_required')
    return reply.redirect(`${staffPath('/sign-in/again')}?to=${to}`, 303)
  const language = languageOf(request)
  const words = peopleWords[language]
  const known: Partial<Record<RefusalCode, string>> = {
    forbidden: words.forbidden,
    not_found: words.notFound,
    cross_site_request: words.crossSite,
    rate_limited: words.tooMany,
    overloaded: words.busy,
  }
  const other =
    reply.statusCode >= 500 ? words.fault : translate(refusal.details.detail ?? words.notFound, language)
  const text = known[refusal.code] ?? other
  return sendPage(request, reply, refusedPage({ language, assets }, refusal.code, text), reply.statusCode)
}
