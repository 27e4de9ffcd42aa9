import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { forgetKeys, inFiles, readConfig, settings } from './config.ts'
import { ConfigProblem } from './platform/operator-problem.ts'

const key = Buffer.alloc(32, 1).toString('base64')
const production = { NODE_ENV: 'production', INLET_MASTER_KEY: key, INLET_PUBLIC_URL: 'https://pay.example' }

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigProblem)
    return error.message.split('\n')
  }
}

test('an empty environment is a development installation on the embedded database', () => {
  const { isTrustedHost: _trusted, callbackAllowed: _allowed, ...config } = readConfig({})
  assert.deepEqual(config, {
    production: false,
    host: 'localhost',
    port: 8080,
    publicUrl: 'http://localhost:8080',
    dataDir: resolve('data'),
    databaseUrl: null,
    ownerDatabaseUrl: null,
    schema: 'inlet',
    masterKey: null,
    oldMasterKey: null,
    demo: true,
    processes: 1,
    roles: new Set(['api', 'pay', 'console', 'worker']),
    operatorCallback: null,
    metrics: { host: '127.0.0.1', port: 9464 },
    trustedProxies: [],
    logLevel: 'info',
    logForm: null,
    acceptsLoss: false,
    backup: null,
  })
})

test('every setting is read, spaces around it ignored', () => {
  const {
    isTrustedHost: _trusted,
    callbackAllowed: _allowed,
    ...config
  } = readConfig({
    ...production,
    HOST: ' 0.0.0.0 ',
    PORT: '9090',
    INLET_PUBLIC_URL: 'https://pay.example/',
    INLET_DATA_DIR: '/var/lib/inlet',
    DATABASE_URL: 'postgres://runtime@db/inlet',
    INLET_OWNER_DATABASE_URL: 'postgresql://owner@db/inlet',
    INLET_SCHEMA: 'shop_1',
    INLET_DEMO: 'off',
    INLET_ROLES: 'worker',
    INLET_PROCESSES: ' 3 ',
    INLET_OPERATOR_CALLBACK_URL: 'https://ops.example/',
    INLET_OPERATOR_CALLBACK_SECRET: `whsec_${key}`,
    INLET_METRICS_PORT: 'off',
    INLET_TRUSTED_PROXIES: '10.0.0.1, 10.2.0.0/16,',
    INLET_LOG_LEVEL: 'warn',
    INLET_LOG: 'json',
    INLET_ACCEPT_LOSS: ' async ',
  })
  assert.deepEqual(config, {
    production: true,
    host: '0.0.0.0',
    port: 9090,
    publicUrl: 'https://pay.example',
    dataDir: '/var/lib/inlet',
    databaseUrl: 'postgres://runtime@db/inlet',
    ownerDatabaseUrl: 'postgresql://owner@db/inlet',
    schema: 'shop_1',
    masterKey: Buffer.alloc(32, 1),
    oldMasterKey: null,
    demo: false,
    processes: 3,
    roles: new Set(['worker']),
    operatorCallback: { url: 'https://ops.example/', secret: `whsec_${key}` },
    metrics: null,
    trustedProxies: ['10.0.0.1', '10.2.0.0/16'],
    logLevel: 'warn',
    logForm: 'json',
    acceptsLoss: true,
    backup: null,
  })
})

test('backups have settings for their place, interval, number and drills', () => {
  assert.deepEqual(readConfig({ INLET_BACKUP_TO: '/mnt/backup' }).backup, {
    to: '/mnt/backup',
    everyHours: 24,
    keep: 7,
    drillHours: 168,
  })
  assert.deepEqual(
    readConfig({
      INLET_BACKUP_TO: ' /mnt/backup ',
      INLET_BACKUP_EVERY: '6',
      INLET_BACKUP_KEEP: '14',
      INLET_BACKUP_DRILL_EVERY: 'off',
    }).backup,
    { to: '/mnt/backup', everyHours: 6, keep: 14, drillHours: null },
  )
})

