/**
 * Which file has which commands. A command only loads the file of its first word, because together they import most of the
 * program.
 */

import type { Command } from './command.ts'

export type Commands = Readonly<Record<string, Command>>

type Group = { words: readonly string[]; load: () => Promise<Commands> }

/** The commands that begin with this word; all of them where none does. */
export async function loadCommands(word = ''): Promise<Commands> {
  const own = groups.filter(({ words }) => words.includes(word))
  const loaded = await Promise.all((own.length > 0 ? own : groups).map(({ load }) => load()))
  return Object.assign({}, ...loaded)
}

/** In the order of the help. */
const groups: readonly Group[] = [
  { words: ['key'], load: async () => (await import('./key.ts')).keyCommands },
  { words: ['backup'], load: async () => (await import('./backup.ts')).backupCommands },
  { words: ['backup'], load: async () => (await import('./drill.ts')).drillCommands },
  { words: ['restore'], load: async () => (await import('./restore.ts')).restoreCommands },
  { words: ['statement'], load: async () => (await import('./statement.ts')).statementCommands },
  {
    words: [
      'callback',
      'endpoint',
      'limit',
      'approval',
      'deposit',
      'transfer',
      'parked',
      'day',
      'refund',
      'statement',
      'row',
      'mapping',
      'report',
      'list',
      'account',
      'requisite',
      'payment-type',
      'source',
      'merchant',
      'shop',
      'member',
      'key',
      'person',
      'audit',
      'installation',
    ],
    load: async () => (await import('./section-commands.ts')).sectionCommands,
  },
  { words: ['report'], load: async () => (await import('./report.ts')).reportCommands },
  { words: ['bank'], load: async () => (await import('./bank.ts')).bankCommands },
  { words: ['sign', 'verify'], load: async () => (await import('./sign.ts')).signCommands },
  { words: ['doctor'], load: async () => (await import('./doctor.ts')).doctorCommands },
  { words: ['person'], load: async () => (await import('./person.ts')).personCommands },
  { words: ['approval'], load: async () => (await import('./approval.ts')).approvalCommands },
  { words: ['audit'], load: async () => (await import('./audit.ts')).auditCommands },
  { words: ['demo'], load: async () => (await import('./demo.ts')).demoCommands },
]
