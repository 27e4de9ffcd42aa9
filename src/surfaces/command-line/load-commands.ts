/**
 * Which file has which commands. A command only loads the files of its first word, because together they import most of the
 * program.
 */

import type { Command } from './command.ts'

export type Commands = Readonly<Record<string, Command>>
type Load = () => Promise<Commands>

const backup: Load = async () => ({
  ...(await import('./backup.ts')).backupCommands,
  ...(await import('./drill.ts')).drillCommands,
})
const sign: Load = async () => (await import('./sign.ts')).signCommands
const ofSections: Load = async () => (await import('./section-commands.ts')).sectionCommands

/** Written by hand, by their first word; in the order of the help. */
const alone: Readonly<Record<string, Load>> = {
  backup,
  restore: async () => (await import('./restore.ts')).restoreCommands,
  bank: async () => (await import('./bank.ts')).bankCommands,
  ...{ sign, verify: sign },
  doctor: async () => (await import('./doctor.ts')).doctorCommands,
  demo: async () => (await import('./demo.ts')).demoCommands,
}
/** Beside those of a section; those of people take the place of the section's. */
const beside: Readonly<Record<string, Load>> = {
  key: async () => (await import('./key.ts')).keyCommands,
  statement: async () => (await import('./statement.ts')).statementCommands,
  report: async () => (await import('./report.ts')).reportCommands,
  person: async () => (await import('./person.ts')).personCommands,
  approval: async () => (await import('./approval.ts')).approvalCommands,
  audit: async () => (await import('./audit.ts')).auditCommands,
}

/** The commands that begin with this word; all of them for a word that none begins with. */
export async function loadCommands(word = ''): Promise<Commands> {
  const own = alone[word]
  if (own) return own()
  const sections = await ofSections()
  const isKnown = Object.keys(sections).some((name) => name.startsWith(`${word} `))
  const loads = isKnown ? [beside[word]] : [...Object.values(alone), ...Object.values(beside)]
  const loaded = await Promise.all(loads.map((load) => load?.()))
  return Object.assign({}, ...(isKnown ? [] : loaded), sections, ...loaded)
}