test('backups in the data folder are refused, and so are backups of an external PostgreSQL', () => {
  assert.match(
    problemsOf({ INLET_DATA_DIR: '/srv/inlet', INLET_BACKUP_TO: '/srv/inlet/backup' }).join('\n'),
    /^- INLET_BACKUP_TO must not be in the data folder/,
  )
  assert.deepEqual(
    readConfig({ INLET_DATA_DIR: '/srv/inlet', INLET_BACKUP_TO: '/srv/inlet-backup' }).backup?.to,
    '/srv/inlet-backup',
  )
  assert.match(
    problemsOf({ DATABASE_URL: 'postgres://inlet@db/inlet', INLET_BACKUP_TO: '/mnt/backup' }).join('\n'),
    /^- INLET_BACKUP_TO is for the embedded PostgreSQL.*docs\/operate\.md$/,
  )
})

for (const [name, values, sentence] of [
  ['INLET_BACKUP_EVERY', ['0'], /^- INLET_BACKUP_EVERY must be a number from 1 to 720$/],
  ['INLET_BACKUP_KEEP', ['all'], /^- INLET_BACKUP_KEEP must be a number from 1 to 1000$/],
  ['INLET_BACKUP_DRILL_EVERY', ['never'], /DRILL_EVERY must be a number from 1 to 720, or off$/],
  ['INLET_ROLES', ['api,boss'], /^- INLET_ROLES must be some of api, pay, console, worker/],
  ['INLET_PROCESSES', ['0', 'all'], /^- INLET_PROCESSES must be a number from 1 to 64$/],
  ['INLET_ACCEPT_LOSS', ['yes'], /^- INLET_ACCEPT_LOSS must be async, or not be set/],
  ['INLET_METRICS_PORT', ['x'], /^- INLET_METRICS_PORT must be a number/],
  [
    'INLET_OPERATOR_CALLBACK_URL',
    ['ftp://x', 'https://ops.example:x/'],
    /^- INLET_OPERATOR_CALLBACK_URL must be an http or https address$/,
  ],
  ['INLET_OPERATOR_CALLBACK_URL', ['https://x'], /^- INLET_OPERATOR_CALLBACK_SECRET must be whsec_/],
  ['PORT', ['0', '-1', '65536', '80a', '1.5', 'http'], /^- PORT must be a number from 1 to 65535$/],
  [
    'INLET_PUBLIC_URL',
    [
      'pay.example',
      'ftp://pay.example',
      'https://',
      'https://pay.example/inlet',
      'https://pay.example?x',
      'https://user@pay.example',
      'https://pay example',
      'https://pay.example:99999',
    ],
    /^- INLET_PUBLIC_URL must be an address such as/,
  ],
  ['NODE_ENV', ['prod', 'Production', 'live'], /^- NODE_ENV must be one of production, development, test$/],
  [
    'DATABASE_URL',
    [
      'mysql://x',
      'localhost/inlet',
      'postgres://inlet:a#b@db/inlet',
      'postgres://inlet@db:54x/inlet',
      'postgres://db:99999/inlet',
    ],
    /^- DATABASE_URL must be as postgres:\/\/user:password@host:5432\/inlet/,
  ],
  ['INLET_OWNER_DATABASE_URL', ['x'], /^- INLET_OWNER_DATABASE_URL must be as postgres:/],
  [
    'INLET_MASTER_KEY',
    ['short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), 'ab'.repeat(32)],
    /^- INLET_MASTER_KEY must be 32 random bytes in base64/,
  ],
  ['INLET_LOG', ['JSON', 'human'], /^- INLET_LOG must be one of /],
  ['INLET_DEMO', ['yes', 'true', '1', 'ON'], /^- INLET_DEMO must be on or off$/],
  [
    'INLET_LOG_LEVEL',
    ['verbose', 'INFO', '3'],
    /^- INLET_LOG_LEVEL must be one of debug, info, warn, error$/,
  ],
  [
    'INLET_CALLBACK_ALLOW_CIDRS',
    [
      'intranet',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/a',
      '10.0.0/8',
      'fd00::/129',
      '10.0.0.1;10.0.0.2',
      '10.0.0.0/8/9',
      '10.0.0.0/',
    ],
    /^- INLET_CALLBACK_ALLOW_CIDRS must be networks such as/,
  ],
  [
    'INLET_TRUSTED_PROXIES',
    ['proxy', '10.0.0.0/33', 'all', '0.0.0.0/0', '::/0', '10.0.0.0/0x8', '10.0.0.0/', '::ffff:10.0.0.0/104'],
    /^- INLET_TRUSTED_PROXIES must be addresses/,
  ],
] as const) {
  test(`${name}=${values.join(' or ')} is refused with one sentence that names it`, () => {
    for (const value of values) {
      const problems = problemsOf({ [name]: value })
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0]!, sentence)
    }
  })
}

