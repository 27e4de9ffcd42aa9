/**
 * The command line. `--json` prints one JSON document on standard output and nothing else; problems go to
 * standard error with exit code 1. Commands beside a running Inlet join its database.
 */

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import packageJson from '../../../package.json' with { type: 'json' }
import { readConfig } from '../../config.ts'
import { bounds } from '../../platform/bounds.ts'
import { isContended, isDatabaseAway } from '../../platform/db-errors.ts'
import { createLog } from '../../platform/log.ts'
import { ConfigProblem, OperatorProblem } from '../../platform/operator-problem.ts'
import { Refusal, refusals } from '../../platform/refusals.ts'
import { terminalJson } from '../../platform/terminal-json.ts'
import { type Command, type Output, optionsOf, type Program, type Terminal, type Values } from './command.ts'
import { type Commands, loadCommands } from './load-commands.ts'
import { shown, UsageProblem } from './options.ts'

const { version } = packageJson

const ownCommands: Commands = {
  version: {
    usage: 'inlet version',
    summary: 'print the version',
    runAlone: async () => ({ json: { version }, text: `inlet ${version}` }),
  },
}

const start = {
  usage: 'inlet start',
  summary: 'run the gateway; settings are environment variables, documented in .env.example',
}

export async function run(words: string[], terminal: Terminal, program: Program): Promise<number> {
  try {
    if (words[0] === '--version' || words[0] === '-v')
      return await run(['version', ...words.slice(1)], terminal, program)
    if (words[0] === 'help' && words.length > 1)
      return await run([...words.slice(1), '--help'], terminal, program)
    if (words[0] === 'start' && words[1] === '--help') {
      terminal.stdout.write(`${helpOf('start', start)}\n`)
      return 0
    }
    if (words[0] === 'start') {
      if (words.length > 1) throw new UsageProblem(startUsage)
      return await program.start(readConfig(), terminal)
    }
    const commands = await commandsFor(words[0])
    const [name, rest] = nameOf(commands, words)
    if (!name) {
      if (!asksForHelp(commands, words)) throw new UsageProblem(unknownText(commands, words))
      terminal.stdout.write(`${helpText(commands, words[0])}\n`)
      return 0
    }
    const { json, text, failed } = await runCommand(name, commands[name]!, rest, terminal, program)
    if (text === null) return failed ? 1 : 0
    terminal.stdout.write(`${rest.includes('--json') ? jsonText(json) : terminalSafe(text)}\n`)
    return failed ? 1 : 0
  } catch (error) {
    terminal.stderr.write(`${terminalSafe(sentenceOf(error))}\n`)
    return 1
  }
}

const commandsFor = async (word = ''): Promise<Commands> =>
  Object.hasOwn(ownCommands, word) ? ownCommands : { ...(await loadCommands(word)), ...ownCommands }

async function runCommand(
  name: string,
  command: Command,
  rest: string[],
  terminal: Terminal,
  program: Program,
): Promise<Output> {
  try {
    return await runParsed(name, command, rest, terminal, program)
  } catch (error) {
    if (error instanceof UsageProblem) error.message += `\n\n  ${command.usage}`
    throw error
  }
}

async function runParsed(
  name: string,
  command: Command,
  rest: string[],
  terminal: Terminal,
  { openFoundation }: Program,
): Promise<Output> {
  const { values, positionals } = parse(command, rest)
  if (values.help)
    return { json: { usage: command.usage, example: exampleOf(name, command) }, text: helpOf(name, command) }
  if ('runAlone' in command)
    return command.runAlone(values, positionals, readConfig, terminal, openFoundation)
  const config = readConfig()
  const log = createLog('warn', (line) => terminal.stderr.write(line))
  const opening = openFoundation(config, 'command', log)
  // After Ctrl-C, PostgreSQL is stopped if it was started for this command.
  const abandon = async () => {
    setTimeout(() => process.exit(130), bounds.shutdownMs).unref()
    await opening.then((foundation) => foundation.abandon()).catch(() => {})
    process.exit(130)
  }
  const stop = new AbortController()
  const end = () => {
    if (!command.stopsInOrder || stop.signal.aborted) return abandon()
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) terminal.on(signal, end)
  const foundation = await opening
  return command
    .run(foundation, values, positionals, config, terminal, stop.signal)
    .finally(() => foundation.close())
}

