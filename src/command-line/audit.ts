/** `inlet audit …`: what people did, and whether the record of it is whole. */
import { listAudit } from '../audit/store.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import type { Command } from './inlet.ts'
import { integer, table } from './options.ts'

export const auditCommands: Record<string, Command> = {
  'audit verify': {
    usage: 'inlet audit verify',
    summary: 'walk the chain of the audit record and name the first entry that does not fit',
    options: {},
    async run({ db }) {
      const { entries, head, problem } = await verifyAudit(db)
      return {
        json: { entries, head, problem },
        text: problem ?? `${entries} entries, whole. Head ${head}: keep it elsewhere to compare with.`,
        failed: problem !== null,
      }
    },
  },
  'audit list': {
    usage: 'inlet audit list [--limit N]',
    summary: 'the last acts of people, newest first',
    options: { limit: { type: 'string' } },
    async run({ db }, values) {
      const limit = integer(values, 'limit', 1, 10_000) ?? 50
      const filter = { merchantId: null, personId: null, subject: null, before: null, limit }
      const entries = await listAudit(db, filter)
      return {
        json: {
          entries: entries.map(({ previous: _previous, digest, ...entry }) => ({
            ...entry,
            digest: digest.toString('hex'),
          })),
        },
        text: table(
          ['place', 'at', 'who', 'act', 'what', 'reason'],
          entries.map(({ place, at, actor, act, subject, reason }) => [
            place,
            at.toISOString(),
            actor,
            act,
            subject,
            reason,
          ]),
        ),
      }
    },
  },
}
