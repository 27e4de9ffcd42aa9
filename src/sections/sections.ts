/** Every section: of the operator's desk, and of a merchant's console. */
import { accounts } from './accounts.ts'
import { approvals } from './approvals.ts'
import { audit } from './audit.ts'
import { bankSources } from './bank-sources.ts'
import { callbacks } from './callbacks.ts'
import { deposits } from './deposits.ts'
import { endpoints } from './endpoints.ts'
import { heldDays } from './held-days.ts'
import { installation } from './installation.ts'
import { keys } from './keys.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { mappings } from './mappings.ts'
import { members } from './members.ts'
import { merchants } from './merchants.ts'
import { parked } from './parked.ts'
import { paymentTypes } from './payment-types.ts'
import { people } from './people.ts'
import { refunds } from './refunds.ts'
import { reports } from './reports.ts'
import { requisites } from './requisites.ts'
import type { Section } from './section.ts'
import { shop } from './shop.ts'
import { shopDeposits } from './shop-deposits.ts'
import { statementRows } from './statement-rows.ts'
import { statements } from './statements.ts'
import { transfers } from './transfers.ts'

export const deskSections: readonly Section[] = [
  approvals,
  deposits,
  transfers,
  parked,
  heldDays,
  refunds,
  statements,
  statementRows,
  mappings,
  reports,
  requisites,
  accounts,
  paymentTypes,
  bankSources,
  merchants,
  lists,
  people,
  audit,
  installation,
]
export const consoleSections: readonly Section[] = [
  shopDeposits,
  callbacks,
  endpoints,
  keys,
  limits,
  members,
  shop,
]
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
