/** The command line: what it prints, where, and with which exit code; and that what it makes really works. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { luhnDigit } from '../src/domain/requisites/luhn.ts'
import { assertUsageProblem, commandsOn, inlet, json, type Said } from './support/command.ts'
import { type Shop, shopOf, startGateway, type TestGateway } from './support/gateway.ts'

const program = fileURLToPath(new URL('../bin/inlet.mjs', import.meta.url))
const vectors = JSON.parse(await readFile(new URL('./vectors/signature.json', import.meta.url), 'utf8'))
// Here, because tests that are registered before a wait may end, and with them the file, while the others are not known yet.
const commands = (await inlet('help')).stdout.matchAll(/^inlet ([a-z-]+(?: [a-z-]+)?) {2,}/gm)
const names = [...commands].map(([, name]) => name!)

let gateway: TestGateway
let folder: string
let settings: Record<string, string>
before(async () => {
  gateway = await startGateway()
  settings = await commandsOn(gateway)
  folder = settings.INLET_DATA_DIR!
})

/** The real program in a process of its own. It costs a second, so most tests below call the same words in here. */
function spawned(words: string[], { environment = {}, input = '' } = {}): Promise<Said> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...words],
      { cwd: folder, env: { PATH: process.env.PATH, ...settings, ...environment } },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number((error as { code?: unknown }).code) : 0, stdout, stderr }),
    )
    child.stdin!.end(input)
  })
}

/** The command fails: nothing on stdout, a sentence for people on stderr. */
async function refused(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await inlet(...words)
  assert.deepEqual([code, stdout], [1, ''], `${words.join(' ')}: ${stdout}`)
  assert.doesNotMatch(stderr, /^\s+at /m, 'a stack instead of a sentence')
  return stderr
}

const newMerchant = (mode = 'test') => json('merchant', 'create', '--name', 'Shop', '--mode', mode)
const shopFrom = (created: { merchant: string; key_id: string; signing_secret: string }): Shop =>
  shopOf(gateway, created.merchant, created.key_id, created.signing_secret)
const nobody = '00000000-0000-4000-8000-000000000000'

test('the real program: merchant create --json prints one JSON document, and its keys work over HTTP', async () => {
  const words = ['merchant', 'create', '--name', 'Лавка "Ёж"', '--mode', 'test']
  const { code, stdout, stderr } = await spawned([
    ...words,
    '--callback-url',
    'https://shop.example/cb',
    '--json',
  ])
  assert.deepEqual([code, stderr], [0, ''])
  const created = JSON.parse(stdout)
  assert.deepEqual(Object.keys(created), [
    'merchant',
    'name',
    'mode',
    'callback_url',
    'key_id',
    'signing_secret',
    'callback_secret',
  ])
  assert.deepEqual([created.name, created.callback_url], ['Лавка "Ёж"', 'https://shop.example/cb'])
  assert.match(created.signing_secret, /^sk_test_[A-Za-z0-9_-]{43}$/)
  assert.match(created.callback_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const shop = shopFrom(created)
  const { status, body } = await shop.create()
  assert.equal(status, 201)
  assert.equal((await shop.get(`/api/v1/requests/deposit/${body.id}`)).status, 200)
})

test('the real program: a refusal is a sentence on stderr and exit code 1, with and without --json', async () => {
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await spawned(['merchant', 'show', nobody, ...more])
    assert.deepEqual([code, stdout, stderr], [1, '', 'not_found: There is no merchant with this id.\n'])
  }
})

test('the real program: wrong settings, a wrong master key and an absent database each get their sentence', async () => {
  for (const [environment, sentence] of [
    [{ PORT: 'x', INLET_DEMO: 'x' }, /cannot start with these settings:\n- PORT .*\n- INLET_DEMO /],
    [{ INLET_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }, /The master key is not the one/],
    [{ DATABASE_URL: 'postgres://x@localhost:1/x' }, /The database cannot be reached at .*ECONNREFUSED/],
  ] as [Record<string, string>, RegExp][]) {
    const { code, stdout, stderr } = await spawned(['merchant', 'list'], { environment })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr, /^\s+at /m)
  }
})

