/** Where transfers come from: a bank that pushes, a kind of file, the sandbox bank, or a person. */
import type { Mode } from '../merchants/merchant.ts'
import type { Channel } from './channel.ts'

export type Source = {
  id: string
  /** Of a push what the operator calls it; of tables the name of their mapping; else the channel. */
  name: string
  mode: Mode
  kind: 'push' | 'file' | 'sandbox' | 'hand'
  channel: Channel
}

type SourceAccount = { id: string; label: string; number: string | null }

/** With what it may do. `isBound`: it may report only the accounts listed for it, else every account of its mode. */
export type BankSource = Source & {
  isBound: boolean
  accounts: SourceAccount[]
  networks: string[]
  enabled: boolean
  last_used_at: Date | null
}

/** What an account can listen to. `text`: as a person names it. */
export type SourceChoice = {
  text: string
  source: Pick<Source, 'kind' | 'name' | 'channel'>
  isUsed: boolean
}

/** As a person reads it. */
export const sourceWords = ({ kind, name, channel }: Pick<Source, 'kind' | 'name' | 'channel'>): string =>
  kind !== 'file' ? name : name === channel ? `${channel} files` : `${channel} files (${name})`
