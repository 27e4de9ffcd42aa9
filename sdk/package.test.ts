/**
 * The package as a merchant gets it: packed, installed into an empty project without a network, used by import and by
 * require on the Node that runs npm here (20 or newer), and with the samples of its README compiled and running.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { sendTest } from '../src/domain/callbacks/delivery/send-test.ts'
import { createMerchant } from '../src/domain/merchants/create-merchant.ts'
import { createOutbound } from '../src/platform/outbound.ts'
import { until } from '../test/support/delivery.ts'
import { freePort, startGateway } from '../test/support/gateway.ts'
import { Inlet } from './client.ts'

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

let folder: string
let project: string
before(async () => {
  // Packed from a copy: other tests look at this folder meanwhile.
  folder = await mkdtemp(join(tmpdir(), 'inlet-sdk-'))
  project = join(folder, 'project')
  await cp(import.meta.dirname, join(folder, 'sdk'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(project, 'node_modules/@types'), { recursive: true })
  await writeFile(join(project, 'package.json'), '{}')
  const pack = ['pack', '--silent', '--pack-destination', project]
  // `npm test` passes on our own npm settings, which run no scripts of packages.
  const env = { ...process.env, npm_config_ignore_scripts: 'false' }
  const { stdout } = await run('npm', pack, { cwd: join(folder, 'sdk'), env })
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', stdout.trim()], { cwd: project })
  await symlink(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'))
})
after(() => rm(folder, { recursive: true, force: true }))

const packed = (file: string) => readFile(join(project, 'node_modules/inlet-sdk', file), 'utf8')

test('packing leaves nothing behind, and the package has its license and says where it comes from', async () => {
  assert.deepEqual(await readdir(join(folder, 'sdk')), await readdir(import.meta.dirname))
  assert.equal(await packed('LICENSE'), await readFile(join(root, 'LICENSE'), 'utf8'))
  const { license, repository } = JSON.parse(await packed('package.json'))
  assert.equal(license, 'Apache-2.0')
  assert.equal(repository.directory, 'sdk')
})

test('the samples of the README are one program: it compiles, takes a test call, and a callback of a paid order', async (t) => {
  const samples = [...(await packed('README.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  assert.equal(samples.length, 4)
  const programs = ['shop.mts', 'shop.cts']
  for (const program of programs) await writeFile(join(project, program), samples.join('\n'))
  // The rules of node16 let no CommonJS program require an ES module, as Node 20 did not before 20.19.
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  await compile([...programs, ...strict, '--target', 'es2022', '--module', 'node16', '--types', 'node'])

  const gateway = await startGateway()
  const outbound = createOutbound({ allowed: () => false, loopback: true })
  t.after(() => outbound.close())
  for (const program of ['shop.mjs', 'shop.cjs']) {
    const port = await freePort()
    const { merchant, keyId, signingSecret, callbackSecret } = await createMerchant(
      gateway.db,
      gateway.vault,
      { name: 'Shop of the README', mode: 'test', callbackUrl: `http://127.0.0.1:${port}/` },
    )
    const environment = { INLET_SECRET: signingSecret, INLET_CALLBACK_SECRET: callbackSecret }
    const shop = spawn('node', [program], {
      cwd: project,
      env: { PATH: process.env.PATH, PORT: String(port), ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => shop.kill())
    await once(shop.stdout, 'data')
    const tested = await sendTest({ ...gateway, outbound }, merchant.id)
    assert.equal('status' in tested && tested.status, 204, program)

    const inlet = new Inlet({ baseUrl: gateway.url, merchant: merchant.id, secret: signingSecret, keyId })
    const { id } = await inlet.createDeposit({ ...order, order_id: 'A-1001' })
    await inlet.sandboxTransfer({ deposit: id })
    await until(
      'the callback',
      async () => (await inlet.callbacks({ state: 'delivered' })).callbacks.length === 1,
    )
  }
})

const order = {
  cents: 150_000,
  currency: 'RUB',
  payment_type: 'account_number',
  customer: 'user-42',
} as const

/** With our own compiler. What it says goes to its standard output. */
async function compile(words: string[]): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const output = await run(process.execPath, [tsc, '--ignoreConfig', ...words], { cwd: project }).catch(
    (error) => error,
  )
  assert.equal(output.stdout, '')
}