test('an unreachable database is reported with the reason: it hangs up, without TLS, wrong password, no such database', async () => {
  const rude = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  const plain = createServer((socket) => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1')
  const at = (server: Server) =>
    `postgres://inlet:hidden@127.0.0.1:${(server.address() as AddressInfo).port}/inlet`
  await Promise.all([once(rude, 'listening'), once(plain, 'listening')])
  const { url } = gateway.database
  const { database } = gateway.database.login
  try {
    for (const [address, why] of [
      [at(rude), 'Connection terminated unexpectedly'],
      [`${at(plain)}?sslmode=verify-full`, 'The server does not support SSL connections'],
      [url.replace(/:[^:@/]+@/, ':hidden@'), 'password authentication failed for user "inlet_owner"'],
      [url.replace(database, 'nowhere'), 'database "nowhere" does not exist'],
    ] as const) {
      process.env.DATABASE_URL = address
      assert.equal(await refused('merchant', 'list'), `The database cannot be reached (${why}).\n`)
    }
  } finally {
    process.env.DATABASE_URL = url
    rude.close()
    plain.close()
  }
})

test('the real program: sign reads its body from standard input', async () => {
  const { secret, fields, string, signature } = vectors.literal[0]
  const output = await spawned(['sign', '--secret', secret, '--json', '-'], { input: JSON.stringify(fields) })
  assert.deepEqual([output.code, output.stderr], [0, ''])
  assert.deepEqual(JSON.parse(output.stdout), { string, signature })
})

test('help lists every command, on stdout', async () => {
  assert.ok(names.length > 60)
  for (const words of [[], ['help'], ['--help']]) {
    const { code, stdout, stderr } = await inlet(...words)
    assert.deepEqual([code, stderr], [0, ''])
    for (const name of ['start', 'merchant create', 'key rotate', 'deposit list', 'sign'])
      assert.match(stdout, new RegExp(`^inlet ${name} `, 'm'))
  }
  for (const words of [
    ['key', '--help'],
    ['help', 'key'],
  ]) {
    const { code, stdout } = await inlet(...words)
    const listed = [...stdout.matchAll(/^inlet (\w+ \w+)/gm)].map(([, name]) => name)
    assert.deepEqual([code, listed], [0, ['key rotate', 'key set', 'key reseal', 'key list']])
  }
})

/** As a shell would cut it. */
const cut = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${line.replaceAll('$', '\\$')}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

test('every command has --help with an example of its own, and refuses an unknown option with its usage on stderr', async () => {
  for (const name of names) {
    const help = await inlet(...name.split(' '), '--help')
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, new RegExp(`^  inlet ${name}`, 'm'))
    assert.equal((await inlet('help', ...name.split(' '))).stdout, help.stdout)
    const example = /For example:\n\n {2}(inlet .*)\n/.exec(help.stdout)![1]!
    if (name === 'start') continue
    // What the example gives is known: it gets as far as its help.
    const [, ...words] = cut(example.replace(/ > .*/, ''))
    assert.equal(words.slice(0, name.split(' ').length).join(' '), name)
    assert.equal((await inlet(...words, '--help')).stdout, help.stdout, example)
    const stderr = await refused(...name.split(' '), '--unheard-of')
    assert.match(stderr, new RegExp(`^Unknown option --unheard-of\\.\n\n  inlet ${name}`))
  }
})

for (const [words, sentence] of [
  ['merchant list -x', 'Unknown option -x.'],
  ['merchant create --name', '--name needs a value.'],
  [
    'merchant create --name --mode test',
    '--name needs a value; one that begins with a dash is written --name=--mode.',
  ],
  ['merchant list --json=yes', '--json takes no value.'],
] as const) {
  test(`${words}: "${sentence}", and the usage`, async () => {
    const [first, empty, usage] = (await refused(...words.split(' '))).split('\n')
    assert.deepEqual([first, empty], [sentence, ''])
    assert.match(usage!, /^ {2}inlet merchant /)
  })
}

test('every command takes --merchant, and the older positional form still works', async () => {
  const { merchant, key_id: key } = await newMerchant()
  const own = ['--merchant', merchant]
  for (const [older, ...words] of [
    [['key', 'list', merchant], 'key', 'list', ...own],
    [['key', 'set', merchant, key, '--v2-only', 'off'], 'key', 'set', key, ...own, '--v2-only', 'off'],
    [['bank', 'pass', merchant, '--minutes', '1'], 'bank', 'pass', ...own, '--minutes', '1'],
  ] as [string[], ...string[]][]) {
    const output = await json(...words)
    assert.deepEqual(await json(...older), output)
  }
  for (const [word, ...more] of [['rotate'], ['rotate', merchant]] as [string, ...string[]][])
    assert.ok((await json('key', word, ...(more.length > 0 ? more : own))).secret)
  assertUsageProblem(
    await refused('key', 'list', merchant, ...own),
    ['key'],
    `Unexpected word "${merchant}".`,
  )
  assert.equal(
    await refused('key', 'list'),
    '--merchant is required.\n\n  inlet key list --merchant ID [--purpose request|callback]\n',
  )
})

test('a surplus argument is refused: a value was not quoted, or a second object would be ignored', async () => {
  for (const [words, unexpected] of [
    ['merchant create --name My shop --mode test', 'shop'],
    [`requisite disable ${nobody} ${nobody}`, nobody],
    [`deposit reject ${nobody} --reason stolen card`, 'card'],
    ['merchant list --json yes', 'yes'],
    ['sign --secret s {} {}', '{}'],
  ] as const) {
    const [first, ...more] = (await refused(...words.split(' '))).split('\n')
    assert.equal(
      first,
      `Unexpected word "${unexpected}": quote values that contain spaces, and give one value at a time.`,
    )
    assert.match(more.join('\n'), /^\n {2}inlet /)
  }
})

for (const [words, sentence] of [
  ['frob', 'Unknown command "frob". All of them: inlet --help.'],
  ['frob --help', 'Unknown command "frob". All of them: inlet --help.'],
  ['help frob', 'Unknown command "frob". All of them: inlet --help.'],
  ['constructor', 'Unknown command "constructor". All of them: inlet --help.'],
  ['merchants', 'Unknown command "merchants". All of them: inlet --help.'],
  ['strat', 'Unknown command "strat". All of them: inlet --help.'],
  ['--x\u001b[2J', 'Unknown command "--x [2J". All of them: inlet --help.'],
] as const) {
  test(`inlet ${words}: the word is quoted, and nothing pushes it away`, async () => {
    assert.equal(await refused(...words.split(' ')), `${sentence}\n`)
  })
}

