/** Saves, changes or removes a named CSV mapping. Imported statements are not affected. */
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import { message } from '../messages/message.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'
import { deleteMapping, findMapping, saveMapping } from './store.ts'

export type KeptMapping = { before: CsvMapping | null; after: CsvMapping | null }

/** `isNew`: refuse to replace a mapping of this name. */
export const keepMapping = (
  db: Db,
  { name, mapping, isNew }: { name: string; mapping: CsvMapping; isNew: boolean },
  hooks?: Hooks<KeptMapping>,
): Promise<KeptMapping> =>
  perform(db, hooks, async (tx) => {
    const before = (await findMapping(tx, name)) ?? null
    if (!(await saveMapping(tx, name, mapping, { onlyIfNone: isNew })))
      throw new Refusal('already_exists', { detail: message('mapping_name_taken') })
    return { before, after: mapping }
  })

export const removeMapping = (db: Db, name: string): Promise<CsvMapping> =>
  db.transaction(async (tx) => {
    const before = await deleteMapping(tx, name)
    if (!before) throw new Refusal('not_found', { detail: message('no_mapping_with_name') })
    return before.mapping
  })
