/** What a command is: its words, and what it does with what it is given. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../../config.ts'
import type { Foundation, OpenFoundation } from '../../platform/foundation.ts'

export type Values = Record<string, string | boolean | string[] | undefined>

/**
 * What a command says: `json` under --json, otherwise `text`; null where the command has said everything itself.
 * Exit code 1 when it has to say that all is not well.
 */
export type Output = { json: unknown; text: string | null; failed?: boolean }

export type Command = {
  usage: string
  summary: string
  /** What follows its name in an example; empty where the name alone is one. */
  example: string
  options: ParseArgsOptionsConfig
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
        /** For a command that `stopsInOrder`: whoever broke it off waits for its end. */
        stop: AbortSignal,
      ) => Promise<Output>
      /** The first Ctrl-C is told to the command, which ends by itself; the second one ends the program. */
      stopsInOrder?: boolean
    }
  /** Works on what it is given alone, without the database. */
  | { runAlone: (values: Values, words: string[], config: () => Config) => Promise<Output> }
)

export type Terminal = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'on' | 'removeAllListeners' | 'exit'>

/** What the program does for the command line: the database of a command, and the gateway. */
export type Program = {
  openFoundation: OpenFoundation
  start(config: Config, terminal: Terminal): Promise<number>
}
