/** HTTP routes of the branding: the payment page's colour and logo. A change is recorded like every other of the settings. */

import { buffer } from 'node:stream/consumers'
import { ifChanged } from '../../../domain/audit/perform.ts'
import { readAccent } from '../../../domain/merchants/brand.ts'
import { readBrand } from '../../../domain/merchants/brand-store.ts'
import { changeBrand } from '../../../domain/merchants/change-brand.ts'
import { type Logo, logoFrom } from '../../../domain/merchants/logo.ts'
import { message } from '../../../domain/messages/message.ts'
import { bounds } from '../../../platform/bounds.ts'
import type { WorkOwner } from '../../../platform/heavy-work.ts'
import { rateLimited } from '../../../platform/rate-limit.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { freshOwner } from '../../../sections/roles.ts'
import { inLanguage } from '../../../sections/section.ts'
import { handRoutes } from '../../office/hand-routes.ts'
import { type OfficeTools, officeOf } from '../../office/routes.ts'
import type { FileRules, KnownVisit } from '../../staff/guarded-routes.ts'
import { show } from '../../staff/routes.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { brandingScript } from '../assets.ts'
import { auditLine, type ConsoleTools, merchantOf } from '../console.ts'
import { consolePath } from '../paths.ts'
import { brandingPage } from './branding-pages.ts'
import { brandingWords } from './words.ts'

const logoFile: FileRules<Buffer> = {
  mostBytes: bounds.logoReadBytes,
  // A client that was refused for being slow may keep the connection open.
  mostMs: bounds.requestTimeoutMs,
  tooLarge: message('logo_file_too_large', { most: bounds.logoBytes / 1024 }),
  places: bounds.logosAtOnce,
  store: buffer,
}

export function brandingRoutes({ db, limits }: ConsoleTools, tools: OfficeTools): void {
  const { get, post, upload } = handRoutes(tools)
  const script = brandingScript.name
  const viewOf = async (visit: KnownVisit) => {
    const [merchant, brand] = await Promise.all([merchantOf(db, visit), readBrand(db, visit.merchantId)])
    return { merchant, brand, script }
  }

  get(consolePath.route('/settings/branding'), freshOwner, async (office, visit) => {
    const done = brandingWords.notices[visit.query('done') as keyof typeof brandingWords.notices]
    return brandingPage(office, {
      ...(await viewOf(visit)),
      notice: done ? inLanguage(done, visit.language) : null,
    })
  })

  upload(consolePath.route('/settings/branding'), freshOwner, logoFile, async (visit) => {
    const { merchantId, file } = visit
    const written = visit.field('accent')
    const accent = readAccent(written)
    if (file.length > 0) {
      const verdict = limits.take(`logo:${merchantId}`, bounds.logoRate)
      if (!verdict.allowed) throw rateLimited('logo', verdict)
    }
    const owner = { name: visit.visitor.person.id, isKnown: true, group: merchantId }
    const read = await logoOrProblem(file, owner)
    const isNoColour = written !== '' && accent === null
    if (isNoColour || 'problem' in read) {
      const say = (sentence: Parameters<typeof translate>[0]) => translate(sentence, visit.language)
      const problems = {
        accent: isNoColour ? say(message('accent_is_no_colour')) : undefined,
        logo: 'problem' in read ? say(read.problem) : undefined,
      }
      const office = await officeOf(tools, visit)
      const view = { ...(await viewOf(visit)), accent: written, problems }
      return show(visit, brandingPage(office, view), 422)
    }
    await changeBrand(db, { merchantId, accent, ...read }, { audit: lineOf(visit) })
    return `${consolePath('/settings/branding', merchantId)}?done=saved`
  })

  post(consolePath.route('/settings/branding/remove-logo'), freshOwner, async (visit) => {
    await changeBrand(db, { merchantId: visit.merchantId, logo: null }, { audit: lineOf(visit) })
    return `${consolePath('/settings/branding', visit.merchantId)}?done=removed`
  })
}

type Read = { logo?: Logo } | { problem: NonNullable<Refusal['details']['detail']> }

/** The logo does not change if no file was chosen. */
async function logoOrProblem(file: Buffer, owner: WorkOwner): Promise<Read> {
  if (file.length === 0) return {}
  try {
    return { logo: await logoFrom(file, owner) }
  } catch (error) {
    if (error instanceof Refusal && error.details.detail) return { problem: error.details.detail }
    throw error
  }
}

type Changed = Awaited<ReturnType<typeof changeBrand>>

const lineOf =
  (visit: KnownVisit) =>
  ({ before, after }: Changed) =>
    ifChanged(auditLine(visit, { act: 'merchant_branding', before: seen(before), after: seen(after) }))

/** The audit log identifies a logo by its digest. */
const seen = ({ accent, logo }: Changed['after']) => ({ accent, logo: logo?.digest ?? null })