test('an unknown command of a group: the few that there are', async () => {
  for (const [words, sentence] of [
    [['merchant'], 'Unknown command "merchant".'],
    [['merchant', 'delete'], 'Unknown command "merchant delete".'],
    [['merchant', 'lst', '--json'], 'Unknown command "merchant lst".'],
  ] as const) {
    const [first, empty, ...own] = (await refused(...words)).split('\n')
    assert.deepEqual([first, empty], [sentence, ''])
    assert.match(own[0]!, /^inlet merchant create /)
    assert.equal(own.filter((line) => line.startsWith('inlet ')).length, 4)
  }
})

test('inlet --version prints it, whatever the settings are', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  for (const words of [['version'], ['--version'], ['-v']])
    assert.deepEqual(await inlet(...words), { code: 0, stdout: `inlet ${version}\n`, stderr: '' })
  assert.deepEqual(await json('--version'), { version })
  const output = await spawned(['--version'], { environment: { PORT: 'x' } })
  assert.deepEqual(output, { code: 0, stdout: `inlet ${version}\n`, stderr: '' })
})

for (const [words, sentence] of [
  ...['--port 9000', 'help'].map(
    (more) =>
      [
        `start ${more}`,
        'inlet start takes no arguments: settings are environment variables, documented in .env.example.',
      ] as const,
  ),
  ['merchant create --name A', '--mode is required.'],
  ['merchant create --mode test', '--name is required.'],
  ['merchant create --name A --mode real', '--mode must be one of live, test.'],
  [`merchant create --mode test --name ${'x'.repeat(101)}`, '--name has at most 100 characters.'],
  ['merchant create --name= --mode test', '--name must not be empty.'],
  ['merchant create --name A\u0007 --mode test', '--name is too long or holds control characters.'],
  [
    'merchant create --name A --mode live --callback-url http://shop.example',
    'url_not_allowed: --callback-url: A live merchant must use https.',
  ],
  [
    'merchant create --name A --mode test --callback-url shop.example',
    'url_not_allowed: --callback-url: Enter a full http or https address.',
  ],
  ['merchant show', 'The merchant must be an id as printed by inlet.'],
  ['merchant show x', 'The merchant must be an id as printed by inlet.'],
  [`merchant set ${nobody} --name B`, 'not_found: There is no merchant with this id.'],
  [`merchant set ${nobody} --enable --disable`, 'Give --enable or --disable, not both.'],
  [`account set ${nobody} --enable --disable`, 'Give --enable or --disable, not both.'],
  ['payment-type set sbp --enable --disable', 'Give --enable or --disable, not both.'],
  [
    `merchant set ${nobody} --callback-url https://shop.example --no-callback-url`,
    'Give --callback-url or --no-callback-url, not both.',
  ],
  [`key rotate ${nobody}`, 'not_found: There is no merchant with this id.'],
  [`key rotate ${nobody} --overlap-days 31`, '--overlap-days must be a whole number from 0 to 30.'],
  [
    `key rotate ${nobody} --purpose callback --overlap-days 8`,
    '--overlap-days must be a whole number from 0 to 7.',
  ],
  [`key rotate ${nobody} --purpose both`, '--purpose must be one of request, callback.'],
  ['key list x', '--merchant must be an id as printed by inlet.'],
  ['account add --mode test --currency USD', '--owner is required.'],
  ['requisite disable x', 'The requisite must be an id as printed by inlet.'],
  [`requisite disable ${nobody}`, 'not_found: There is no requisite with this id.'],
  [`requisite enable ${nobody}`, 'not_found: There is no requisite with this id.'],
  ['payment-type set', 'CODE is a word of lower-case letters, digits and _.'],
  ['payment-type set Card', 'CODE is a word of lower-case letters, digits and _.'],
  ['payment-type set cash', 'invalid_value: A new payment type needs a group: card, phone or account.'],
  ['payment-type set sbp --bank-code other', 'invalid_value: The bank of a payment type cannot change.'],
  ['payment-type set cash --group coins', '--group must be one of card, phone, account.'],
  ['payment-type set sbp --currency USD', '--currency must be one of RUB, UZS, KZT, TJS.'],
  [
    'payment-type set sbp --currency UZS --min-cents 1',
    'invalid_value: A new limit needs both a minimum and a maximum.',
  ],
  [
    'payment-type set sbp --currency RUB --min-cents 0',
    '--min-cents must be a whole number from 1 to 999999999999999.',
  ],
  [
    'payment-type set sbp --currency RUB --min-cents 500 --max-cents 499',
    'invalid_value: The minimum must not exceed the maximum.',
  ],
  [
    `payment-type set sbp --currency RUB --min-cents 5 --merchant ${nobody}`,
    'invalid_value: The merchant must exist, and the payment type needs a general limit in this currency first.',
  ],
  [`account number ${nobody}`, 'Give the id of the account and its number.'],
  ['person invite --operator admin', 'An e-mail address is required.'],
  ['statement import', 'Name the file.'],
  ['statement mapping x', 'Give a name, of letters, digits, - and _, and the file with the mapping.'],
  ['deposit show', 'The deposit must be an id as printed by inlet.'],
  [`deposit show ${nobody}`, 'not_found: There is no deposit with this id.'],
  [
    'deposit list --state open',
    '--state must be one of builded, created, confirmed, rejected, expired, canceled, reversed.',
  ],
  ['deposit list --limit 201', '--limit must be a whole number from 1 to 200.'],
  ['sign --secret s', 'Give the body: JSON text, @file, or - for standard input.'],
  ['sign {}', '--secret is required: there is no demo merchant here.'],
  ['sign --secret s --operation refund {}', '--operation must be one of create, build, limit.'],
  ['sign --secret s --v2 {}', '--time is required with --v2: the unix time in seconds.'],
  [
    'sign --secret s --v2 --time 5 --key-id key! {}',
    '--key-id must be 1 to 64 of the letters A–Z and a–z, the digits, _ and -.',
  ],
  ['sign --secret s --signature abc {}', 'Unknown option --signature.'],
  ['verify --secret s {}', '--signature is required.'],
  ['verify --secret s --signature abc --time 5 {}', 'Unknown option --time.'],
  ['verify --secret s --signature abc {}', '--signature has neither of the two forms of X-Signature.'],
] as const) {
  test(`${words.replace(/x{50,}/, 'xx…').replace(nobody, '{id}')}: "${sentence}"`, async () => {
    assertUsageProblem(await refused(...words.split(' ')), words.split(' '), sentence)
  })
}

