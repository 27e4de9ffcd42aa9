/**
 * What a migration may not do, because other processes, of the version before it too, serve from the same database while
 * it runs and afterwards. It reads the text only, so it knows no sizes: every table that the file does not make itself counts
 * as one with rows, and the tables that grow with every deposit are named.
 */
import { statementsOf } from '../../src/platform/migration-file.ts'

/** Tables that grow with every deposit. */
const large = [
  ...['deposits', 'deposit_history', 'deposit_details', 'deposit_slots', 'transfers', 'transfer_decisions'],
  ...['allocations', 'transfer_keys', 'report_rows', 'callbacks', 'callback_attempts', 'audit_entries'],
]

type Rule = { isBroken: (statement: string, file: File) => boolean; advice: string }

type File = {
  /** Tables that it makes: nobody uses them yet. */
  made: string[]
  isBatched: boolean
  declares: boolean
  isAlone: (kind: RegExp) => boolean
}

const altered = /^alter table (?:if exists )?(?:only )?(\w+)/
const index = /^(?:create (?:unique )?|drop )index\b/
const change = /^(?:with .* )?(?:update|delete from) (?:only )?(\w+)/
const validation = /^alter table \w+ validate constraint \w+$/
const tableOf = (statement: string, pattern: RegExp) => pattern.exec(statement)?.[1] ?? ''

/** Of a statement that alters a table which others use. */
const ofAlter =
  (pattern: RegExp) =>
  (statement: string, { made }: File): boolean =>
    altered.test(statement) && !made.includes(tableOf(statement, altered)) && pattern.test(statement)

const rules: readonly Rule[] = [
  {
    isBroken: (statement, { made }) =>
      index.test(statement) &&
      !made.some((table) => new RegExp(` on ${table}\\b`).test(statement)) &&
      !/^(create (unique )?|drop )index concurrently if (not )?exists /.test(statement),
    advice: 'Build and drop indexes "concurrently if (not) exists": otherwise nobody can write meanwhile.',
  },
  {
    isBroken: (statement, { isAlone }) => /\bindex concurrently\b/.test(statement) && !isAlone(index),
    advice: 'Give "concurrently" a file of its own: it runs outside of a transaction.',
  },
  {
    isBroken: ofAlter(/\balter (column )?\w+ (set data )?type\b/),
    advice:
      'Add a column of the new type, fill it in batches, and drop the old one later: a new type rewrites the table.',
  },
  {
    isBroken: ofAlter(/\bset not null\b/),
    advice:
      'Add "check (… is not null) not valid" and validate it in the next file: "set not null" reads the table under a lock.',
  },
  {
    isBroken: (statement, file) =>
      ofAlter(/\badd (constraint|check|foreign key|unique|primary key|exclude)\b/)(statement, file) &&
      !/\b(not valid|using index \w+)$/.test(statement),
    advice: 'Add a constraint as "not valid", or "using index" of one that exists, alone in its statement.',
  },
  {
    isBroken: (statement, { isAlone }) =>
      /\bvalidate constraint\b/.test(statement) && !(validation.test(statement) && isAlone(validation)),
    advice:
      'Validate constraints in a file that does nothing else: what it locks meanwhile must be free for writers.',
  },
  {
    isBroken: ofAlter(/\badd column [^,]*\b(references|check|unique|primary key|generated|[a-z]*serial)\b/),
    advice:
      'Add the column alone, and its constraint as "not valid": otherwise the table is read or rewritten.',
  },
  {
    isBroken: ofAlter(/\badd column [^,]*\bdefault [^,]*(\w\(|\bcurrent_|\blocaltime)/),
    advice: 'Add the column without a default that is computed: each row would be rewritten.',
  },
  {
    isBroken: ofAlter(/\badd column (?!.*\bdefault\b)[^,]*\bnot null\b/),
    advice: 'Let the column be empty, or give it a constant default: older builds do not fill it.',
  },
  {
    isBroken: (statement, file) =>
      !file.declares &&
      (ofAlter(/\b(drop (column|constraint)|rename)\b/)(statement, file) ||
        /^(drop (table|view|function|trigger|type|schema)|alter (view|function|type) .*\brename)\b/.test(
          statement,
        )),
    advice:
      'Say which builds no longer need what is dropped or renamed ("-- Serves builds from: …"): first a version that does without, then this file.',
  },
  {
    isBroken: (statement, { isBatched }) =>
      !isBatched && large.includes(tableOf(statement, change).replace(/^inlet\./, '')),
    advice: 'Move rows of a large table with "-- Runs in batches", in a file of its own.',
  },
  {
    isBroken: (statement, { isBatched }) =>
      isBatched &&
      !(change.test(statement) && /\blimit \d+\b/.test(statement) && /\breturning\b/.test(statement)),
    advice: 'A batch is an update or delete of the rows that are left, with a limit and "returning".',
  },
  {
    isBroken: (statement) =>
      /^(lock( table)?|cluster|vacuum full|truncate|reindex(?!.* concurrently))\b/.test(statement),
    advice: 'Take no lock on a whole table.',
  },
  {
    isBroken: (statement) => /^do\b/.test(statement),
    advice: 'Write the statements themselves: these rules do not see into a "do" block.',
  },
]

/** One line for each rule that a statement breaks; none is good. Without a declaration the file serves no older build. */
export function problemsOf(text: string): string[] {
  const statements = statementsOf(withoutBodies(text)).map(inOneLine)
  const file: File = {
    made: statements.flatMap(
      (statement) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? [],
    ),
    isBatched: /^-- Runs in batches$/m.test(text),
    declares: declaration.test(text),
    isAlone: (kind) => statements.every((statement) => kind.test(statement)),
  }
  return [
    ...(file.declares
      ? []
      : [
          'Declare "-- Serves builds from: NNNN" (the oldest build that can work on the schema afterwards) or "this one".',
        ]),
    ...statements.flatMap((statement) =>
      rules
        .filter(({ isBroken }) => isBroken(statement, file))
        .map(({ advice }) => `${statement}: ${advice}`),
    ),
  ]
}

const declaration = /^-- Serves builds from: (\d{4}|this one)$/m

/** The body of a function does nothing yet. */
const withoutBodies = (text: string): string => text.replaceAll(/(\$\w*\$).*?\1/gs, "''")

const inOneLine = (statement: string): string =>
  statement.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()
