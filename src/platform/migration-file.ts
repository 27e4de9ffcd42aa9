/**
 * A file of migrations/: plain SQL, and what its first comment declares about it.
 *
 *   -- Serves builds from: 0066      the oldest build that can work on the schema afterwards, or "this one"
 *   -- Runs in batches               each statement is repeated until it returns no row
 *
 * A build is named by the newest migration that it knows.
 */
import { createHash } from 'node:crypto'

/** In one transaction; statement by statement, where PostgreSQL allows no transaction; or in many small ones. */
type Way = 'whole' | 'by statement' | 'in batches'

export type Migration = {
  name: string
  text: string
  digest: string
  /** Null: only builds that know this migration. */
  servesFrom: string | null
  way: Way
}

export function migrationOf(name: string, text: string): Migration {
  return {
    name,
    text,
    digest: createHash('sha256').update(text).digest('hex'),
    servesFrom: /^-- Serves builds from: (\d{4})$/m.exec(text)?.[1] ?? null,
    way: /^-- Runs in batches$/m.test(text)
      ? 'in batches'
      : /\bindex concurrently\b/.test(text)
        ? 'by statement'
        : 'whole',
  }
}

/** The build whose newest migration this is. */
export const buildOf = (name: string): string => name.slice(0, 4)

/** A semicolon at the end of a line ends a statement, so a text with the body of a function cannot be cut like this. */
export const statementsOf = (text: string): string[] =>
  text.split(/;\s*$/m).filter((statement) => statement.replaceAll(/^\s*--.*$/gm, '').trim() !== '')