test('merchant show, list and set handle the same merchant; options that are not given stay', async () => {
  const { merchant } = await newMerchant()
  const shown = await json('merchant', 'show', merchant)
  assert.deepEqual(shown, {
    merchant,
    name: 'Shop',
    mode: 'test',
    enabled: true,
    language: null,
    callback_url: null,
    success_url: null,
    reject_url: null,
    events: [],
    settings: {
      choice_minutes: 30,
      payment_minutes: 30,
      late_grace_hours: 24,
      late_grace_account_hours: 120,
      underpaid: 'wait',
      underpaid_tolerance_cents: 0,
      overpaid: 'confirm',
      late: 'confirm',
      rate_per_second: 100,
      rate_burst: 400,
      customer_open_deposits: null,
      customer_day_cents: null,
      customer_month_cents: null,
    },
  })
  const options = {
    choice_minutes: 5,
    payment_minutes: 1440,
    late_grace_hours: 0,
    late_grace_account_hours: 720,
    underpaid: 'accept',
    underpaid_tolerance_cents: 999_999_999_999_999,
    overpaid: 'review',
    late: 'review',
    rate_per_second: 7,
    rate_burst: 70,
    customer_open_deposits: 3,
    customer_day_cents: 999_999_999_999_999,
    customer_month_cents: 1,
  }
  const words = Object.entries(options).flatMap(([name, value]) => [
    `--${name.replaceAll('_', '-')}`,
    String(value),
  ])
  await json('merchant', 'set', merchant, ...words)
  await json('merchant', 'set', merchant, '--callback-url', 'https://shop.example/cb', '--name', 'Лавка')
  const expected = { ...shown, name: 'Лавка', callback_url: 'https://shop.example/cb', settings: options }
  assert.deepEqual(await json('merchant', 'show', merchant), expected)
  const { merchants } = await json('merchant', 'list')
  assert.deepEqual(
    merchants.find((one: { merchant: string }) => one.merchant === merchant),
    expected,
  )
  assert.equal((await json('merchant', 'set', merchant, '--no-callback-url')).callback_url, null)
  const text = (await inlet('merchant', 'list')).stdout
  assert.match(text, /^id +mode +on +name +callback address$/m)
  assert.match(text, new RegExp(`^${merchant}  test  yes +Лавка +–$`, 'm'))
})

for (const [option, bad, sentence] of [
  ['choice-minutes', ['4', '1441', '1.5', '-5', 'x'], 'must be a whole number from 5 to 1440.'],
  ['payment-minutes', ['4', '1441'], 'must be a whole number from 5 to 1440.'],
  ['late-grace-hours', ['721'], 'must be a whole number from 0 to 720.'],
  ['late-grace-account-hours', ['721'], 'must be a whole number from 0 to 720.'],
  ['underpaid', ['confirm', 'WAIT'], 'must be one of wait, accept, review.'],
  ['underpaid-tolerance-cents', ['1000000000000000'], 'must be a whole number from 0 to 999999999999999.'],
  ['overpaid', ['wait'], 'must be one of confirm, review.'],
  ['late', ['reject'], 'must be one of confirm, review.'],
  ['rate-per-second', ['0', '1000001'], 'must be a whole number from 1 to 1000000.'],
  ['rate-burst', ['0', '4000001'], 'must be a whole number from 1 to 4000000.'],
  ['customer-open-deposits', ['0', 'all'], 'must be none, or a whole number from 1 to 1000000.'],
  ['customer-day-cents', ['0', '-1'], 'must be none, or a whole number from 1 to 999999999999999.'],
  ['customer-month-cents', ['1.5'], 'must be none, or a whole number from 1 to 999999999999999.'],
] as const) {
  test(`merchant set --${option} refuses ${bad.join(', ')} and changes nothing`, async () => {
    const { merchant } = await newMerchant()
    for (const value of bad) {
      const stderr = await refused('merchant', 'set', merchant, '--name', 'Changed', `--${option}=${value}`)
      assertUsageProblem(stderr, ['merchant'], `--${option} ${sentence}`)
    }
    assert.equal((await json('merchant', 'show', merchant)).name, 'Shop')
  })
}

