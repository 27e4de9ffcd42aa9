/** The definition of a command: its name, options and action. */
import type { ParseArgsOptionDescriptor, ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../../config.ts'
import type { Foundation, OpenFoundation } from '../../platform/foundation.ts'

export type Values = Record<string, string | boolean | string[] | undefined>

/**
 * The output of a command: `json` with --json, else `text`; null where the command has printed everything itself.
 * `failed`: exit code 1.
 */
export type Output = { json: unknown; text: string | null; failed?: boolean }

export type Command = {
  /** Its options are read from it: `--mode live|test` takes a value, `--disable` none, `--account ID …` several. */
  usage: string
  summary: string
  /** The arguments of an example, where the name alone is none. */
  example?: string
  /** What it takes without saying so. */
  options?: ParseArgsOptionsConfig
  /** How many words it takes at most beside its options; none when it does not say. */
  words?: number
} & (
  | {
      run: (
        foundation: Foundation,
        values: Values,
        words: string[],
        config: Config,
        terminal: Terminal,
        /** Aborted by Ctrl-C, for a command that `stopsInOrder`. */
        stop: AbortSignal,
      ) => Promise<Output>
      /** The first Ctrl-C aborts the signal and the command ends by itself; the second one ends the program. */
      stopsInOrder?: boolean
    }
  /** Runs without the database. */
  | {
      runAlone: (
        values: Values,
        words: string[],
        config: () => Config,
        terminal: Terminal,
        /** For a command that opens a database of its own choice. */
        openFoundation: OpenFoundation,
      ) => Promise<Output>
    }
)

/** The options of a command, by the first mention of each in its usage. */
export function optionsOf({ usage, options }: Pick<Command, 'usage' | 'options'>): ParseArgsOptionsConfig {
  const mentioned = [...usage.matchAll(/--([a-z0-9-]+)(?: ([^\s\][|-]\S*)( …)?)?/g)]
  const named = mentioned.map(([, name, value, several]): [string, ParseArgsOptionDescriptor] => [
    name!,
    value ? { type: 'string', ...(several && { multiple: true }) } : { type: 'boolean' },
  ])
  return { ...Object.fromEntries(named.reverse()), ...options }
}

export type Terminal = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'on' | 'removeAllListeners' | 'exit'>

/** What the program does for the command line: the database of a command, and the gateway. */
export type Program = {
  openFoundation: OpenFoundation
  start(config: Config, terminal: Terminal): Promise<number>
}
