/**
 * `npm run test:clients`: what other people's tools make of the OpenAPI document. They are no
 * dependencies of ours: npm puts these very versions into a folder that is removed again. Without a registry the
 * tests are skipped.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { changePaymentType } from '../../src/domain/catalogue/change-payment-type.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

const versions = {
  '@hey-api/openapi-ts': '0.99.0',
  '@redocly/cli': '2.73.0',
  '@stoplight/spectral-cli': '6.16.3',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  // The generators' own; programs are compiled with ours.
  typescript: '5.9.3',
}

const root = resolve(import.meta.dirname, '../..')
const published = join(root, 'openapi.json')
const run = promisify(execFile)
let folder: string
let absence: string | undefined
let gateway: TestGateway
let shop: Shop

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-clients-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies: versions }))
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  await run('npm', install, { cwd: folder }).catch(({ stderr }) => {
    absence = `npm could not fetch the tools: ${String(stderr).trim().split('\n')[0]}`
  })
  if (absence) return
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  await changePaymentType(gateway.db, {
    code: 'any_bank',
    name: null,
    group: null,
    bankCode: null,
    enabled: null,
    limit: { currency: 'UZS', minCents: 1n, maxCents: 999_999_999_999_999n, merchantId: null },
  })
  const document = await fetch(`${gateway.url}/openapi.json`)
  await writeFile(join(folder, 'openapi.json'), await document.text())
  await cp(join(import.meta.dirname, 'programs'), folder, { recursive: true })
  await cp(join(root, 'sdk/signature.ts'), join(folder, 'signature.ts'))
})

/** A tool of the folder, with this very Node; its output. A tool that fails is reported in its own words. */
async function tool(name: string, words: string[], env: Record<string, string> = {}): Promise<string> {
  const file = resolve(folder, name)
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 }
  const output = await run(process.execPath, [file, ...words], options).catch((error) => error)
  assert.ok(!(output instanceof Error), `${name}: ${'stdout' in output && output.stdout}${output.stderr}`)
  return output.stdout
}
const bin = (name: string) => join('node_modules/.bin', name)

const claim = (name: string, check: (t: TestContext) => Promise<void>) =>
  test(name, (t) => (absence === undefined ? check(t) : t.skip(absence)))

claim('Redocly, with its recommended rules, finds nothing', async () => {
  const words = ['lint', published, '--extends', 'recommended', '--format', 'json']
  const output = await tool(bin('redocly'), words, { REDOCLY_TELEMETRY: 'off' })
  const { totals } = JSON.parse(output.slice(output.indexOf('{')))
  assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
})

claim('Spectral, with its rules for OpenAPI, finds nothing', async () => {
  await writeFile(join(folder, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }))
  const words = ['lint', published, '--ruleset', 'spectral.json', '--fail-severity', 'hint']
  assert.match(await tool(bin('spectral'), words), /^No results/)
})

const generators = [
  [
    'openapi-typescript',
    () => tool(bin('openapi-typescript'), ['openapi.json', '-o', 'generated/openapi-typescript.ts']),
  ],
  [
    'hey-api',
    () =>
      tool(bin('openapi-ts'), [
        '-i',
        'openapi.json',
        '-o',
        'generated/hey-api',
        '-c',
        '@hey-api/client-fetch',
      ]),
  ],
  [
    'orval',
    async () => {
      const output = { target: 'generated/orval.ts', client: 'fetch', baseUrl: gateway.url }
      await writeFile(
        join(folder, 'orval.config.json'),
        JSON.stringify({ inlet: { input: 'openapi.json', output } }),
      )
      return tool(bin('orval'), ['--config', 'orval.config.json'])
    },
  ],
] as const

for (const [name, generate] of generators) {
  claim(`the client of ${name} compiles under strict, and carries 99,999,999,999 cents`, async (t) => {
    await generate()
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const config = {
      compilerOptions: {
        strict: true,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        module: 'nodenext',
        esModuleInterop: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        rootDir: '.',
        outDir: 'compiled',
      },
      files: [`${name}.ts`],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const listed = await tool(tsc, ['--listFiles'])
    const output = await tool(`compiled/${name}.js`, [], {
      INLET_URL: gateway.url,
      INLET_MERCHANT: shop.merchant,
      INLET_KEY_ID: shop.keyId,
      INLET_SECRET: shop.secret,
    })
    assert.deepEqual(JSON.parse(output), Array(4).fill(99_999_999_999))
    const generated = listed.split('\n').filter((file) => file.includes('/generated/'))
    const texts = await Promise.all(generated.map((file) => readFile(file, 'utf8')))
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
    t.diagnostic(`${name}: ${generated.length} files, ${lines} lines generated`)
  })
}
