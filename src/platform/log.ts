/**
 * Structured log lines on standard output. Only the fields listed here are ever written, so a secret, a card
 * number or a phone cannot slip in with an object: an unlisted field is dropped.
 */
import { logTime } from './clock.ts'
import { terminalJson } from './terminal-json.ts'

const allowed = [
  'request_id',
  'method',
  'route',
  'status',
  'ms',
  'code',
  'merchant',
  'person',
  'deposit',
  'source',
  'error',
  'stack',
  'sqlstate',
  'constraint',
  'address',
  'port',
  'folder',
  'pid',
  'process',
  'migration',
  'count',
  'signal',
  'head',
] as const

export type LogFields = Partial<Record<(typeof allowed)[number], string | number | undefined>>
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>

/** `process`: its number, on every line, where several write to one log. */
export function createLog(least: LogLevel, write: (line: string) => void, process?: number): Log {
  const at =
    (level: LogLevel) =>
    (message: string, given: LogFields = {}) => {
      if (logLevels.indexOf(level) < logLevels.indexOf(least)) return
      const line: Record<string, unknown> = { time: logTime(), level, message }
      const fields: LogFields = { process, ...given }
      for (const name of allowed) if (fields[name] !== undefined) line[name] = fields[name]
      write(`${terminalJson(JSON.stringify(line))}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The loggable fields of a fault: name, code and stack frames. Never database details, which can hold values. */
export function faultFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const { code, constraint } = error as { code?: string; constraint?: string }
  const fromDatabase = 'severity' in error
  return {
    error: fromDatabase ? `${error.name} from the database` : `${error.name}: ${error.message}`,
    sqlstate: fromDatabase ? code : undefined,
    code: fromDatabase ? undefined : code,
    constraint,
    stack: error.stack
      ?.split('\n')
      .map((line) => line.trim())
      // A message may have several lines, and hold values: frames only.
      .filter((line) => line.startsWith('at '))
      .slice(0, 7)
      .join(' | '),
  }
}
