/** The base of the images that are built in tests: Debian's packages and this very Node, because no registry of images is asked. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root, versionOf } from './proxy.ts'

const execute = promisify(execFile)

/** `INLET_TEST_BASE` names an image that an earlier run has made: it saves minutes. */
export const ready = process.env.INLET_TEST_BASE

export function missingForBase(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a base is made by root on Linux alone'
  if (!versionOf('podman', ['--version'])) return 'podman is not installed'
  if (!versionOf('debootstrap', ['--version'])) return 'debootstrap is not installed'
  return undefined
}

/** Debian's smallest system with this very Node and its npm, as the official images have them; and this machine's certificates. */
export async function makeBase(base: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-base-'))
  try {
    await run('debootstrap', '--variant=minbase', 'stable', folder)
    const npm = dirname(dirname(await realpath((await run('sh', '-c', 'command -v npm')).trim())))
    await cp(process.execPath, join(folder, 'usr/local/bin/node'))
    await cp(npm, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true })
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'))
    await mkdir(join(folder, 'etc/ssl/certs'), { recursive: true })
    const certificates = '/etc/ssl/certs/ca-certificates.crt'
    await cp(certificates, join(folder, certificates), { dereference: true }).catch(() => {})
    const file = `${folder}.tar`
    await run('tar', '-C', folder, '-cf', file, '.')
    await run('podman', 'import', '--change', 'ENV NODE_USE_SYSTEM_CA=1', file, base).finally(() => rm(file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function run(program: string, ...words: string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 2 ** 26, encoding: 'utf8' } as const
  const { stdout } = await execute(program, words, options)
  return stdout
}
