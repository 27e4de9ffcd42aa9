/** Where transfers come from: a bank that pushes, files, or the sandbox bank. */
import type { Mode } from '../merchants/merchant.ts'

export type Source = { id: string; name: string; mode: Mode; kind: 'push' | 'statement' | 'sandbox' }

/** `isBound`: the source may report only the accounts listed for it, else every account of its mode. */
type Binding = { isBound: boolean; networks: string[] }

export type BankSource = Source & Binding & { enabled: boolean; last_used_at: Date | null }

/** The refusal of a push for an account that its source may not report. */
export const otherAccountReported = 'This source may not report one of the accounts. Nothing was stored.'

/** With the number of accounts that are listed for it. */
export type ListedSource = BankSource & { accounts: number }

export type SourceAccount = { id: string; label: string; number: string | null; mode: Mode }