function parse(command: Command, rest: string[]) {
  const options: ParseArgsOptionsConfig = {
    ...optionsOf(command),
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  }
  const { values, positionals, tokens } = parseArgs({
    args: rest,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) if (token.kind === 'option') refuseOption(token, options)
  const unexpected = positionals[command.words ?? 0]
  if (unexpected !== undefined) {
    throw new UsageProblem(
      `Unexpected word "${unexpected}": quote values that contain spaces, and give one value at a time.`,
    )
  }
  return { values: values as Values, positionals }
}

/** Our own message: Node's is about its positional arguments. */
function refuseOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: ParseArgsOptionsConfig,
): void {
  const type = Object.hasOwn(options, name) && options[name]?.type
  if (!type) throw new UsageProblem(`Unknown option ${rawName}.`)
  if (type === 'boolean' && value !== undefined) throw new UsageProblem(`${rawName} takes no value.`)
  if (type === 'string' && value === undefined) throw new UsageProblem(`${rawName} needs a value.`)
  if (type === 'string' && !inlineValue && value?.startsWith('-'))
    throw new UsageProblem(
      `${rawName} needs a value; one that begins with a dash is written ${rawName}=${value}.`,
    )
}

type OptionToken = {
  name: string
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

/** A command has one word or two. */
function nameOf(commands: Commands, words: string[]): [string | undefined, string[]] {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    if (Object.hasOwn(commands, name)) return [name, words.slice(length)]
  }
  return [undefined, words]
}

const startUsage =
  'inlet start takes no arguments: settings are environment variables, documented in .env.example.'

/** Of everything, or of a group such as `merchant`. */
const asksForHelp = (commands: Commands, [word = 'help', more = '']: string[]): boolean =>
  ['help', '--help', '-h'].includes(word) || (namesOf(commands, word).length > 0 && more === '--help')

const namesOf = (commands: Commands, group: string): string[] =>
  Object.keys(commands).filter((name) => name.startsWith(`${group} `))

/** A word that no command begins with, and where all of them are listed. */
function unknownText(commands: Commands, words: string[]): string {
  const [group = ''] = words
  const isGroup = namesOf(commands, group).length > 0
  const typed = words.slice(0, isGroup ? 2 : 1).join(' ')
  const first = `Unknown command "${shown(typed)}".`
  return isGroup ? `${first}\n\n${helpText(commands, group)}` : `${first} All of them: inlet --help.`
}

/** Every command; of a group, such as `merchant`, its own. */
function helpText(commands: Commands, group = ''): string {
  const all = Object.entries({ start, ...commands })
  const own = all.filter(([name]) => name.startsWith(`${group} `))
  return [
    ...(own.length > 0 ? own : all).map(([name, { summary }]) => `inlet ${name.padEnd(24)} ${summary}`),
    '',
    'Add --help to a command for its options and an example, --json for machine-readable output.',
  ].join('\n')
}

type Explained = Pick<Command, 'usage' | 'summary' | 'example'>

const exampleOf = (name: string, { example = '' }: Explained): string => `inlet ${name} ${example}`.trimEnd()

const helpOf = (name: string, command: Explained): string =>
  [command.summary, '', `  ${command.usage}`, '', 'For example:', '', `  ${exampleOf(name, command)}`].join(
    '\n',
  )

/**
 * Whatever has come into the words of a command: lines stay lines, no terminal is commanded, and no mark turns the
 * reading of the line around.
 */
const terminalSafe = (text: string): string =>
  text.replace(/(?!\r\n)[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')

const jsonText = (json: unknown): string => terminalJson(JSON.stringify(json, printable, 2))

const printable = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)

/** What went wrong, for a person; a fault of ours keeps its stack. */
function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) {
    const lines = (error.details.errors ?? []).map(
      (problem) => `  ${problem.pointer.slice(2)}: ${problem.detail}`,
    )
    return [`${error.code}: ${error.details.detail ?? refusals[error.code].advice}`, ...lines].join('\n')
  }
  if (error instanceof ConfigProblem) return `Inlet cannot start with these settings:\n${error.message}`
  if (error instanceof UsageProblem || error instanceof OperatorProblem) return error.message
  const { syscall, code, address, severity, message, constraint } = error as Record<
    string,
    string | undefined
  >
  if (isDatabaseAway(error) && ['connect', 'getaddrinfo', undefined].includes(syscall)) {
    // What the server itself says names the login or the database, never the password.
    const why = severity ? message : (code ?? message)
    return `The database cannot be reached${address ? ` at ${address}` : ''} (${why}).`
  }
  if (isContended(error))
    return 'Somebody else is changing the same data. Nothing was changed: try again in a moment.'
  if (constraint) return `The database refuses this: it breaks the rule ${constraint}.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
