/** The command line, wired: `inlet start` runs the gateway until it is stopped; every other verb is a command. */

import type { Program, Terminal } from './surfaces/command-line/command.ts'
import { run } from './surfaces/command-line/inlet.ts'

const program: Program = {
  // Not every command opens a database.
  openFoundation: async (...settings) => (await import('./open-foundation.ts')).openFoundation(...settings),
  // A command needs neither pages nor routes.
  start: async (config, terminal) => (await import('./start.ts')).start(config, terminal),
}

export const inlet = (words: string[], terminal: Terminal): Promise<number> => run(words, terminal, program)
