/**
 * Plants the faults of planted.md, one after the other, in a copy of the checkout, and runs the tests nearest to each. A
 * fault that no test notices is a promise that nothing holds. `npm run test:planted -- NAME ...` plants only these;
 * `--whole` runs everything after the nearest tests have passed; `--control` plants nothing, and then all of them must pass.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

type Nearest = { file: string; pattern: string | undefined }
type Fault = { name: string; promise: string; nearest: Nearest[]; file: string; now: string; planted: string }
type Run = { is: 'passed' | 'failed' | 'timed out' | 'ran nothing'; firstFailed?: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const nearestMs = 5 * 60_000
const wholeMs = 30 * 60_000

const words = process.argv.slice(2)
const isWhole = words.includes('--whole')
const isControl = words.includes('--control')
const names = words.filter((word) => word !== '--whole' && word !== '--control')

const faults = readFileSync(join(root, 'test/planted.md'), 'utf8').split(/^## /m).slice(1).map(faultFrom)
const chosen = names.length === 0 ? faults : names.map(faultNamed)
const changed = new Map(chosen.map((fault) => [fault, textWith(fault)]))
const copy = copyOfCheckout()
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
let running: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    running?.kill('SIGTERM')
    process.exit(1)
  })

let found = 0
for (const [fault, text] of changed) {
  const path = join(copy, fault.file)
  if (!isControl) writeFileSync(path, text)
  const verdict = await verdictOn(fault)
  writeFileSync(path, readFileSync(join(root, fault.file)))
  console.log(`${fault.name}: ${verdict}`)
  if (verdict.startsWith('found')) found++
}
console.log(`${found} of ${chosen.length} found`)
process.exitCode = found === (isControl ? 0 : chosen.length) ? 0 : 1

function faultFrom(section: string): Fault {
  const name = section.split('\n', 1)[0]!.trim()
  const line = (label: string) => new RegExp(`^${label}: (.+)$`, 'm').exec(section)?.[1]
  const [now, planted, ...more] = [...section.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)
  const [promise, nearest, file] = [line('Promise'), line('Nearest'), line('File')]
  if (!promise || !nearest || !file || !now || planted === undefined || more.length > 0)
    throw new Error(`planted.md: ${name} needs Promise, Nearest, File and two blocks of code`)
  return { name, promise, nearest: nearest.split(', ').map(nearestFrom), file, now, planted }
}

function nearestFrom(text: string): Nearest {
  const [, file, pattern] = /^(\S+)(?: "(.+)")?$/.exec(text) ?? []
  if (!file || !existsSync(join(root, file)))
    throw new Error(`planted.md: ${text} is no test file with an optional "pattern"`)
  return { file, pattern }
}

function faultNamed(name: string): Fault {
  const found = faults.find((fault) => fault.name === name)
  if (!found) throw new Error(`planted.md has no fault ${name}`)
  return found
}

/** The file with the fault in it. What stands there now must stand there once, or the list is out of date. */
function textWith({ name, file, now, planted }: Fault): string {
  const parts = readFileSync(join(root, file), 'utf8').split(now)
  if (parts.length !== 2)
    throw new Error(`${name} does not apply: ${file} has its text ${parts.length - 1} times`)
  return parts.join(planted)
}

function copyOfCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-planted-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Where the fault was found: the first test file that fails. */
async function verdictOn({ nearest }: Fault): Promise<string> {
  const steps = isWhole ? [...nearest, { file: 'test/groups/*.ts', pattern: undefined }] : nearest
  const open: string[] = []
  for (const step of steps) {
    const run = await runTests(step)
    if (run.is === 'failed') return `found by ${step.file}: ${run.firstFailed}`
    if (run.is !== 'passed') open.push(`${run.is}: ${step.file}`)
  }
  return open.length > 0 ? open.join(', ') : 'SURVIVED'
}

async function runTests({ file, pattern }: Nearest): Promise<Run> {
  const filter = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]
  const options = ['--test', '--test-global-setup=test/support/global-setup.ts', ...filter]
  const child = spawn('node', ['bin/node.mjs', ...options, file], { cwd: copy, detached: true })
  running = child
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const closed = once(child, 'close')
  const mostMs = file.includes('*') ? wholeMs : nearestMs
  const isLate = (await Promise.race([closed, setTimeout(mostMs, 'late', { ref: false })])) === 'late'
  if (isLate) {
    // The run stops its PostgreSQL first; what hangs then is killed.
    child.kill('SIGTERM')
    await Promise.race([closed, setTimeout(20_000, undefined, { ref: false })])
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
  }
  const [code] = await closed
  const firstFailed = /^\s*✖ (?!failing tests)(.+?)(?: \([\d.]+ms\))?$/m.exec(said)?.[1]
  // A test that failed before the others hung has found it.
  if (firstFailed !== undefined) return { is: 'failed', firstFailed }
  if (isLate) return { is: 'timed out' }
  // Skipped tests, a pattern that no test has, and a run that broke off protect nothing.
  return code === 0 && /^ℹ pass [1-9]/m.test(said) ? { is: 'passed' } : { is: 'ran nothing' }
}
