/**
 * Progress of a long command on standard error: a bar on a terminal, otherwise a line every ten seconds, so
 * that a log shows signs of life and not thousands of lines.
 */

import { clockText, type ImportProgress, secondsLeft } from '../../domain/statements/progress.ts'
import { monotonicMs } from '../../platform/clock.ts'

type Screen = { write(text: string): unknown; isTTY?: boolean }

const linesMs = 10_000
const barLength = 24

type Line = { name: string; share: number; facts: string[] }

function teller(screen: Screen, now = monotonicMs): (line: Line) => void {
  let printedAt = now()
  let ended = ''
  return ({ name, share, facts }) => {
    const percent = `${Math.floor(share * 100)} %`
    if (screen.isTTY) {
      // The bar of a finished step stays on the screen.
      if (ended === name) return
      const full = Math.round(share * barLength)
      const bar = '█'.repeat(full).padEnd(barLength, '░')
      const isEnd = share >= 1
      if (isEnd) ended = name
      // What the line held before is cleared behind it.
      screen.write(`\r${name.padEnd(8)} ${bar} ${[percent, ...facts].join('  ')}\u001b[K${isEnd ? '\n' : ''}`)
    } else if (now() - printedAt >= linesMs) {
      printedAt = now()
      screen.write(`${name}: ${[percent, ...facts].join(', ')}\n`)
    }
  }
}

export function printImportProgress(screen: Screen, now?: () => number): (done: ImportProgress) => void {
  const tell = teller(screen, now)
  return (progress) => {
    const { phase, rows, total, matched, share } = progress
    const left = secondsLeft(progress)
    const facts = [
      total === null ? `${rows} rows` : `${rows}/${total} rows`,
      ...(phase === 'matching' ? [`${matched} matched`] : []),
      ...(left === null ? [] : [`${clockText(left)} left`]),
    ]
    tell({ name: phase, share, facts })
  }
}

type CountTeller = (done: { done: number; total: number }) => void

export const printResealProgress = (screen: Screen, now?: () => number): CountTeller =>
  countTeller('sealing', 'values', screen, now)

export const printDepositProgress = (screen: Screen): CountTeller =>
  countTeller('filling', 'deposits', screen)

function countTeller(name: string, what: string, screen: Screen, now?: () => number): CountTeller {
  const tell = teller(screen, now)
  return ({ done, total }) =>
    tell({ name, share: total === 0 ? 1 : done / total, facts: [`${done}/${total} ${what}`] })
}

/** Of a backup or a restore: what is read, stored, checked or fetched, in bytes. */
export function printByteProgress(
  screen: Screen,
  now?: () => number,
): (done: { phase: string; bytes: number; total: number }) => void {
  const tell = teller(screen, now)
  return ({ phase, bytes, total }) =>
    tell({
      name: phase,
      share: total === 0 ? 1 : Math.min(bytes / total, 1),
      facts: [`${megabytes(bytes)}/${megabytes(total)} MB`],
    })
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
