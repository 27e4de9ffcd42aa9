/**
 * The folder that a drill restores to: a decrypted copy of everything. A drill removes its own folder. The next drill removes
 * the folder of one that was killed, and stops the PostgreSQL that may still run in it.
 */
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { preparePrograms } from '../postgres-binaries.ts'
import { isRunning, prepareHome, readClusterId } from '../postgres-home.ts'
import { findPostmaster, stopPostmaster } from '../postgres-process.ts'
import { removeDataFolder } from './restore-cluster.ts'

/** The name contains the id of the process that uses it. */
export const makeDrillFolder = (parent: string): Promise<string> =>
  mkdtemp(join(parent, `inlet-drill-${process.pid}-`))

export const dataOf = (folder: string): string => join(folder, 'data')

export async function removeDrillFolder(folder: string): Promise<void> {
  await removeDataFolder(dataOf(folder))
  await rm(folder, { recursive: true, force: true })
}

export async function removeAbandonedDrills(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch((): string[] => [])) {
    const pid = Number(/^inlet-drill-(\d+)-/.exec(name)?.[1])
    const folder = join(parent, name)
    const isDead = pid > 0 && (pid === process.pid || !isRunning(pid))
    if (!isDead || !(await isOurs(folder))) continue
    await stopPostgres(dataOf(folder))
    await removeDrillFolder(folder)
  }
}

/** In a shared parent folder, other users could create a folder with such a name and put links into it. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  if (!found?.isDirectory()) return false
  return process.platform === 'win32' || (found.uid === process.geteuid!() && (found.mode & 0o077) === 0)
}

async function stopPostgres(dataDir: string): Promise<void> {
  if (!(await readClusterId(dataDir))) return
  const home = await prepareHome(dataDir)
  const postmaster = await findPostmaster(home)
  if (postmaster) await stopPostmaster(home, await preparePrograms(home), postmaster.pid)
}