test('merchant set --disable stops its requests, --enable lets them through', async () => {
  const [stopped, back] = [await newMerchant(), await newMerchant()]
  assert.equal((await json('merchant', 'set', stopped.merchant, '--disable')).enabled, false)
  await json('merchant', 'set', back.merchant, '--disable')
  await json('merchant', 'set', back.merchant, '--enable')
  assert.equal((await shopFrom(stopped).create()).body.code, 'merchant_disabled')
  assert.equal((await shopFrom(back).create()).status, 201)
})

test('a live merchant takes no http callback address, a test merchant does', async () => {
  const [live, trial] = [await newMerchant('live'), await newMerchant('test')]
  const set = ['--callback-url', 'http://shop.example/cb']
  assert.match(await refused('merchant', 'set', live.merchant, ...set), /^url_not_allowed: .*https/)
  assert.equal((await json('merchant', 'set', trial.merchant, ...set)).callback_url, set[1])
})

test('merchant set takes return addresses by the rule of requests, and "" takes one away', async () => {
  const [live, trial] = [await newMerchant('live'), await newMerchant('test')]
  const set = ['--success-url', 'http://shop.example/s', '--reject-url', 'https://shop.example/r']
  assert.equal(
    await refused('merchant', 'set', live.merchant, ...set, '--name', 'Changed'),
    'url_not_allowed: --success-url: A live merchant must use https.\n',
  )
  assert.equal(
    await refused('merchant', 'set', trial.merchant, '--reject-url', 'shop.example'),
    'url_not_allowed: --reject-url: Enter a full http or https address.\n',
  )
  const { name, success_url } = await json('merchant', 'show', live.merchant)
  assert.deepEqual([name, success_url], ['Shop', null])
  const returns = async (...words: string[]) => {
    const { success_url, reject_url } = await json('merchant', 'set', trial.merchant, ...words)
    return [success_url, reject_url]
  }
  assert.deepEqual(await returns(...set), [set[1], set[3]])
  assert.deepEqual(await returns('--success-url', ''), [null, set[3]])
  assert.deepEqual(await returns('--name', 'Other'), [null, set[3]])
})

test('key rotate: the new key and the old one both sign; with no overlap only the new one; list shows no secret', async () => {
  const created = await newMerchant()
  const first = await json('key', 'rotate', created.merchant)
  assert.deepEqual([first.merchant, first.purpose, first.overlap_days], [created.merchant, 'request', 7])
  assert.match(first.secret, /^sk_test_/)
  const old = shopFrom(created)
  const renewed = shopOf(gateway, created.merchant, first.key_id, first.secret)
  assert.deepEqual([(await old.create()).status, (await renewed.create()).status], [201, 201])

  const listed = await inlet('key', 'list', created.merchant, '--json')
  const { keys } = JSON.parse(listed.stdout)
  assert.deepEqual(
    keys.map((key: { key_id: string; not_after: string | null }) => [key.key_id, key.not_after === null]),
    [
      [first.key_id, true],
      [created.key_id, false],
    ],
  )
  const text = (await inlet('key', 'list', created.merchant)).stdout
  for (const secret of [first.secret, created.signing_secret]) {
    assert.ok(!listed.stdout.includes(secret) && !text.includes(secret))
  }

  const last = await json('key', 'rotate', created.merchant, '--overlap-days', '0', '--v2-only')
  const left = await json('key', 'list', created.merchant)
  assert.deepEqual(
    left.keys.map((key: { key_id: string; v2_only: boolean }) => [key.key_id, key.v2_only]),
    [[last.key_id, true]],
  )
})

test('key rotate refuses a fourth live key, and makes callback secrets of their own', async () => {
  const { merchant, callback_secret } = await newMerchant()
  await json('key', 'rotate', merchant)
  await json('key', 'rotate', merchant)
  assert.match(await refused('key', 'rotate', merchant), /^too_many_keys: /)
  const callback = await json('key', 'rotate', merchant, '--purpose', 'callback')
  assert.match(callback.secret, /^whsec_/)
  assert.notEqual(callback.secret, callback_secret)
  assert.equal(callback.overlap_days, 1)
  assert.equal((await json('key', 'list', merchant, '--purpose', 'callback')).keys.length, 2)
  assert.equal((await json('key', 'list', merchant)).keys.length, 3)
})

const accountWords = (more: string[] = []) => [
  'account',
  'add',
  ...['--mode', 'test', '--currency', 'RUB', '--label', 'Main', '--owner', 'ООО "Ёж"'],
  ...['--tax-id', '7700000009', '--agreement', 'No. 5', '--added-by', 'ann'],
  ...more,
]
const newAccount = async (): Promise<string> => (await json(...accountWords())).account

test('account add and list: the owner is on record', async () => {
  const { merchant } = await newMerchant()
  const { account } = await json(...accountWords(['--public-name', 'Ёж', '--merchant', merchant]))
  const { accounts } = await json('account', 'list')
  assert.deepEqual(
    accounts.find((one: { id: string }) => one.id === account),
    {
      id: account,
      mode: 'test',
      currency: 'RUB',
      merchant_id: merchant,
      label: 'Main',
      owner_legal_name: 'ООО "Ёж"',
      owner_public_name: 'Ёж',
      owner_tax_id: '7700000009',
      owner_agreement: 'No. 5',
      added_by: 'ann',
      enabled: true,
      number: null,
      day_cents: null,
      month_cents: null,
      open_deposits: null,
      silent_hours: null,
      amount_matching: 'by_kind',
      heard_at: null,
    },
  )
  assert.match(
    (await inlet('account', 'list')).stdout,
    new RegExp(`^${account} .*ООО "Ёж" +7700000009 +–$`, 'm'),
  )
})

