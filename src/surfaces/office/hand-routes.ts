/** Guarded routes of pages that are written by hand. A refused act becomes a page that says why, inside the frame. */

import type { Reply } from '../../platform/http.ts'
import { isRefusal, Refusal, refusals } from '../../platform/refusals.ts'
import { inLanguage, type Two } from '../../sections/section.ts'
import type { FileRules, KnownPolicy, KnownVisit, UploadVisit } from '../staff/guarded-routes.ts'
import { show } from '../staff/routes.ts'
import { translate } from '../staff/sentences/translate.ts'
import { html } from '../web/html.ts'
import type { FinishedPage } from '../web/page.ts'
import { callout } from '../web/pieces.ts'
import type { OfficeContext } from './context.ts'
import { framed, type OfficeTools, officeOf } from './routes.ts'

type Make = (office: OfficeContext, visit: KnownVisit) => Promise<FinishedPage>
/** An act ends with the address that comes next, or with what it has shown. */
type Act<V extends KnownVisit = KnownVisit> = (visit: V) => Promise<string | Reply>

export const handRoutes = (tools: OfficeTools) => {
  const { routes } = tools
  const page = async (visit: KnownVisit, make: Make) => make(await officeOf(tools, visit), visit)
  return {
    get: (path: string, policy: KnownPolicy, make: Make) =>
      routes.get(path, policy, async (visit) => show(visit, await page(visit, make))),
    live: (path: string, policy: KnownPolicy, make: Make) =>
      routes.live(path, policy, (visit) => page(visit, make)),
    post: (path: string, policy: KnownPolicy, act: Act) =>
      routes.post(path, policy, (visit) => perform(tools, visit, act)),
    upload: <File>(path: string, policy: KnownPolicy, rules: FileRules<File>, act: Act<UploadVisit<File>>) =>
      routes.upload(path, policy, rules, (visit) => perform(tools, visit, act)),
  }
}

async function perform<V extends KnownVisit>(tools: OfficeTools, visit: V, act: Act<V>): Promise<Reply> {
  try {
    const done: string | Reply | undefined = await act(visit)
    // Awaiting a reply takes until it was sent or canceled, and yields nothing.
    return typeof done === 'string' ? visit.reply.redirect(done, 303) : visit.reply
  } catch (error) {
    if (!(error instanceof Refusal) || framed.some((code) => isRefusal(error, code))) throw error
    const office = await officeOf(tools, visit)
    const say = (words: Two) => inLanguage(words, office.language)
    const { detail } = error.details
    const page = office.place.page({
      title: say(['This could not be done', 'Не получилось']),
      path: office.here.slice(office.place.pathOf('').length),
      body: html`<div role="alert">${callout('bad', detail ? translate(detail, office.language) : say(general))}</div>
<p><a class="button" href="${office.here}">${say(['Back', 'Назад'])}</a></p>`,
    })
    return show(visit, page, refusals[error.code].status)
  }
}

const general: Two = [
  'This is not possible with these values, or no longer in the current state.',
  'С такими значениями или в текущем состоянии это невозможно.',
]
