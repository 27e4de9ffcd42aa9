/** Every section: of the operator's desk, and of a merchant's console. */
import { audit } from './audit.ts'
import { lists } from './lists.ts'
import { refunds } from './refunds.ts'
import type { Section } from './section.ts'

export const deskSections: readonly Section[] = [refunds, lists, audit]
export const consoleSections: readonly Section[] = []
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
