import { rotateKey } from '../../../domain/merchants/rotate-key.ts'
import { setKeyV2Only } from '../../../domain/merchants/set-key-v2-only.ts'
import { bounds } from '../../../platform/bounds.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { consolePath } from '../paths.ts'
import { listKeys } from '../store.ts'
import {
  auditLine,
  type ConsoleTools,
  freshDeveloper,
  readConsoleContext,
  sectionRoutes,
  viewer,
  wholeOf,
} from '../visit.ts'
import { consoleWords } from '../words.ts'
import { keysPage, newSecretPage, rotatePage, schemePage } from './key-pages.ts'

const rotations = [
  { path: '/keys/new', section: 'keys', purpose: 'request', most: bounds.keyOverlapDaysMost },
  {
    path: '/callbacks/secret',
    section: 'callbacks',
    purpose: 'callback',
    most: bounds.callbackOverlapDaysMost,
  },
] as const

export function keyConsole(tools: ConsoleTools): void {
  const { get, post } = sectionRoutes(tools, 'keys')
  const { db, vault, keysChanged } = tools

  get('/keys', viewer, async (context, visit) =>
    keysPage(context, await listKeys(db, visit.merchantId, 'request')),
  )

  for (const { path, section, purpose, most } of rotations) {
    const { get, post } = sectionRoutes(tools, section)

    get(path, freshDeveloper, async (consoleContext, visit) =>
      rotatePage(consoleContext, purpose, await listKeys(db, visit.merchantId, purpose)),
    )

    post(path, freshDeveloper, async (visit) => {
      const { merchantId } = visit
      const days = wholeOf(visit.field('days'), 0, most)
      if (days === null)
        throw new Refusal('invalid_value', { detail: consoleWords[visit.language].keys.overlapHint(most) })
      const v2Only = purpose === 'request' && visit.field('v2') === 'on'
      const line = ({ id }: { id: string }) =>
        auditLine(visit, { act: `${purpose}_key_rotate`, after: { key: id, overlapDays: days, v2Only } })
      const asked = { merchantId, purpose, overlapDays: days, v2Only }
      const key = await rotateKey(db, vault, asked, { audit: line })
      await keysChanged(merchantId)
      return newSecretPage(await readConsoleContext(db, visit), { key, purpose, days })
    })
  }

  get('/keys/:key', freshDeveloper, async (consoleContext, visit) =>
    schemePage(consoleContext, await wanted(visit)),
  )

  post('/keys/:key', freshDeveloper, async (visit) => {
    const { id: keyId, usedOnlyV2 } = await wanted(visit)
    const v2Only = visit.field('v2') === 'on'
    if (visit.field('offer') === 'yes' && !usedOnlyV2)
      throw new Refusal('state_conflict', { detail: consoleWords[visit.language].keys.offerOver })
    const line = ({ wasV2Only }: { wasV2Only: boolean }) =>
      auditLine(visit, {
        act: 'key_mark',
        subject: `key:${keyId}`,
        before: { v2Only: wasV2Only },
        after: { v2Only },
      })
    await setKeyV2Only(db, { merchantId: visit.merchantId, keyId, v2Only }, { audit: line })
    await keysChanged(visit.merchantId)
    return `${consolePath('/keys', visit.merchantId)}?notice=v2`
  })

  async function wanted({ request, merchantId }: KnownVisit) {
    const { key } = request.params as { key: string }
    const found = (await listKeys(db, merchantId, 'request')).find(
      (candidate) => candidate.id === key && candidate.isValid,
    )
    if (!found) throw new Refusal('not_found')
    return found
  }
}
