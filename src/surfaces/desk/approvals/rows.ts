/** The names of what proposals and audit entries are about. */
import type { RequisiteKind } from '../../../domain/requisites/requisite.ts'

/** A requisite is named by its kind, number and bank, everything else by its name alone. */
type SubjectName = { name: string; requisite: { kind: RequisiteKind; number: string } | null }
/** Names by subject, such as `merchant:…`; subjects without a name are missing. */
export type SubjectNames = ReadonlyMap<string, SubjectName>
