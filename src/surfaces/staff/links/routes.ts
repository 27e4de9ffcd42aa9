/** HTTP routes of one-time links. */

import { findMerchant } from '../../../domain/merchants/store.ts'
import type { Visitor } from '../../../domain/people/access.ts'
import { acceptLink, acceptSignedIn, enterDemo } from '../../../domain/people/links/accept-link.ts'
import { wayToAccept } from '../../../domain/people/links/link.ts'
import { findLink } from '../../../domain/people/links/store.ts'
import { hasJoined } from '../../../domain/people/person.ts'
import { digestOfSecret, isSecret } from '../../../domain/people/session.ts'
import { findPerson } from '../../../domain/people/store.ts'
import type { Db } from '../../../platform/db.ts'
import { isRefusal } from '../../../platform/refusals.ts'
import type { GuardedRoutes, Visit } from '../guarded-routes.ts'
import type { FormError } from '../pages.ts'
import { consoleHome, deskHome, staffPath } from '../paths.ts'
import { formErrorOf, keepSession, pageContext, show } from '../routes.ts'
import { translate } from '../sentences/translate.ts'
import { acceptPage, demoPage, linkGonePage, passwordPage } from './link-pages.ts'

type JoinVisit = Visit & { visitor: Visitor | null }

export function linkRoutes(
  routes: GuardedRoutes,
  { db, publicUrl, isDemo }: { db: Db; publicUrl: string; isDemo: boolean },
): void {
  const { hostname: host } = new URL(publicUrl)
  const isSecure = publicUrl.startsWith('https:')

  routes.get(staffPath.route('/join/:token'), { for: 'anyone' }, (visit) => showLink(visit, {}))

  routes.post(staffPath.route('/join/:token'), { for: 'anyone' }, async (visit) => {
    const { field, client, reply } = visit
    const found = await linkOf(visit)
    if (!found) return gone(visit)
    const { token, way } = found
    // People with an account have to sign in first; the page says so.
    if (way === 'session') return showLink(visit, { status: 401 })
    try {
      const signedIn =
        way === 'demo'
          ? await enterDemo(db, { token, client })
          : await acceptLink(db, { token, password: field('password'), client, host })
      const next = signedIn.strength === 'full' ? staffPath('/home') : staffPath('/sign-in/set-up')
      return keepSession(reply, signedIn, isSecure).redirect(next, 303)
    } catch (error) {
      if (isRefusal(error, 'link_used_up')) return gone(visit)
      if (isRefusal(error, 'login_required')) return showLink(visit, { status: 401 })
      const { formError, status } = formErrorOf(error, reply)
      return showLink(visit, { formError, status })
    }
  })

  routes.post(staffPath.route('/join/:token/accept'), { for: 'person', isFresh: true }, async (visit) => {
    const { visitor, client, reply, language } = visit
    const found = await linkOf(visit)
    if (!found) return gone(visit)
    const ids = { personId: visitor.person.id, sessionId: visitor.session.id }
    try {
      const half = await acceptSignedIn(db, { token: found.token, ...ids, client })
      if (half) return keepSession(reply, half, isSecure).redirect(staffPath('/sign-in/set-up'), 303)
      const { offered } = found.link
      const to =
        offered && 'merchantId' in offered ? staffPath(consoleHome, offered.merchantId) : staffPath(deskHome)
      return reply.redirect(to, 303)
    } catch (error) {
      if (isRefusal(error, 'link_used_up')) return gone(visit)
      if (isRefusal(error, 'forbidden')) return showLink(visit, { status: 403 })
      if (!isRefusal(error, 'state_conflict')) throw error
      return showLink(visit, { problem: translate(error.details.detail ?? '', language), status: 409 })
    }
  })

  async function linkOf({ request }: Visit) {
    const { token } = request.params as { token: string }
    if (!isSecret(token)) return undefined
    const link = await findLink(db, digestOfSecret(token))
    const person = link && (await findPerson(db, link.personId))
    if (!link || !person || person.disabledAt || (link.purpose === 'demo' && !isDemo)) return undefined
    return { token, link, person, way: wayToAccept(link, person) }
  }

  async function showLink(
    visit: JoinVisit,
    answer: { formError?: FormError; problem?: string; status?: number },
  ) {
    const { formError = null, problem = null, status = 200 } = answer
    const found = await linkOf(visit)
    if (!found) return gone(visit)
    const { token, link, person, way } = found
    const { purpose, offered } = link
    const merchant =
      offered && 'merchantId' in offered ? await findMerchant(db, offered.merchantId) : undefined
    const view = { token, email: person.email, purpose, offered, merchantName: merchant?.name ?? null }
    const context = pageContext(visit)
    if (way === 'demo') return show(visit, demoPage(context, view), status)
    if (way === 'password')
      return show(visit, passwordPage(context, { ...view, hadAccount: hasJoined(person), formError }), status)
    // A session without its second factor does not count as signed in; the page leads to the next step.
    const visitor = visit.visitor?.session.strength === 'full' ? visit.visitor : null
    const isOwn = visitor?.person.id === person.id
    return show(visit, acceptPage(context, { ...view, visitor, isOwn, problem }), status)
  }

  const gone = (visit: Visit) => show(visit, linkGonePage(pageContext(visit), { isDemo }), 410)
}
