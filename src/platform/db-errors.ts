/** What an error of PostgreSQL or of its driver means. */
import { OperatorProblem } from './operator-problem.ts'

/** The server acknowledges commits that are not durable, or a pooler in front of it shares its sessions. */
export class UnsafeServer extends OperatorProblem {}

/** All connections are in use, and none came back in time. */
export const isCrowded = (error: unknown): boolean => (error as Error).message === crowdedText

/** The driver's own words. */
const crowdedText = 'timeout exceeded when trying to connect'

export const silenceText = 'The database did not answer in time.'

/** Not even the server's own limit for a statement arrived. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === silenceText

export const sqlState = (error: unknown): string | undefined => (error as { code?: string } | null)?.code

/** Serialization failure and deadlock: the server undid everything, the same work may succeed. */
export const isRetryable = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '')

/** A statement took longer than it may: perhaps only this one is slow. */
export const isStatementTimeout = (error: unknown): boolean => sqlState(error) === '57014'

export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03'

/** The lock that did not come in time was one of this table's rows. Where PostgreSQL speaks another language, names stay. */
export const isLockTimeoutOf = (error: unknown, table: string): boolean =>
  isLockTimeout(error) && new RegExp(`\\b${table}\\b`).test((error as { where?: string }).where ?? '')

/** A lock, a free connection or the end of a statement did not come in time: nothing was done. */
export const isContended = (error: unknown): boolean =>
  isLockTimeout(error) || isStatementTimeout(error) || isRetryable(error) || isCrowded(error)

export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string } | null)?.constraint === constraint

/** Does the work; where it violates one of these constraints, throws the error that stands for it. */
export async function naming<Result>(
  errors: Readonly<Record<string, () => Error>>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { constraint } = error as { constraint?: string }
    throw (constraint !== undefined && errors[constraint]?.()) || error
  }
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** No server answers at this address: no password was sent, and nothing was done. */
const isUnreachable = (error: unknown): boolean => unreachable.has(sqlState(error) ?? '')

/** The database is away, restarting, full, read-only or unsafe: the caller answers 503, not 500. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof UnsafeServer) return true
  const state = sqlState(error) ?? ''
  // FATAL ends the connection, whatever the reason: it is about the server, never about the statement.
  if ((error as { severity?: string }).severity === 'FATAL') return true
  if (isUnreachable(error) || ['ECONNRESET', 'EPIPE'].includes(state)) return true
  if (/^(08|57P0|53|25006)|CERT|^UNABLE_TO_VERIFY/.test(state)) return true
  return (
    isSilence(error) ||
    /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered|^The server does not support SSL/.test(
      error.message,
    )
  )
}
