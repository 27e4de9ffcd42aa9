/** Every section: of the operator's desk, and of a merchant's console. */
import { lists } from './lists.ts'
import { mappings } from './mappings.ts'
import { refunds } from './refunds.ts'
import { reports } from './reports.ts'
import type { Section } from './section.ts'
import { statementRows } from './statement-rows.ts'
import { statements } from './statements.ts'

export const deskSections: readonly Section[] = [refunds, reports, lists, statements, statementRows, mappings]
export const consoleSections: readonly Section[] = []
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