for (const url of [
  'postgres://inlet@/inlet?host=%2Fvar%2Frun%2Fpostgresql',
  'postgres:///inlet',
  'postgres://inlet:p,w@a:5432,b/inlet',
  'postgresql://inlet:p%23w@[::1]:5433/inlet?sslmode=verify-full',
]) {
  test(`DATABASE_URL=${url} is taken`, () => {
    assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url)
  })
}

test('a master key has one source, and so has the old one', () => {
  for (const name of ['INLET_MASTER_KEY', 'INLET_OLD_MASTER_KEY']) {
    const sources = { [name]: key, [`${name}_FILE`]: '/run/key' }
    assert.deepEqual(problemsOf(sources), [`- ${name}_FILE and ${name}: set one of them`])
    assert.deepEqual(problemsOf({ [name]: 'short' }), [
      `- ${name} must be 32 random bytes in base64 (openssl rand -base64 32)`,
    ])
  }
})

test('keys that were read are removed from the environment', () => {
  const environment = { INLET_MASTER_KEY: key, INLET_OLD_MASTER_KEY: key, PORT: '1' }
  forgetKeys(environment)
  assert.deepEqual(environment, { PORT: '1' })
})

test('a secret may be in a file; a file that is missing, empty or given besides the setting is refused by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-config-'))
  const file = join(folder, 'secret')
  const url = 'postgres://inlet:hunter2@db/inlet'
  try {
    await writeFile(file, `${url}\n`)
    const read = readConfig({ DATABASE_URL_FILE: file, INLET_OWNER_DATABASE_URL_FILE: file })
    assert.deepEqual([read.databaseUrl, read.ownerDatabaseUrl], [url, url])
    assert.deepEqual(problemsOf({ DATABASE_URL_FILE: file, DATABASE_URL: url }), [
      '- DATABASE_URL_FILE and DATABASE_URL: set one of them',
    ])
    await writeFile(file, `${key}\n`)
    assert.deepEqual(readConfig({ INLET_MASTER_KEY_FILE: file }).masterKey, Buffer.alloc(32, 1))
    await writeFile(file, `whsec_${key}\n`)
    const operator = { INLET_OPERATOR_CALLBACK_URL: 'https://ops.example/' }
    assert.equal(
      readConfig({ ...operator, INLET_OPERATOR_CALLBACK_SECRET_FILE: file }).operatorCallback?.secret,
      `whsec_${key}`,
    )
    await writeFile(file, '\n')
    assert.deepEqual(problemsOf({ DATABASE_URL_FILE: file }), [
      `- DATABASE_URL_FILE names ${file}, which is empty`,
    ])
    await rm(file)
    assert.deepEqual(problemsOf({ DATABASE_URL_FILE: file }), [
      `- DATABASE_URL_FILE names ${file}, which cannot be read (ENOENT)`,
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('all problems are reported together', () => {
  const problems = problemsOf({
    PORT: 'x',
    INLET_PUBLIC_URL: 'https://pay.example/path',
    DATABASE_URL: 'x',
    INLET_MASTER_KEY: 'x',
    INLET_DEMO: 'x',
    INLET_LOG_LEVEL: 'x',
    INLET_CALLBACK_ALLOW_CIDRS: 'x',
    INLET_TRUSTED_PROXIES: 'x',
  })
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[1]),
    [
      'PORT',
      'INLET_PUBLIC_URL',
      'DATABASE_URL',
      'INLET_DEMO',
      'INLET_TRUSTED_PROXIES',
      'INLET_CALLBACK_ALLOW_CIDRS',
      'INLET_MASTER_KEY',
      'INLET_LOG_LEVEL',
    ],
  )
})

test('.env.example names every setting with its default, and no other', async () => {
  const text = await readFile(new URL('../.env.example', import.meta.url), 'utf8')
  const lines = [...text.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!] as const)
  const rows = Object.values(settings)
  const names = [...rows.map(([name]) => name), ...inFiles.map((name) => `${name}_FILE`)]
  assert.deepEqual(lines.map(([name]) => name).sort(), names.sort())
  const written = new Map(lines)
  for (const [name, { read }, usual] of rows)
    if (usual !== null && usual !== false && written.get(name) !== '')
      assert.deepEqual(read(written.get(name)!), usual, name)
})

