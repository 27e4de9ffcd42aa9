/**
 * Every column that holds values sealed with the master key: the one list by which they are re-encrypted. What is digested
 * under it is not here: recovery codes and the seals of the audit log, see reseal.ts.
 */
import { derivedKeyLabel } from '../../platform/sealing-key.ts'
import { type KeyPurpose, sealLabel } from '../merchants/api-key.ts'
import { totpLabel } from '../people/person.ts'

export type SealedColumn = {
  table: string
  column: string
  /** The primary key. */
  id: { column: string; type: 'text' | 'uuid' | 'integer' }
  /** The columns that the label needs besides the id. */
  labelColumns: readonly string[]
  /** The label that the value was sealed with. */
  label(row: Record<string, string>): string
}

const generation = { column: 'generation', type: 'integer' } as const

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'api_keys',
    column: 'secret_sealed',
    id: { column: 'id', type: 'text' },
    labelColumns: ['merchant_id', 'purpose'],
    label: ({ id, merchant_id, purpose }) =>
      sealLabel({ id: id!, merchantId: merchant_id!, purpose: purpose as KeyPurpose }),
  },
  {
    table: 'people',
    column: 'totp_sealed',
    id: { column: 'id', type: 'uuid' },
    labelColumns: [],
    label: ({ id }) => totpLabel(id!),
  },
  {
    table: 'key_generations',
    column: 'recovery_key_sealed',
    id: generation,
    labelColumns: [],
    label: ({ id }) => derivedKeyLabel('recovery code', Number(id)),
  },
  {
    table: 'key_generations',
    column: 'head_key_sealed',
    id: generation,
    labelColumns: [],
    label: ({ id }) => derivedKeyLabel('inlet audit head', Number(id)),
  },
]
