/**
 * Runs test files in one process, one after the other: what they all load is loaded and warmed up once. Each file
 * can still be run alone.
 */
import { glob } from 'node:fs/promises'
import { describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { asFile } from './clean-up.ts'

const root = new URL('../../', import.meta.url)

export async function together(...patterns: string[]): Promise<void> {
  const files = await Array.fromAsync(glob(patterns, { cwd: fileURLToPath(root) }))
  for (const file of files.sort()) describe(file, () => asFile(() => import(new URL(file, root).href)))
}