test('account add refuses to do without any of its words', async () => {
  const all = accountWords()
  for (let place = 2; place < all.length; place += 2) {
    const stderr = await refused(...all.toSpliced(place, 2))
    assertUsageProblem(stderr, all, `${all[place]} is required.`)
  }
})

let cards = 0
/** A Mir card number nobody used yet, with its check digit. */
const newCard = () => {
  const body = `22001111${String(++cards).padStart(7, '0')}`
  return body + luhnDigit(body)
}
const requisiteWords = (account: string, number: string, more: string[] = []) => [
  ...['requisite', 'add', '--account', account, '--kind', 'card', '--number', number],
  ...['--holder', 'ANN', '--bank', 'Test Bank', ...more],
]

test('requisite add: a hard finding is a refusal that --confirm does not lift, and no number is repeated', async () => {
  const account = await newAccount()
  const right = newCard()
  const wrong = right.slice(0, -1) + ((Number(right.at(-1)) + 1) % 10)
  for (const more of [[], ['--confirm'], ['--json']]) {
    const stderr = await refused(...requisiteWords(account, wrong, more))
    assert.match(stderr, /^invalid_value: .*\n {2}number: The check digit of the card number does not match/)
    assert.ok(!stderr.includes(wrong))
  }
  assert.ok((await json(...requisiteWords(account, right))).requisite)
})

test('requisite add: a soft finding asks for --confirm, and passes with it', async () => {
  const account = await newAccount()
  const unusual = '9911000000000001'
  const stderr = await refused(...requisiteWords(account, unusual))
  assert.match(stderr, /^confirmation_required: .*--confirm\.\n {2}number: /)
  const { requisite, warnings } = await json(...requisiteWords(account, unusual, ['--confirm']))
  assert.ok(warnings.length > 0)
  const { requisites } = await json('requisite', 'list')
  assert.ok(requisites.some((one: { id: string }) => one.id === requisite))
})

test('requisite add: --link takes what the bank gave, of the currency and kind it belongs to', async () => {
  const account = await newAccount()
  const add = (link: string) => requisiteWords(account, newCard(), ['--link', link])
  assert.ok((await json(...add('https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M'))).requisite)
  assert.match(
    await refused(...add('https://pay.kaspi.kz/pay/a1b2c3d4')),
    /\n {2}link: This link pays in another/,
  )
  assert.match(await refused(...add('https://evil.example/pay')), /\n {2}link: Inlet knows links of SBP/)
})

test('requisite add: unknown account, wrong kind, and the same number twice are refused', async () => {
  const account = await newAccount()
  const number = newCard()
  assert.match(await refused(...requisiteWords(nobody, number)), /^not_found: There is no receiving account/)
  assert.match(
    await refused(...requisiteWords(account, number, ['--kind', 'cash'])),
    /^--kind must be one of card/,
  )
  await json(...requisiteWords(account, number))
  assert.match(
    await refused(...requisiteWords(account, `${number.slice(0, 4)} ${number.slice(4)}`)),
    /^already_exists: /,
  )
})

test('requisite add: an account with all its details and limits, and list shows them with its load', async () => {
  const account = await newAccount()
  const { requisite } = await json(
    ...['requisite', 'add', '--account', account, '--kind', 'account_ru', '--number', '40702810600000000043'],
    ...[
      '--holder',
      'ООО "Ёж"',
      '--bank',
      'Банк',
      '--bic',
      '044525999',
      '--corr-account',
      '30101810600000000999',
    ],
    ...['--tax-id', '7700000009', '--min-cents', '100', '--max-cents', '200', '--daily-cents', '300'],
    ...['--open-deposits', '4', '--bank-code', 'ezh'],
  )
  const { requisites } = await json('requisite', 'list')
  const { number, ...shown } = requisites.find((one: { id: string }) => one.id === requisite)
  assert.equal(number, '•••• 0043')
  assert.deepEqual(shown, {
    id: requisite,
    account_id: account,
    mode: 'test',
    currency: 'RUB',
    kind: 'account_ru',
    holder: 'ООО "Ёж"',
    bank_name: 'Банк',
    bank_code: 'ezh',
    bic: '044525999',
    enabled: true,
    owner_legal_name: 'ООО "Ёж"',
    min_cents: 100,
    max_cents: 200,
    daily_cents: 300,
    open_limit: 4,
    open_deposits: 0,
    day_cents: 0,
  })
})

test('requisite list shows masked numbers only, of every requisite there is', async () => {
  const rows = await gateway.database.owner.query<{ number: string }>({
    text: 'select number from requisites',
    name: '',
    values: [],
  })
  assert.ok(rows.length > 80)
  for (const words of [
    ['requisite', 'list'],
    ['requisite', 'list', '--json'],
  ]) {
    const { stdout } = await inlet(...words)
    for (const { number } of rows)
      assert.ok(!stdout.includes(number) && !stdout.includes(number.slice(0, -4)))
    assert.equal(stdout.match(/•••• /g)?.length, rows.length)
  }
})

