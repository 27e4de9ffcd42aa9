/** Every section: of the operator's desk, and of a merchant's console. */
import { accounts } from './accounts.ts'
import { bankSources } from './bank-sources.ts'
import { lists } from './lists.ts'
import { paymentTypes } from './payment-types.ts'
import { refunds } from './refunds.ts'
import { requisites } from './requisites.ts'
import type { Section } from './section.ts'

export const deskSections: readonly Section[] = [
  refunds,
  lists,
  paymentTypes,
  bankSources,
  accounts,
  requisites,
]
export const consoleSections: readonly Section[] = []
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
