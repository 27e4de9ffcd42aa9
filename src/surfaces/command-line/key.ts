/** `inlet key …` */

import { reseal } from '../../domain/keys/reseal.ts'
import { type ApiKey, type KeyPurpose, keyPurposes } from '../../domain/merchants/api-key.ts'
import { rotateKey } from '../../domain/merchants/rotate-key.ts'
import { setKeyV2Only } from '../../domain/merchants/set-key-v2-only.ts'
import { liveKeys } from '../../domain/merchants/store.ts'
import { updateDemoKeys } from '../../domain/sandbox/update-demo-keys.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { reasonOf } from '../../platform/operator-problem.ts'
import type { Command, Terminal, Values } from './command.ts'
import { integer, merchantOf, oneOf, table, UsageProblem } from './options.ts'
import { printResealProgress } from './progress.ts'

const purposeOf = (values: Values): KeyPurpose =>
  values.purpose ? oneOf(values, 'purpose', keyPurposes) : 'request'

/** The key is already changed and its new secret not yet printed, so a problem here must not end the command. */
const updateDemoFile = (
  dataDir: string,
  parts: Pick<Foundation, 'db' | 'vault'>,
  stderr: Terminal['stderr'],
): Promise<unknown> =>
  updateDemoKeys(dataDir, parts).catch((error) =>
    stderr.write(`demo.json cannot be written (${reasonOf(error)}): it still has the old key.\n`),
  )

export const keyCommands: Record<string, Command> = {
  'key rotate': {
    usage: `inlet key rotate --merchant ID [--purpose request|callback] [--overlap-days 0..${bounds.keyOverlapDaysMost}] [--v2-only]`,
    summary: 'create a new key; the old ones expire after the overlap',
    example: '--merchant $MERCHANT --overlap-days 7',
    words: 1,
    async run({ db, vault }, values, [id], { dataDir }, { stderr }) {
      const purpose = purposeOf(values)
      const most = purpose === 'request' ? bounds.keyOverlapDaysMost : bounds.callbackOverlapDaysMost
      const defaultDays = purpose === 'request' ? bounds.keyOverlapDays : bounds.callbackOverlapDays
      const overlapDays = integer(values, 'overlap-days', 0, most) ?? defaultDays
      const merchantId = merchantOf(values, id)
      const line = ({ id: key, v2Only }: Pick<ApiKey, 'id' | 'v2Only'>) => ({
        ...{
          personId: null,
          actor: 'command line',
          act: `${purpose}_key_rotate`,
          subject: `merchant:${merchantId}`,
        },
        ...{ merchantId, reason: '', before: null, after: { key, overlapDays, v2Only }, requestId: null },
      })
      const isV2Only = values['v2-only'] === true
      const request = { merchantId, purpose, overlapDays, ...(isV2Only && { v2Only: true }) }
      const key = await rotateKey(db, vault, request, { audit: line })
      await updateDemoFile(dataDir, { db, vault }, stderr)
      const json = {
        merchant: merchantId,
        purpose,
        key_id: key.id,
        secret: key.secret,
        overlap_days: overlapDays,
      }
      return {
        json,
        text: `key_id ${key.id}\nsecret ${key.secret}\n\nThe secret is shown only once. ${overlapDays === 0 ? 'The old keys have expired.' : `The old keys expire in ${overlapDays} ${overlapDays === 1 ? 'day' : 'days'}.`}`,
      }
    },
  },
  'key set': {
    usage: 'inlet key set KEY_ID --merchant ID --v2-only on|off',
    summary: 'let a signing key accept v2 signatures only, or literal ones too',
    example: '$KEY --merchant $MERCHANT --v2-only on',
    words: 2,
    async run({ db, vault }, values, words, { dataDir }, { stderr }) {
      // Older scripts give the merchant as the first of two words.
      const merchantId = merchantOf(values, words.at(-2))
      const keyId = words.at(-1)
      if (!keyId) throw new UsageProblem('Name the key by its id, such as inlet key list prints.')
      const v2Only = oneOf(values, 'v2-only', ['on', 'off']) === 'on'
      const line = ({ wasV2Only }: { wasV2Only: boolean }) => ({
        ...{ personId: null, actor: 'command line', act: 'key_mark', subject: `key:${keyId}` },
        ...{ merchantId, reason: '', before: { v2Only: wasV2Only }, after: { v2Only }, requestId: null },
      })
      await setKeyV2Only(db, { merchantId, keyId, v2Only }, { audit: line })
      await updateDemoFile(dataDir, { db, vault }, stderr)
      return { json: { key_id: keyId, v2_only: v2Only }, text: keyId }
    },
  },
  'key reseal': {
    usage:
      'inlet key reseal [--leave-damaged]   (leave-damaged: finish although some values open with neither key)',
    summary: 'after a change of the master key: re-encrypt everything with the new one',
    async run({ asOwner, vault }, values, _words, _config, { stderr }) {
      const leaveDamaged = values['leave-damaged'] === true
      const options = { leaveDamaged, onProgress: printResealProgress(stderr) }
      const { keyId, resealed, proved, damaged, late, isFinished } = await asOwner((owner) =>
        reseal(owner, vault, options),
      )
      const listed = (rows: readonly { table: string; id: string }[]) =>
        rows.map(({ table, id }) => `  ${table} ${id}`)
      const isSafe = isFinished && vault.old !== null
      return {
        json: { key: keyId, resealed, proved, damaged, late, finished: isFinished },
        text: [
          `${resealed} values re-encrypted; ${proved} open with the key ${keyId} alone.`,
          ...(damaged.length > 0
            ? ['', `${damaged.length} values open with no key and were left as they are:`, ...listed(damaged)]
            : []),
          ...(late.length > 0
            ? [
                '',
                'A process without the new key has encrypted these meanwhile; start it with both keys, and run this again:',
                ...listed(late),
              ]
            : []),
          ...(isSafe
            ? [`The old key (${vault.old!.id}) opens nothing now: remove INLET_OLD_MASTER_KEY.`]
            : []),
          ...(isFinished || late.length > 0
            ? []
            : [
                '',
                'Keep the old key. Renew what these rows hold or restore them, and run this again, or give them up with --leave-damaged.',
              ]),
        ].join('\n'),
        failed: !isFinished,
      }
    },
  },
  'key list': {
    usage: 'inlet key list --merchant ID [--purpose request|callback]',
    summary: "a merchant's active keys, without their secrets",
    example: '--merchant $MERCHANT',
    words: 1,
    async run({ db, vault }, values, [id]) {
      const keys = await liveKeys(db, vault, merchantOf(values, id), purposeOf(values))
      const rows = keys.map((key) => ({
        key_id: key.id,
        purpose: key.purpose,
        v2_only: key.v2Only,
        created_at: key.createdAt,
        not_after: key.notAfter,
        last_used_at: key.lastUsedAt,
        literal_used_at: key.literalUsedAt,
        v2_used_at: key.v2UsedAt,
      }))
      return {
        json: { keys: rows },
        text: table(
          ['key id', 'v2 only', 'ends', 'literal rule last used', 'v2 last used'],
          keys.map((key) => [
            key.id,
            key.v2Only ? 'yes' : 'no',
            key.notAfter?.toISOString() ?? null,
            key.literalUsedAt?.toISOString() ?? null,
            key.v2UsedAt?.toISOString() ?? null,
          ]),
        ),
      }
    },
  },
}
