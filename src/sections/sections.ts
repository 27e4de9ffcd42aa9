/** Every section: of the operator's desk, and of a merchant's console. */
import { deposits } from './deposits.ts'
import { heldDays } from './held-days.ts'
import { lists } from './lists.ts'
import { parked } from './parked.ts'
import { refunds } from './refunds.ts'
import type { Section } from './section.ts'
import { transfers } from './transfers.ts'

export const deskSections: readonly Section[] = [deposits, transfers, parked, heldDays, refunds, lists]
export const consoleSections: readonly Section[] = []
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
