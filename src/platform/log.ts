/**
 * The log on standard output: a JSON object per line for programs, or a readable line for a person. Only the fields listed
 * here are ever written, so a secret, a card number or a phone cannot slip in with an object: an unlisted field is dropped.
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
  'person',
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
type LogLevel = (typeof logLevels)[number]

export const logForms = ['json', 'text'] as const
type LogForm = (typeof logForms)[number]

type Write = (message: string, fields?: LogFields) => void
export type Log = Record<LogLevel, Write> & {
  /** What happened, at the level info, for programs: a person has it from the steps, or does not need it. */
  event: Write
  /** What begins now, or what a person should know, at the level info: one sentence, not in JSON. */
  step: (sentence: string) => void
}

/** `process`: its number, on every line, where several write to one log. */
export function createLog(
  least: LogLevel,
  write: (line: string) => void,
  { process, form = 'json' }: { process?: number | undefined; form?: LogForm } = {},
): Log {
  const isText = form === 'text'
  const isWritten = (level: LogLevel) => logLevels.indexOf(level) >= logLevels.indexOf(least)
  const print = (line: string) => write(`${terminalJson(line)}\n`)
  const at = (level: LogLevel): Write => {
    if (!isWritten(level)) return () => {}
    return (message, given = {}) => {
      const fields: LogFields = { process, ...given }
      const known = allowed.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]))
      const line = { time: logTime(), level, message, ...Object.fromEntries(known) }
      print(isText ? readable(line) : JSON.stringify(line))
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    event: at(isText ? 'debug' : 'info'),
    step: (sentence) => {
      if (isText && isWritten('info')) print(oneLine(sentence))
    },
  }
}

/** Time, level, sentence, facts. Of a stack the first frame: it says where. */
function readable({ time, level, message, ...fields }: Record<string, string>): string {
  const facts = Object.entries(fields).map(
    ([name, value]) => `${name} ${oneLine(name === 'stack' ? value.split(' | ')[0]! : String(value))}`,
  )
  const at = `${time!.replace('T', ' ').slice(0, 19)}Z ${level!.padEnd(5)}`
  return `${at} ${oneLine(message!)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
}

/** JSON's escapes for line breaks and commands to a terminal, without its quotes. */
const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1))

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
