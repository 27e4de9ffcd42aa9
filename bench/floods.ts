/**
 * Creates through nginx and Caddy, with the files of deploy/, under each flood that a stranger may send: `test/deploy/floods.ts`
 * sends and reports them, and the worst of them is the value.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isInstalled } from './creates.ts'
import type { Row } from './row.ts'

const words =
  '--test --test-global-setup=test/support/global-setup.ts --test-reporter=tap test/deploy/floods.ts'
const reported = /floods (\S+): (.*): p99 ([\d.]+) ms against ([\d.]+) = /

type Flood = { proxy: string; name: string; ms: number; quietMs: number }

export const floods: Row = {
  name: 'floods',
  what: 'p99 of creates through the shipped nginx and Caddy, the worst anonymous flood ÷ without a flood',
  must: { most: 4 },
  aim: { most: 2 },
  async measure(world) {
    const missing: string[] = []
    for (const [program, word] of [
      ['nginx', '-v'],
      ['caddy', 'version'],
    ] as const)
      if (!(await isInstalled(program, word))) missing.push(program)
    const without = missing.length > 0 ? `${missing.join(' and ')} not installed, so skipped; ` : ''
    if (missing.length === 2) {
      const note = 'skipped: neither nginx nor caddy is installed'
      return { value: null, unit: 'ms', reference: null, ratio: null, note }
    }
    const found: Flood[] = []
    world.status('floods: starting Inlet behind a proxy')
    const child = spawn(process.execPath, words.split(' '), {
      cwd: fileURLToPath(new URL('../', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const failed: string[] = []
    for await (const line of createInterface(child.stdout)) {
      const [, proxy, name, ms, quietMs] = reported.exec(line) ?? []
      if (proxy) {
        found.push({ proxy, name: name!, ms: Number(ms), quietMs: Number(quietMs) })
        world.status(line.slice(line.indexOf('floods')))
      }
      if (/^\s*not ok/.test(line)) failed.push(line.trim())
    }
    if (failed.length > 0) throw new Error(failed[0]!)
    const ratioOf = ({ ms, quietMs }: Flood) => ms / quietMs
    const [worst] = found.toSorted((left, right) => ratioOf(right) - ratioOf(left))
    const worse = found.filter((flood) => ratioOf(flood) > 4).length
    const note = `${without}the worst: ${worst!.name}, through ${worst!.proxy}; ${worse} of ${found.length} floods above 4`
    const { ms: value, quietMs: reference } = worst!
    return { value, unit: 'ms', reference, ratio: ratioOf(worst!), note }
  },
}
