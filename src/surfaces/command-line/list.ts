/** `inlet list …`: the block list and the watch list. */

import { addToList, removeListing } from '../../domain/rules/change-list.ts'
import { listKinds, lists } from '../../domain/rules/listing.ts'
import { listEntries } from '../../domain/rules/store.ts'
import type { Command } from './command.ts'
import { oneOf, optional, required, table, uuid } from './options.ts'
import { readAll } from './read-all.ts'

export const listCommands: Record<string, Command> = {
  'list add': {
    usage: `inlet list add --list ${lists.join('|')} --kind ${listKinds.join('|')} --value TEXT --reason TEXT --added-by NAME [--merchant ID]`,
    summary: 'block or watch a customer, a phone or a payer',
    example: "--list block --kind customer --value customer-17 --reason 'Three chargebacks' --added-by anna",
    async run({ db }, values) {
      const merchant = optional(values, 'merchant')
      const { id, value } = await addToList(db, {
        list: oneOf(values, 'list', lists),
        kind: oneOf(values, 'kind', listKinds),
        value: required(values, 'value'),
        reason: required(values, 'reason'),
        addedBy: required(values, 'added-by'),
        merchantId: merchant && uuid(merchant, '--merchant'),
      })
      return { json: { entry: id, value }, text: id }
    },
  },
  'list show': {
    usage: `inlet list show [--list ${lists.join('|')}] [--kind ${listKinds.join('|')}] [--ended]`,
    summary: 'who is on the lists, and why',
    example: '--list block',
    async run({ db }, values) {
      const filter = {
        list: values.list === undefined ? null : oneOf(values, 'list', lists),
        kind: values.kind === undefined ? null : oneOf(values, 'kind', listKinds),
        values: null,
        includesRemoved: values.ended === true,
      }
      const entries = await readAll(({ after, limit }) =>
        listEntries(db, { ...filter, before: after, limit }),
      )
      return {
        json: {
          entries: entries.map((row) => ({
            entry: row.id,
            list: row.list,
            kind: row.kind,
            merchant: row.merchantId,
            value: row.value,
            reason: row.reason,
            added_by: row.addedBy,
            added_at: row.addedAt,
            removed_at: row.removedAt,
            removed_by: row.removedBy,
            removed_reason: row.removedReason,
          })),
        },
        text: table(
          ['id', 'list', 'kind', 'value', 'merchant', 'since', 'by', 'reason', 'ended'],
          entries.map((row) => [
            row.id,
            row.list,
            row.kind,
            row.value,
            row.merchantId ?? 'all',
            row.addedAt.toISOString(),
            row.addedBy,
            row.reason,
            row.removedAt?.toISOString() ?? null,
          ]),
        ),
      }
    },
  },
  'list remove': {
    usage: 'inlet list remove ID --by NAME --reason TEXT',
    summary: 'remove an entry from a list; the history keeps it',
    example: "$ENTRY --by anna --reason 'A mistake'",
    words: 1,
    async run({ db }, values, [word]) {
      const id = uuid(word, 'The entry')
      await removeListing(db, { id, by: required(values, 'by'), reason: required(values, 'reason') })
      return { json: { entry: id }, text: `${id} ended` }
    },
  },
}
