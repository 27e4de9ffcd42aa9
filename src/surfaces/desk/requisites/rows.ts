/** Accounts and their requisites, as the lists show them. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { AmountMatching, ReceivingAccount, RequisiteKind } from '../../../domain/requisites/requisite.ts'

export type AccountRow = Omit<ReceivingAccount, 'merchantId' | 'number'> & {
  enabled: boolean
  number: string | null
  heardAt: Date | null
  dayLimit: Cents | null
  monthLimit: Cents | null
  openLimit: number | null
  silentHours: number | null
  amountMatching: AmountMatching
  open: number
  dayCents: Cents
  monthCents: Cents
  requisites: number
  requisitesOn: number
}

/** `words` are regular expressions of PostgreSQL. */
export type AccountSearch = { patterns?: readonly string[]; mode?: Mode | null; currency?: Currency | null }

export type ListedRequisite = Pick<RequisiteRow, 'id' | 'accountId' | 'kind' | 'bankName' | 'enabled'> & {
  digits: string
}

export type RequisiteRow = {
  id: string
  accountId: string
  currency: Currency
  kind: RequisiteKind
  number: string
  holder: string
  bankName: string
  enabled: boolean
  minCents: Cents | null
  maxCents: Cents | null
  dailyCents: Cents | null
  openLimit: number | null
  open: number
  dayCents: Cents
  monthCents: Cents
  confirmed: number
  ended: number
  lastConfirmedAt: Date | null
}
