/** The rows of bank sources and of the accounts that a source may report. */

import type { Mode } from '../../../domain/merchants/merchant.ts'

export type SourceRow = {
  id: string
  name: string
  mode: Mode
  kind: 'push' | 'statement' | 'sandbox'
  enabled: boolean
  last_used_at: Date | null
  isBound: boolean
  accounts: number
  networks: string[]
}

export type SourceAccountRow = { id: string; label: string; number: string | null }
