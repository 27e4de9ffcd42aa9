/** Resident memory of a process and of the processes it started, watched while something is done to it. Linux only. */
import { readdir, readFile } from 'node:fs/promises'

const everyMs = 100

/** In bytes; zero where it cannot be read. */
export async function residentOf(pid: number): Promise<number> {
  const parents = new Map<number, number[]>()
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
  }
  const family = [pid]
  for (const parent of family) family.push(...(parents.get(parent) ?? []))
  const sizes = await Promise.all(family.map(ownResident))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function ownResident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  // PostgreSQL, where this process started it, is a program of its own with shared buffers.
  if (/^Name:\s+postgres/m.test(status)) return 0
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

type Watched = { stop(): number }

/** The highest figure seen until it is stopped. */
export function watchResident(pid: number): Watched {
  let peak = 0
  let isOver = false
  const look = async () => {
    peak = Math.max(peak, await residentOf(pid))
    if (!isOver) setTimeout(look, everyMs)
  }
  void look()
  return {
    stop() {
      isOver = true
      return peak
    },
  }
}