test('requisite disable takes it out at once, enable brings it back', async () => {
  const { requisite } = await json(...requisiteWords(await newAccount(), newCard()))
  const isOn = async () =>
    (await json('requisite', 'list')).requisites.find((one: { id: string }) => one.id === requisite).enabled
  assert.deepEqual(await json('requisite', 'disable', requisite), { id: requisite, enabled: false })
  assert.equal(await isOn(), false)
  assert.equal((await inlet('requisite', 'enable', requisite)).stdout, `${requisite} enabled\n`)
  assert.equal(await isOn(), true)
})

test('requisite set changes the limits that are named; none takes one away', async () => {
  const { requisite } = await json(
    ...requisiteWords(await newAccount(), newCard(), ['--min-cents', '500', '--open-deposits', '2']),
  )
  const set = (...words: string[]) => json('requisite', 'set', requisite, ...words)
  const limits = { requisite, min_cents: 500, max_cents: 90_000, daily_cents: null, open_deposits: null }
  assert.deepEqual(await set('--max-cents', '90000', '--open-deposits', 'none'), limits)
  assert.match(
    await refused('requisite', 'set', requisite, '--min-cents', '90001'),
    /the minimum must not exceed/,
  )
  assert.deepEqual(await set(), limits)
})

test('an error of the database is printed as a sentence, not as a stack', async () => {
  const account = await newAccount()
  for (const words of [
    requisiteWords(account, newCard(), ['--min-cents', '500', '--max-cents', '499']),
    accountWords(['--merchant', nobody]),
    accountWords(['--tax-id', '7'.repeat(21)]),
    accountWords(['--owner', 'x'.repeat(161)]),
    accountWords(['--agreement', 'x'.repeat(201)]),
  ]) {
    assert.doesNotMatch(await refused(...words), /constraint|violates/, words.join(' '))
  }
})

test('payment-type set: limits for everybody or one merchant, a switch, and a new type', async () => {
  const { merchant, ...keys } = await newMerchant()
  const words = ['payment-type', 'set', 'account_number', '--currency', 'KZT']
  await json(...words, '--min-cents', '60000', '--merchant', merchant)
  await json(...words, '--max-cents', '250000000')
  const own = shopFrom({ merchant, ...keys } as Parameters<typeof shopFrom>[0])
  const refusal = (await own.create({ currency: 'KZT', cents: 59_999 })).body
  // The merchant's own limits are whole: they were copied before the general maximum changed.
  assert.deepEqual(
    [refusal.code, refusal.min_cents, refusal.max_cents],
    ['amount_out_of_range', 60_000, 300_000_000],
  )

  await json('payment-type', 'set', 'humo', '--group', 'card', '--bank-code', 'humo', '--name', 'Humo')
  await json(
    'payment-type',
    'set',
    'humo',
    '--currency',
    'UZS',
    '--min-cents',
    '1',
    '--max-cents',
    '9',
    '--disable',
  )
  const { payment_types } = await json('payment-type', 'list')
  const found = payment_types.filter((one: { code: string }) => one.code === 'humo')
  assert.deepEqual(found, [
    {
      code: 'humo',
      name: 'Humo',
      requisite_group: 'card',
      bank_code: 'humo',
      type_enabled: true,
      currency: 'UZS',
      min_cents: 1,
      max_cents: 9,
      enabled: false,
    },
  ])
  const text = (await inlet('payment-type', 'list')).stdout
  assert.match(text, /^humo +Humo +card of humo +UZS +1 +9 +no$/m)
  assert.match(text, /^account_number .* KZT +50000 +250000000 +yes$/m)
})

test('payment-type set does not say "saved" for a limit without its currency', async () => {
  for (const more of [
    ['--min-cents', '5'],
    ['--max-cents', '5'],
    ['--merchant', nobody],
  ]) {
    assert.match(await refused('payment-type', 'set', 'sbp', ...more), /--currency/)
  }
})

test('what an operator does to a deposit keeps who, why and on what evidence', async () => {
  const shop = shopFrom(await newMerchant())
  const { body: deposit } = await shop.create()
  const given = ['--reason', 'Seen in the bank', '--by', 'anna', '--evidence', 'Order 17 of 3 May']
  assert.equal((await json('deposit', 'confirm', deposit.id, ...given)).state, 'confirmed')
  const { history } = await json('deposit', 'show', deposit.id)
  const { actor, reason, evidence } = history.at(-1)
  assert.deepEqual(
    { actor, reason, evidence },
    { actor: 'operator:anna', reason: 'Seen in the bank', evidence: { given: 'Order 17 of 3 May' } },
  )
})

