/** `inlet audit verify`: whether the log is intact, against what was logged elsewhere too. */

import { keyedHead, type LoggedHead, verifyAudit } from '../../domain/audit/verify-audit.ts'
import type { Command } from './command.ts'
import { optional, UsageProblem } from './options.ts'

export const auditCommands: Record<string, Command> = {
  'audit verify': {
    usage: 'inlet audit verify [--head PLACE:MAC]   (--head: as a line "audit head" of the log has it)',
    summary: 'check the audit log and its seals, and name the first entry that does not match',
    async run({ db, vault }, values) {
      const { entries, head, problem, gaps } = await verifyAudit(
        db,
        vault,
        headFrom(optional(values, 'head')),
      )
      const keyed = await keyedHead(db, vault, { place: entries, digest: Buffer.from(head, 'hex') })
      return {
        json: { entries, head, keyed_head: keyed, problem, gaps },
        text: [
          problem ?? `${entries} entries, whole. Head ${keyed}: keep it elsewhere to compare with (--head).`,
          ...gaps,
        ].join('\n'),
        failed: problem !== null,
      }
    },
  },
}

function headFrom(text: string | null): LoggedHead | null {
  if (text === null) return null
  const [, place, mac] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(text) ?? []
  if (!place || !mac) throw new UsageProblem('--head is a place and 64 hexadecimal digits, such as 120:9f….')
  return { place: BigInt(place), mac: Buffer.from(mac, 'hex') }
}
