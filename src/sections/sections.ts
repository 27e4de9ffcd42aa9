/** Every section: of the operator's desk, and of a merchant's console. */
import { audit } from './audit.ts'
import { installation } from './installation.ts'
import { lists } from './lists.ts'
import { people } from './people.ts'
import { refunds } from './refunds.ts'
import type { Section } from './section.ts'

export const deskSections: readonly Section[] = [refunds, lists, people, audit, installation]
export const consoleSections: readonly Section[] = []
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
