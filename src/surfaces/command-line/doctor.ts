/** `inlet doctor`: checks every invariant in the database. Exit code 0 only when all hold. */

import { examine, type Finding } from '../../domain/doctor/examine.ts'
import type { Command } from './command.ts'
import { table } from './options.ts'

export const doctorCommands: Record<string, Command> = {
  doctor: {
    usage:
      'inlet doctor [--all]   (--all: everything ever stored, not only the last 7 days and what is open)',
    summary: 'check every invariant; exit code 1 if one is broken',
    example: '--all',
    async run(foundation, values) {
      const all = values.all === true
      const findings = await examine(foundation, { all })
      const healthy = findings.every(({ verdict }) => verdict === 'holds' || verdict === 'warning')
      const lookedAt = all ? 'everything' : 'the last 7 days and everything open'
      return {
        json: { healthy, looked_at: lookedAt, promises: findings },
        text: textOf(findings, lookedAt),
        failed: !healthy,
      }
    },
  },
}

function textOf(findings: readonly Finding[], lookedAt: string): string {
  const notHolding = findings.filter((finding) => finding.verdict !== 'holds')
  const failed = notHolding.filter((finding) => finding.verdict !== 'warning')
  return [
    table(
      ['promise', 'verdict', 'what it says'],
      findings.map((finding) => [finding.name, finding.verdict, finding.says]),
    ),
    ...notHolding.map(findingText),
    `Looked at ${lookedAt}. ${failed.length === 0 ? 'Every promise holds.' : `Not well: ${failed.map(({ name }) => name).join(', ')}.`}`,
  ].join('\n\n')
}

function findingText({ name, verdict, says, advice, offenders, more }: Finding): string {
  if (verdict === 'unknown') {
    return `${name} could not be answered in time: ${says}\n  What to do: ask again when the database has less to do.`
  }
  const lines = offenders.map(({ id, detail }) => `  ${id}  ${detail}`)
  return [
    `${name} is ${verdict === 'warning' ? 'a warning' : 'broken'}: ${says}`,
    `  What to do: ${advice}`,
    ...lines,
    ...(more ? ['  … and more'] : []),
  ].join('\n')
}
