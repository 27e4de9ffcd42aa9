// Prints a CycloneDX bill of materials of what Inlet needs to run, from the lockfile alone: the same on every machine,
// without a network, and with the packages of every platform. Development packages are left out: they are on no server. With
// --installed it lists only what is in node_modules: what an image really contains.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('..', import.meta.url)
const lockfile = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))

const onlyInstalled = process.argv.includes('--installed')
const words = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
const options = { cwd: fileURLToPath(root), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }
// The npm that started this script, so that `npm run sbom` needs no other one on the path.
const npm = process.env.npm_execpath
const bill = JSON.parse(
  npm
    ? execFileSync(process.execPath, [npm, ...words], options)
    : execFileSync('npm', words, { ...options, shell: process.platform === 'win32' }),
)

// Not by `--omit=dev`: npm then also leaves out what both we and a development package need, such as the protocol of
// PostgreSQL (npm/cli#7909, in npm 10 and 11).
const needed = new Set(
  Object.entries(lockfile.packages)
    .filter(([path, { dev }]) => !dev && (!onlyInstalled || existsSync(new URL(path, root))))
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
)
const isNeeded = (reference) => needed.has(reference)
bill.components = bill.components.filter((one) => isNeeded(one['bom-ref']))
bill.dependencies = bill.dependencies
  .filter(({ ref }) => isNeeded(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isNeeded) }))
// npm calls the program by the name of its folder.
bill.metadata.component.name = lockfile.name

console.log(JSON.stringify(bill, null, 2))