test('no problem repeats the value of a secret', () => {
  const problems = problemsOf({ INLET_MASTER_KEY: 'hunter2', DATABASE_URL: 'mysql://me:hunter2@db' })
  assert.equal(problems.length, 2)
  assert.ok(!problems.join().includes('hunter2'))
})

test('production refuses to start without a master key, over http, or with the demo on', () => {
  for (const [change, expected] of [
    [{}, []],
    [{ INLET_MASTER_KEY: '' }, ['- INLET_MASTER_KEY is required in production, or its _FILE']],
    [
      { INLET_MASTER_KEY: '', INLET_MASTER_KEY_FILE: '/nowhere/key' },
      ['- INLET_MASTER_KEY_FILE names /nowhere/key, which cannot be read (ENOENT)'],
    ],
    [
      { INLET_PUBLIC_URL: 'http://pay.example' },
      ['- INLET_PUBLIC_URL must be an https address in production'],
    ],
    [{ INLET_PUBLIC_URL: '' }, ['- INLET_PUBLIC_URL must be an https address in production']],
    [{ INLET_DEMO: 'on' }, ['- INLET_DEMO must stay off in production']],
    [{ INLET_DEMO: 'off' }, []],
  ] as const) {
    assert.deepEqual(problemsOf({ ...production, ...change }), expected, JSON.stringify(change))
  }
  assert.equal(readConfig(production).demo, false)
})

test('trusted hosts are the listed networks, and in development this machine', () => {
  const networks = { INLET_CALLBACK_ALLOW_CIDRS: '10.1.0.0/16, 192.168.7.7, fd00::/8' }
  for (const [host, inDevelopment, inProduction] of [
    ['10.1.0.0', true, true],
    ['10.1.255.255', true, true],
    ['10.2.0.0', false, false],
    ['10.0.255.255', false, false],
    ['192.168.7.7', true, true],
    ['192.168.7.8', false, false],
    ['fd12::1', true, true],
    ['[fd12::1]', true, true],
    ['fc00::1', false, false],
    ['localhost', true, false],
    ['127.0.0.1', true, false],
    ['[::1]', true, false],
    ['127.0.0.2', false, false],
    ['localhost.example', false, false],
    ['shop.example', false, false],
    ['', false, false],
  ] as const) {
    assert.equal(readConfig(networks).isTrustedHost(host), inDevelopment, `${host} in development`)
    assert.equal(
      readConfig({ ...production, ...networks }).isTrustedHost(host),
      inProduction,
      `${host} in production`,
    )
  }
})

test('production has one process for each core, as far as memory goes, unless a number is set', () => {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem())
  const fitting = Math.max(1, Math.floor(memory / (300 * 1024 * 1024)))
  assert.equal(readConfig(production).processes, Math.min(availableParallelism(), fitting))
  assert.equal(readConfig({ ...production, INLET_PROCESSES: '1' }).processes, 1)
})
