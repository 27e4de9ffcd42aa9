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
import { decideAs, officeContextOf } from './support/office.ts'
import { joined } from './support/person.ts'

const program = fileURLToPath(new URL('../bin/inlet.mjs', import.meta.url))
const vectors = JSON.parse(await readFile(new URL('./vectors/signature.json', import.meta.url), 'utf8'))
// Here, because tests that are registered before a wait may end, and with them the file, while the others are not known yet.
const commands = (await inlet('help')).stdout.matchAll(/^inlet ([a-z-]+(?: [a-z-]+)?) {2,}/gm)
const names = [...commands].map(([, name]) => name!)

let gateway: TestGateway
let folder: string
let settings: Record<string, string>
let admin: Awaited<ReturnType<typeof joined>>
let approver: Awaited<ReturnType<typeof joined>>
/** Who acts, and why. */
let by: string[]
let why: string[]
before(async () => {
  gateway = await startGateway()
  admin = await joined(gateway, { operatorRole: 'admin' })
  approver = await joined(gateway, { operatorRole: 'approver' })
  settings = await commandsOn(gateway)
  by = ['--by', admin.email]
  why = [...by, '--reason', 'As agreed']
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

const newMerchant = (mode = 'test') => json('merchant', 'create', '--name', 'Shop', '--mode', mode, ...by)
const shopFrom = (created: { merchant: string; key_id: string; signing_secret: string }): Shop =>
  shopOf(gateway, created.merchant, created.key_id, created.signing_secret)
const nobody = '00000000-0000-4000-8000-000000000000'

test('the real program: merchant create --json prints one JSON document, and its keys work over HTTP', async () => {
  const words = ['merchant', 'create', '--name', 'Лавка "Ёж"', '--mode', 'test']
  const { code, stdout, stderr } = await spawned([
    ...[...words, ...by, '--json'],
    ...['--callback', 'https://shop.example/cb'],
  ])
  assert.deepEqual([code, stderr], [0, ''])
  const created = JSON.parse(stdout)
  assert.deepEqual(Object.keys(created), ['id', 'merchant', 'key_id', 'signing_secret', 'callback_secret'])
  const { name, callback_url } = await json('merchant', 'show', created.merchant)
  assert.deepEqual([name, callback_url], ['Лавка "Ёж"', 'https://shop.example/cb'])
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
    assert.deepEqual(
      [code, stdout, stderr],
      [
        1,
        '',
        'not_found: Check the address or the identifier. What belongs to another merchant looks the same.\n',
      ],
    )
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
    assert.deepEqual(
      [code, listed],
      [0, ['key list', 'key show', 'key rotate', 'key secret', 'key v2', 'key both', 'key reseal']],
    )
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

test('a merchant is named with --merchant', async () => {
  assertUsageProblem(
    await refused('key', 'list', nobody, '--merchant', nobody),
    ['key'],
    `Unexpected word "${nobody}": quote values that contain spaces, and give one value at a time.`,
  )
  assert.match(await refused('key', 'list'), /^--merchant is required\.\n\n {2}inlet key list --merchant ID /)
})

test('a surplus argument is refused: a value was not quoted, or a second object would be ignored', async () => {
  for (const [words, unexpected] of [
    ['merchant create --name My shop --mode test', 'shop'],
    [`requisite stop ${nobody} ${nobody}`, nobody],
    [`deposit reject ${nobody} --by a@example.com --reason stolen card`, 'card'],
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
    assert.match(own[0]!, /^inlet merchant list /)
    assert.equal(own.filter((line) => line.startsWith('inlet ')).length, 11)
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
  ['merchant create --name A --mode test', '--by is required.'],
  [
    'merchant create --name A --mode test --by nobody@shop.example',
    '--by must be the email address of a person with access.',
  ],
  ['merchant show', '--id is required.'],
  [
    'merchant show x',
    'not_found: Check the address or the identifier. What belongs to another merchant looks the same.',
  ],
  ['key list --merchant x', '--merchant must be an id as printed by inlet.'],
  ['account add --mode test', '--by is required.'],
  ['requisite stop x --by nobody@example.com', '--by must be the email address of a person with access.'],
  [
    'requisite show x',
    'not_found: Check the address or the identifier. What belongs to another merchant looks the same.',
  ],
  [`account number ${nobody} --number 1`, '--by is required.'],
  ['person invite --operator admin', 'An e-mail address is required.'],
  ['statement import', 'Name the file.'],
  ['statement mapping x', 'Give a name, of letters, digits, - and _, and the file with the mapping.'],
  ['deposit show', '--id is required.'],
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

test('merchant show and list tell of the same merchant; options that are not given stay', async () => {
  const { merchant } = await newMerchant()
  const shown = await json('merchant', 'show', merchant)
  assert.partialDeepStrictEqual(shown, {
    ...{ merchant, name: 'Shop', mode: 'test', state: 'on', callback_url: null },
    ...{ payment_minutes: 30, late_grace_hours: 24, underpaid: 'Wait for the rest', rate_burst: 400 },
  })
  await json('merchant', 'times', merchant, '--payment-minutes', '1440', ...why)
  await json('merchant', 'differences', merchant, '--underpaid-policy', 'accept', ...why)
  await json('merchant', 'limits', merchant, '--customer-day', '9999999999999.99', ...why)
  await json('merchant', 'page', merchant, '--name', 'Лавка', ...why)
  assert.partialDeepStrictEqual(await json('merchant', 'show', merchant), {
    ...{ name: 'Лавка', payment_minutes: 1440, late_grace_hours: 24, rate_burst: 400 },
    customer_day_cents: '9999999999999.99',
  })
  await json('merchant', 'limits', merchant, '--customer-day=', ...why)
  assert.equal((await json('merchant', 'show', merchant)).customer_day_cents, 'No limit')
  const { merchants } = await json('merchant', 'list')
  assert.ok(
    merchants.some((one: { id: string; name: string }) => one.id === merchant && one.name === 'Лавка'),
  )
})

let unchanged: ReturnType<typeof json> | undefined
for (const [act, option, bad] of [
  ['times', 'choice-minutes', ['4', '1441', '1.5', 'x']],
  ['times', 'late-grace-hours', ['721']],
  ['differences', 'underpaid-policy', ['confirm', 'WAIT']],
  ['differences', 'underpaid-tolerance', ['10000000000000', 'x']],
  ['differences', 'late-policy', ['reject']],
  ['limits', 'rate-per-second', ['0', '1000001']],
  ['limits', 'customer-open-deposits', ['0', 'all']],
  ['limits', 'customer-day', ['0', '-1']],
] as const)
  test(`merchant ${act} --${option} refuses ${bad.join(', ')} and changes nothing`, async () => {
    unchanged ??= newMerchant().then(({ merchant }) => json('merchant', 'show', merchant))
    const before = await unchanged
    for (const value of bad)
      assert.match(
        await refused('merchant', act, before.id, `--${option}=${value}`, ...why),
        /^--|^invalid_value: /,
        value,
      )
    assert.deepEqual(await json('merchant', 'show', before.id), before)
  })

test('merchant stop stops its requests, start lets them through', async () => {
  const [stopped, back] = [await newMerchant(), await newMerchant()]
  for (const { merchant } of [stopped, back]) await json('merchant', 'stop', merchant, ...by)
  await json('merchant', 'start', back.merchant, ...by)
  assert.equal((await shopFrom(stopped).create()).body.code, 'merchant_disabled')
  assert.equal((await shopFrom(back).create()).status, 201)
})

test('a live merchant takes no http address; its addresses wait for a second person, those of a test merchant do not', async () => {
  const [live, trial] = [await newMerchant('live'), await newMerchant('test')]
  const http = ['--address', 'http://shop.example/cb', ...by]
  const shop = (act: string, { merchant }: { merchant: string }, ...words: string[]) =>
    json('shop', act, '--merchant', merchant, ...words)
  assert.match(
    await refused('shop', 'callback', '--merchant', live.merchant, ...http),
    /^url_not_allowed: .*\n.*https/,
  )
  assert.ok((await shop('callback', live, '--address', 'https://shop.example/cb', ...by)).request)
  await shop('callback', trial, ...http)
  await shop(
    'returns',
    trial,
    '--success',
    'http://shop.example/s',
    '--reject',
    'https://shop.example/r',
    ...by,
  )
  await shop('returns', trial, '--success', '', ...by)
  const { callback_url, success_url, reject_url } = await shop('show', trial)
  assert.deepEqual(
    [callback_url, success_url, reject_url],
    ['http://shop.example/cb', null, 'https://shop.example/r'],
  )
})

test('key rotate: the new key and the old one both sign; with no overlap only the new one; list shows no secret', async () => {
  const created = await newMerchant()
  const own = ['--merchant', created.merchant]
  const first = await json('key', 'rotate', ...own, ...by)
  assert.match(first.secret, /^sk_test_/)
  const old = shopFrom(created)
  const renewed = shopOf(gateway, created.merchant, first.key_id, first.secret)
  assert.deepEqual([(await old.create()).status, (await renewed.create()).status], [201, 201])
  const requestKeys = async () =>
    (await json('key', 'list', ...own)).keys.filter(
      ({ purpose, state }: { purpose: string; state: string }) => purpose === 'request' && state === 'active',
    )
  assert.deepEqual(
    (await requestKeys()).map((key: { id: string; not_after: string | null }) => [
      key.id,
      key.not_after === null,
    ]),
    [
      [first.key_id, true],
      [created.key_id, false],
    ],
  )
  const { stdout } = await inlet('key', 'list', ...own)
  for (const secret of [first.secret, created.signing_secret]) assert.ok(!stdout.includes(secret))
  const last = await json('key', 'rotate', ...own, '--days', '0', '--v2-only', ...by)
  assert.deepEqual(
    (await requestKeys()).map((key: { id: string; v2_only: string }) => [key.id, key.v2_only]),
    [[last.key_id, 'v2']],
  )
})

test('key rotate refuses a fourth live key, and makes callback secrets of their own', async () => {
  const { merchant, callback_secret } = await newMerchant()
  const own = ['--merchant', merchant, ...by]
  await json('key', 'rotate', ...own)
  await json('key', 'rotate', ...own)
  assert.match(await refused('key', 'rotate', ...own), /^too_many_keys: /)
  const callback = await json('key', 'secret', ...own)
  assert.match(callback.secret, /^whsec_/)
  assert.notEqual(callback.secret, callback_secret)
})

const accountWords = (more: string[] = []) => [
  'account',
  'add',
  ...['--mode', 'test', '--currency', 'RUB', '--label', 'Main', '--owner', 'ООО "Ёж"'],
  ...['--tax-id', '7700000009', '--agreement', 'No. 5', '--by', admin.email],
  ...more,
]
const newAccount = async (): Promise<string> => (await json(...accountWords())).id

test('account add, show and list: the owner is on record', async () => {
  const { merchant } = await newMerchant()
  const { id } = await json(...accountWords(['--public-name', 'Ёж', '--merchant', merchant]))
  assert.partialDeepStrictEqual(await json('account', 'show', id), {
    ...{ id, label: 'Main', state: 'on', owner: 'ООО "Ёж"', currency: 'RUB', mode: 'test' },
    ...{ public_name: 'Ёж', tax_id: '7700000009', agreement: 'No. 5', number: null, merchant },
    ...{ added_by: admin.email, matching: 'Cards and phones only', heard: null },
  })
  assert.match((await inlet('account', 'show', id)).stdout, /^owner: ООО "Ёж"$/m)
})

test('account add refuses to do without any of its words', async () => {
  const all = accountWords()
  for (const option of ['mode', 'currency', 'owner', 'tax-id', 'agreement', 'by']) {
    const stderr = await refused(...all.toSpliced(all.indexOf(`--${option}`), 2))
    assert.match(stderr, option === 'by' ? /^--by is required\./ : /(\w+): Fill this in\./)
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
  ...['--holder', 'ANN', '--bank-name', 'Test Bank', '--by', admin.email, '--reason', 'More room', ...more],
]
/** Asked for, and approved by somebody else. */
async function added(words: string[]): Promise<string> {
  const { request } = await json(...words)
  const { acted } = await decideAs(officeContextOf(gateway), approver, request)
  return acted.show!.id
}

test('requisite add: a hard finding is a refusal that --confirmed does not lift, and no number is repeated', async () => {
  const account = await newAccount()
  const right = newCard()
  const wrong = right.slice(0, -1) + ((Number(right.at(-1)) + 1) % 10)
  for (const more of [[], ['--confirmed'], ['--json']]) {
    const stderr = await refused(...requisiteWords(account, wrong, more))
    assert.match(stderr, /^invalid_value: .*\n {2}number: The check digit of the card number does not match/)
    assert.ok(!stderr.includes(wrong))
  }
  assert.ok(await added(requisiteWords(account, right)))
})

test('requisite add: an account with all its details and limits, and show has them', async () => {
  const account = await newAccount()
  const requisite = await added([
    ...['requisite', 'add', '--account', account, '--kind', 'account_ru', '--number', '40702810600000000043'],
    ...['--holder', 'ООО "Ёж"', '--bank-name', 'Банк', '--bic', '044525999'],
    ...['--corr-account', '30101810600000000999', '--tax-id', '7700000009', '--min', '1', '--max', '2'],
    ...['--daily', '3', '--open', '4', '--bank-code', 'ezh', '--by', admin.email, '--reason', 'More room'],
  ])
  const rub = (cents: number) => ({ cents, currency: 'RUB' })
  assert.deepEqual(await json('requisite', 'show', requisite), {
    ...{
      id: requisite,
      requisite: ['Account, Russia', '•••• 0043'],
      available: 'yes',
      bank: 'Банк',
      account,
    },
    ...{ today: { cents: 0, of_cents: 300, currency: 'RUB' }, open: '0 of 4', paid: null },
    ...{ last_confirmed: null, currency: 'RUB', mode: 'test', kind: 'account_ru', holder: 'ООО "Ёж"' },
    ...{ owner: 'ООО "Ёж"', bank_code: 'ezh', bic: '044525999', tax_id: '7700000009' },
    ...{ month: rub(0), min: rub(100), max: rub(200) },
  })
})

test('requisite list shows masked numbers only, of every requisite there is', async () => {
  const rows = await gateway.database.owner.query<{ number: string }>({
    text: 'select number from requisites',
    name: '',
    values: [],
  })
  assert.ok(rows.length > 80 && rows.length <= 200)
  for (const words of [
    ['requisite', 'list', '--limit', '200'],
    ['requisite', 'list', '--limit', '200', '--json'],
  ]) {
    const { stdout } = await inlet(...words)
    for (const { number } of rows)
      assert.ok(!stdout.includes(number) && !stdout.includes(number.slice(0, -4)))
    assert.equal(stdout.match(/•••• /g)?.length, rows.length)
  }
})

test('requisite stop takes it out at once, on brings it back with a second person', async () => {
  const requisite = await added(requisiteWords(await newAccount(), newCard()))
  const available = async () => (await json('requisite', 'show', requisite)).available
  assert.deepEqual(await json('requisite', 'stop', requisite, '--by', admin.email), { id: requisite })
  assert.equal(await available(), 'off')
  const { request } = await json('requisite', 'on', requisite, '--by', admin.email, '--reason', 'All is well')
  assert.equal(await available(), 'off')
  await decideAs(officeContextOf(gateway), approver, request)
  assert.equal(await available(), 'yes')
})

test('an error of the database is printed as a sentence, not as a stack', async () => {
  const account = await newAccount()
  for (const words of [
    requisiteWords(account, newCard(), ['--min', '500', '--max', '499']),
    accountWords(['--merchant', nobody]),
    accountWords(['--tax-id', '7'.repeat(21)]),
    accountWords(['--owner', 'x'.repeat(161)]),
    accountWords(['--agreement', 'x'.repeat(201)]),
  ]) {
    assert.doesNotMatch(await refused(...words), /constraint|violates/, words.join(' '))
  }
})

test('payment-type: limits for everybody or one merchant, a switch, and a new type', async () => {
  const { merchant, ...keys } = await newMerchant()
  const by = ['--by', admin.email]
  const limits = (code: string, ...words: string[]) => inlet('payment-type', 'limits', code, ...words, ...by)
  await limits('account_number', '--currency', 'KZT', '--min', '600', '--merchant', merchant)
  await limits('account_number', '--currency', 'KZT', '--max', '2500000')
  const own = shopFrom({ merchant, ...keys } as Parameters<typeof shopFrom>[0])
  const refusal = (await own.create({ currency: 'KZT', cents: 59_999 })).body
  // The merchant's own limits are whole: they were copied before the general maximum changed.
  assert.deepEqual(
    [refusal.code, refusal.min_cents, refusal.max_cents],
    ['amount_out_of_range', 60_000, 300_000_000],
  )

  const humo = ['--code', 'humo', '--group', 'card', '--bank', 'humo', '--name', 'Humo']
  assert.equal((await json('payment-type', 'add', ...humo, ...by)).id, 'humo')
  assert.match(await refused('payment-type', 'add', ...humo, ...by), /code: This code is taken/)
  await limits('humo', '--currency', 'UZS', '--min', '0.01', '--max', '0.09', '--offered', 'no')
  const listed = (await json('payment-type', 'list'))['payment-types']
  assert.deepEqual(
    listed.find((one: { id: string }) => one.id === 'humo'),
    {
      ...{ id: 'humo', name: ['Humo', 'humo'], state: 'on' },
      ...{ serves: ['Cards', 'humo'], limits: ['0.01 – 0.09\u00a0UZS', 'off'] },
    },
  )
  assert.match((await inlet('payment-type', 'list')).stdout, /^account_number .*500\.00 – 2.500.000\.00.KZT/m)
  assert.match(await refused('payment-type', 'limits', 'sbp', '--min', '5', ...by), /currency: /)
})

test('what an operator does to a deposit keeps who and why', async () => {
  const shop = shopFrom(await newMerchant())
  const { email } = await joined(gateway, { operatorRole: 'admin' })
  const { body: deposit } = await shop.create()
  await json('deposit', 'reject', deposit.id, '--reason', 'Nothing at the bank', '--by', email)
  const { state, parts } = await json('deposit', 'show', deposit.id)
  assert.deepEqual(state, ['rejected'])
  const [, what, , who, why] = parts.History.at(-1)
  assert.deepEqual([what, who, why], ['Rejected', `operator:${email}`, 'Nothing at the bank'])
})

test('deposit list and show: newest first, filtered, with the history', async () => {
  const created = await newMerchant()
  const shop = shopFrom(created)
  const records = [(await shop.create()).body, (await shop.create()).body]
  const idsOf = ({ deposits }: { deposits: { id: string }[] }) => deposits.map(({ id }) => id)
  const ids = records.map(({ id }) => id)
  const ofMerchant = ['deposit', 'list', '--merchant', created.merchant]
  assert.deepEqual(idsOf(await json(...ofMerchant)), ids.toReversed())
  assert.deepEqual(idsOf(await json(...ofMerchant, '--state', 'confirmed')), [])
  assert.deepEqual(idsOf(await json(...ofMerchant, '--after', ids[1])), [ids[0]])
  assert.equal((await json('deposit', 'list', '--limit', '1')).deposits.length, 1)
  const table = (await inlet(...ofMerchant)).stdout
  assert.match(table, new RegExp(`^${ids[0]} +1.500\\.00.RUB +created .*${records[0].external_id}`, 'm'))
  const { reference, amount } = await json('deposit', 'show', ids[0])
  assert.deepEqual(amount, { cents: 150_000, currency: 'RUB' })
  assert.ok(records[0].payment_data.payment_reason.endsWith(reference))
  const shown = (await inlet('deposit', 'show', ids[0])).stdout
  assert.match(shown, /^amount: 1.500\.00.RUB$/m)
  assert.match(shown, /^\S+Z +Created +created +merchant /m)
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