test('deposit list and show: newest first, filtered, with the timeline', async () => {
  const created = await newMerchant()
  const shop = shopFrom(created)
  const records = [(await shop.create()).body, (await shop.create()).body]
  const listed = await json('deposit', 'list', '--merchant', created.merchant)
  assert.deepEqual(listed.deposits, records.toReversed())
  assert.deepEqual(
    (await json('deposit', 'list', '--merchant', created.merchant, '--state', 'confirmed')).deposits,
    [],
  )
  const after = await json('deposit', 'list', '--merchant', created.merchant, '--after', records[1].id)
  assert.deepEqual(after.deposits, [records[0]])
  assert.equal((await json('deposit', 'list', '--limit', '1')).deposits.length, 1)
  const table = (await inlet('deposit', 'list', '--merchant', created.merchant)).stdout
  assert.match(
    table,
    new RegExp(
      `^${records[0].id} .*created +1.500\\.00.RUB +account_number +${records[0].external_id}$`,
      'm',
    ),
  )

  const { reference, history, ...record } = await json('deposit', 'show', records[0].id)
  assert.deepEqual(record, records[0])
  assert.ok(records[0].payment_data.payment_reason.endsWith(reference))
  assert.deepEqual(
    history.map((entry: Record<string, unknown>) => [
      entry.action,
      entry.from_state,
      entry.to_state,
      entry.actor,
    ]),
    [['create', null, 'created', 'merchant']],
  )
  const shown = (await inlet('deposit', 'show', records[0].id)).stdout
  assert.match(shown, new RegExp(`^${records[0].id} +created +1.500\\.00.RUB +account_number$`, 'm'))
  assert.match(shown, /^\S+Z +create +created +merchant +–$/m)
})

for (const { name, secret, operation, fields, string, signature } of vectors.literal) {
  test(`sign and verify, vector ${name}`, async () => {
    const words = ['--secret', secret, '--operation', operation, JSON.stringify(fields)]
    assert.deepEqual(await json('sign', ...words), { string, signature })
    assert.equal((await inlet('sign', ...words)).stdout, `${string}\n\nX-Signature: ${signature}\n`)
    assert.deepEqual(await json('verify', '--signature', signature, ...words), { valid: true, string })
  })
}

for (const { name, secret, kid, t, method, target, body, string, header } of vectors.v2) {
  test(`sign --v2 and verify, vector ${name}`, async () => {
    const words = ['--secret', secret, '--method', method, '--path', target]
    const signed = await json('sign', '--v2', '--time', String(t), '--key-id', kid, ...words, body)
    assert.deepEqual(signed, { string, signature: header })
    assert.deepEqual(await json('verify', '--signature', header, ...words, body), { valid: true, string })
    const other = await refused('verify', '--signature', header, ...words, `${body} `)
    assert.match(other, /^The signature does not match\./)
  })
}

for (const { name, fields, signature } of vectors.must_pass) {
  test(`verify accepts: ${name}`, async () => {
    const { secret } = vectors.literal[0]
    await json('verify', '--secret', secret, '--signature', signature, JSON.stringify(fields))
  })
}

for (const { name, fields, signature } of vectors.must_fail) {
  // Spaces around an option are dropped, as HTTP drops those around a header.
  if (signature !== null && signature.trim() !== signature) continue
  test(`verify refuses: ${name}`, async () => {
    const given = signature === null ? [] : [`--signature=${signature}`]
    await refused('verify', '--secret', vectors.literal[0].secret, ...given, JSON.stringify(fields))
  })
}

test('sign refuses what the literal rule cannot carry, and a body that the server would refuse', async () => {
  const sign = (body: string) => refused('sign', '--secret', 'canary-secret', body)
  for (const { value } of vectors.separator.filter((one: { refused: boolean }) => one.refused)) {
    assert.match(await sign(JSON.stringify({ customer: value })), /^customer contains "::"/)
  }
  for (const body of ['', '{', '[]', '{"cents":1,"cents":2}', '{"cents":null}', 'cents=1']) {
    const stderr = await sign(body)
    assert.match(stderr, /^The body is refused: \S/, body)
    assert.ok(!stderr.includes('canary-secret'))
  }
})

test('sign reads a file, and says so when there is none', async () => {
  const { secret, fields, signature } = vectors.literal[0]
  const file = join(folder, 'body.json')
  await writeFile(file, JSON.stringify(fields))
  assert.equal((await json('sign', '--secret', secret, `@${file}`)).signature, signature)
  const stderr = await refused('sign', '--secret', secret, '@/no/such/file')
  assert.match(stderr, /\/no\/such\/file/)
  assert.doesNotMatch(stderr, /database/)
})

test('without --secret the demo merchant signs', async () => {
  const { secret, fields, signature } = vectors.literal[0]
  const demo = {
    base_url: 'x',
    merchant: fields.merchant,
    key_id: 'key_demo',
    signing_secret: secret,
    callback_secret: 'x',
  }
  await writeFile(join(folder, 'demo.json'), JSON.stringify(demo))
  try {
    assert.equal((await json('sign', JSON.stringify(fields))).signature, signature)
    assert.match((await json('sign', '--v2', '--time', '5', '{}')).signature, /^t=5,kid=key_demo,v2=/)
  } finally {
    await rm(join(folder, 'demo.json'))
  }
})

test('every command that a document names exists', async () => {
  const root = new URL('../', import.meta.url)
  const names = (await inlet('--help')).stdout.match(/(?<=^inlet )\S+(?: \S+)?(?= {2})/gm)!
  const documents = (await readdir(new URL('docs/', root), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  const unknown: string[] = []
  for (const name of ['README.md', 'SECURITY.md', ...documents]) {
    const text = await readFile(new URL(name, root), 'utf8')
    for (const [, verb, noun] of text.matchAll(
      /(?:`|^)(?:npm run (?:--silent )?)?inlet (?:-- )?([a-z][a-z-]*)(?: ([a-z-]+))?/gm,
    )) {
      if (!names.includes(verb!) && !names.includes(`${verb} ${noun}`))
        unknown.push(`${name}: ${verb} ${noun}`)
    }
  }
  assert.deepEqual(unknown, [])
})
