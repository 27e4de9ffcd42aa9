import type { KeyPurpose } from '../../../domain/merchants/api-key.ts'
import { markKey } from '../../../domain/merchants/mark-key.ts'
import { rotateKey } from '../../../domain/merchants/rotate-key.ts'
import { bounds } from '../../../platform/bounds.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { show } from '../../staff/routes.ts'
import { consolePath } from '../paths.ts'
import { listKeys } from '../store.ts'
import {
  auditLine,
  type ConsoleTools,
  freshDeveloper,
  perform,
  showing,
  standingOf,
  viewer,
  wholeOf,
} from '../visit.ts'
import { consoleWords } from '../words.ts'
import { keysPage, newSecretPage, rotatePage, schemePage } from './key-pages.ts'

const rotations: { path: string; purpose: KeyPurpose; most: number }[] = [
  { path: consolePath.route('/keys/new'), purpose: 'request', most: bounds.keyOverlapDaysMost },
  { path: consolePath.route('/callbacks/secret'), purpose: 'callback', most: bounds.callbackOverlapDaysMost },
]

export function keyConsole({ routes, db, vault, keysChanged }: ConsoleTools): void {
  routes.get(consolePath.route('/keys'), viewer, (visit) =>
    showing(db, visit, async (of) => keysPage(of, await listKeys(db, visit.merchantId, 'request'))),
  )

  for (const { path, purpose, most } of rotations) {
    routes.get(path, freshDeveloper, (visit) =>
      showing(db, visit, async (of) =>
        rotatePage(of, purpose, await listKeys(db, visit.merchantId, purpose)),
      ),
    )

    routes.post(path, freshDeveloper, (visit) =>
      perform(db, visit, purpose === 'request' ? 'keys' : 'callbacks', async () => {
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
        return show(visit, newSecretPage(await standingOf(db, visit), { key, purpose, days }))
      }),
    )
  }

  routes.get(consolePath.route('/keys/:key'), freshDeveloper, (visit) =>
    showing(db, visit, async (of) => schemePage(of, await wanted(visit))),
  )

  routes.post(consolePath.route('/keys/:key'), freshDeveloper, (visit) =>
    perform(db, visit, 'keys', async () => {
      const { id: keyId, v2Only: before, isV2Alone } = await wanted(visit)
      const v2Only = visit.field('v2') === 'on'
      if (visit.field('offer') === 'yes' && !isV2Alone)
        throw new Refusal('state_conflict', { detail: consoleWords[visit.language].keys.offerOver })
      const line = auditLine(visit, {
        act: 'key_mark',
        subject: `key:${keyId}`,
        before: { v2Only: before },
        after: { v2Only },
      })
      await markKey(db, { merchantId: visit.merchantId, keyId, v2Only }, { audit: line })
      await keysChanged(visit.merchantId)
      return `${consolePath('/keys', visit.merchantId)}?notice=v2`
    }),
  )

  async function wanted({ request, merchantId }: KnownVisit) {
    const { key } = request.params as { key: string }
    const found = (await listKeys(db, merchantId, 'request')).find((one) => one.id === key && one.isLive)
    if (!found) throw new Refusal('not_found')
    return found
  }
}
