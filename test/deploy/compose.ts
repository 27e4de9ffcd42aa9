/**
 * `npm run test:deploy`: deploy/compose.yaml as a whole. PostgreSQL, two Inlets and Caddy are started by the commands of docs/operate.md, looked
 * at as an operator would, killed, stopped and started again. It needs podman-compose, podman, debootstrap, root, and the
 * registries of Debian and npm; without them it is skipped. The last figures stand in docs/reliability.md.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import https from 'node:https'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { type Acknowledged, assertKept, loadCreates, until } from '../support/create-load.ts'
import { type Answer, call, createPath, type Shop, shopOf } from '../support/gateway.ts'
import {
  Absence,
  type Composition,
  missingForCompose,
  prepareComposition,
  type Service,
  services,
} from './composition.ts'
import { root } from './proxy.ts'

const inlets = ['inlet-a', 'inlet-b'] as const
const written = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
const [, grace = ''] = /stop_grace_period: (\d+)s/.exec(written) ?? []
const requisite = '40702810300000000042'

let absence = missingForCompose()
let composition: Composition
let shop: Shop
let timeToHealthy: string
/** Every deposit that any claim below got an answer for. */
const acknowledged: Acknowledged = new Map()
/** What nobody may read in a log: it was printed once, to the operator. */
const printed: string[] = []

before(async () => {
  if (absence) return
  try {
    composition = await prepareComposition('localhost')
  } catch (error) {
    if (!(error instanceof Absence)) throw error
    absence = error.message
    return
  }
  const began = performance.now()
  await composition.compose('up', '--detach', '--build')
  const built = performance.now()
  tls.setDefaultCACertificates([...tls.getCACertificates(), await composition.authority()])
  await composition.healthy(...services)
  timeToHealthy = `built and started in ${seconds(built - began)}, all four healthy ${seconds(performance.now() - built)} later`
})

const claim = (title: string, check: (t: TestContext) => Promise<void>) =>
  test(title, (t) => (absence === undefined ? check(t) : t.skip(absence)))

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const command = (...words: string[]) => composition.exec('inlet-a', 'node', 'bin/inlet.mjs', ...words)
const commandJson = async (...words: string[]) => JSON.parse(await command(...words, '--json'))

claim('all four become healthy, the doctor agrees, and the first person gets a link', async (t) => {
  t.diagnostic(timeToHealthy)
  assert.match(await composition.compose('ps'), /inlet_proxy_1/)
  assert.match(await command('doctor'), /Every promise holds/)
  const words = ['person', 'invite', 'you@example.com', '--name', 'Your Name', '--operator', 'admin']
  const [link = ''] = /https:\/\/localhost\/\S+/.exec(await command(...words)) ?? []
  printed.push(link.split('/').at(-1)!)
  const page = await call('', throughPort(link))
  assert.equal(page.status, 200)
  assert.match(page.body, /you@example\.com|Your Name/)
})

claim(
  'a merchant is made by a command, its signed create passes Caddy, and the payment page shows',
  async () => {
    shop = await openShop()
    const { status, body } = await shop.create()
    assert.equal(status, 201, JSON.stringify(body))
    acknowledged.set(body.order_id ?? body.external_id, body.id)
    assert.ok(body.payment_data.url.startsWith('https://localhost/pay/'))
    const page = await call('', throughPort(body.payment_data.url))
    assert.equal(page.status, 200)
    const shown = page.body.replaceAll(/\s|&nbsp;|\u00a0|\u202f/g, '')
    for (const text of ['1500', requisite, body.payment_data.payment_reason.match(/KT\d{8}/)[0]])
      assert.ok(shown.includes(text), text)
    const files = [...page.body.matchAll(/(?:src|href)="(\/[^"]+\.(?:css|js)[^"]*)"/g)].map(
      ([, path]) => path!,
    )
    assert.ok(files.length > 0)
    for (const file of files) assert.equal((await fetch(composition.url + file)).status, 200, file)
  },
)

claim('each runs with the rights that it needs and no more', async () => {
  const status = (service: Service) => composition.exec(service, 'cat', '/proc/1/status')
  for (const service of inlets) {
    assert.match(await status(service), /^Uid:\s10001\s.*^CapEff:\s0+$.*^CapBnd:\s0+$.*^NoNewPrivs:\s1$/ms)
    assert.equal(await composition.inspect(service, '{{.HostConfig.Memory}}'), String(512 * 2 ** 20))
  }
  // NET_BIND_SERVICE alone.
  assert.match(await status('proxy'), /^CapEff:\s0+400$.*^CapBnd:\s0+400$.*^NoNewPrivs:\s1$/ms)
  assert.match(await status('postgres'), /^Uid:\s999\s.*^CapEff:\s0+$.*^NoNewPrivs:\s1$/ms)
  for (const [service, file] of [
    ['inlet-a', '/app/new'],
    ['inlet-b', '/app/new'],
    ['proxy', '/srv/new'],
  ] as const)
    await assert.rejects(
      composition.podman('exec', `inlet_${service}_1`, 'touch', file),
      /Read-only file system/,
    )
})

claim('of all ports only those of Caddy are published: no metrics, no database', async () => {
  const published = await composition.podman('port', '--all')
  assert.deepEqual(published.match(/\d+\/tcp/g)?.sort(), ['443/tcp', '80/tcp'])
  const { url, plainUrl } = composition
  for (const path of ['/metrics', '/%6detrics', '//metrics']) {
    assert.equal((await fetch(url + path)).status, 404, path)
    assert.equal((await fetch(plainUrl + path)).status, 403, path)
  }
  // They are there for a Prometheus in the network "front", so the lines above could fail.
  const ask = "fetch('http://inlet-b:9464/metrics').then(async (answer) => console.log(await answer.text()))"
  assert.match(await composition.exec('inlet-a', 'node', '-e', ask), /^inlet_\w+/m)
  await composition.exec('proxy', 'getent', 'hosts', 'inlet-a')
  await assert.rejects(composition.exec('proxy', 'getent', 'hosts', 'postgres'))
})

claim('Inlet sees the address of the client, not the one of Caddy', async (t) => {
  const address = Object.values(networkInterfaces())
    .flatMap((row) => row ?? [])
    .find((row) => row.family === 'IPv4' && !row.internal && !/^10\.8[389]\./.test(row.address))?.address
  if (!address) return t.skip('this machine has no address besides loopback')
  const headers = { host: 'localhost', 'x-signature': '0'.repeat(64), 'x-forwarded-for': '203.0.113.9' }
  const body = JSON.stringify(shop.order())
  assert.equal(await post(address, { ...headers, 'content-type': 'application/json' }, body), 401)
  const refused = async () => {
    const lines = (await Promise.all(inlets.map(composition.log))).join('\n').split('\n')
    return lines.filter((line) => line.includes('"refused"') && line.includes(createPath))
  }
  await until('a line of the log', async () => (await refused()).length > 0)
  for (const line of await refused()) assert.equal(JSON.parse(line).address, address)
})

claim(
  'one Inlet is killed under load: no acknowledged deposit is lost, and it comes back by itself',
  async (t) => {
    const clients = loadCreates(shop, acknowledged, 3)
    await more(40)
    const restarts = async () => Number(await composition.inspect('inlet-b', '{{.RestartCount}}'))
    const earlier = await restarts()
    process.kill(Number(await composition.inspect('inlet-b', '{{.State.Pid}}')), 'SIGKILL')
    await more(40)
    await until('the restart', async () => (await restarts()) > earlier)
    await composition.healthy('inlet-b')
    await more(40)
    await clients.stop()
    t.diagnostic(figures(clients))
    assertOnlyCaddyRefused(clients)
    assert.deepEqual(clients.unanswered, [])
    await assertKept(shop, acknowledged)
  },
)

claim('one Inlet is stopped under load: it ends in order, and the other one goes on', async (t) => {
  const clients = loadCreates(shop, acknowledged, 3)
  await more(40)
  const began = performance.now()
  await composition.compose('stop', '--timeout', grace, 'inlet-a')
  const took = performance.now() - began
  // 137 would be the SIGKILL that follows when the time is over.
  assert.equal(await composition.inspect('inlet-a', '{{.State.ExitCode}}'), '0')
  await more(40)
  await composition.compose('start', 'inlet-a')
  await composition.healthy('inlet-a')
  await more(40)
  await clients.stop()
  t.diagnostic(`stopped in ${seconds(took)} of ${grace} s; ${figures(clients)}`)
  assertOnlyCaddyRefused(clients)
  assert.deepEqual(clients.unanswered, [])
  await assertKept(shop, acknowledged)
})

claim(
  'an Inlet that is stopped while it starts ends by itself, though process 1 ignores what it does not handle',
  async () => {
    await composition.compose('stop', '--timeout', grace, 'inlet-a')
    await composition.compose('start', 'inlet-a')
    await composition.compose('stop', '--timeout', grace, 'inlet-a')
    assert.notEqual(await composition.inspect('inlet-a', '{{.State.ExitCode}}'), '137')
    await composition.compose('start', 'inlet-a')
    await composition.healthy('inlet-a')
  },
)

claim('restart keeps everything', async () => {
  await composition.compose('restart', '--timeout', grace)
  await composition.healthy(...services)
  await assertKept(shop, acknowledged)
  assert.equal((await shop.create()).status, 201)
})

claim('no log and no setting of a container holds a secret', async () => {
  const secrets = await composition.secrets()
  assert.equal(secrets.size, 5)
  const hidden = [...secrets.values(), shop.secret, ...printed]
  assert.ok(hidden.every((text) => text.length > 20))
  for (const service of services) {
    const log = await composition.log(service)
    assert.ok(log.length > 100, service)
    const settings = await composition.podman('inspect', `inlet_${service}_1`)
    for (const text of hidden) assert.ok(!log.includes(text) && !settings.includes(text), service)
  }
})

claim('all end in order, and down and up keep everything', async (t) => {
  const began = performance.now()
  await composition.compose('stop', '--timeout', grace, ...services)
  t.diagnostic(`all four stopped in ${seconds(performance.now() - began)}`)
  for (const service of services)
    assert.equal(await composition.inspect(service, '{{.State.ExitCode}}'), '0', service)
  await composition.compose('down', '--timeout', grace)
  await assert.rejects(composition.inspect('inlet-a', '{{.Id}}'))
  const started = performance.now()
  await composition.compose('up', '--detach')
  await composition.healthy(...services)
  t.diagnostic(`up again and healthy in ${seconds(performance.now() - started)}`)
  await assertKept(shop, acknowledged)
  assert.equal((await shop.create()).status, 201)
  assert.match(await command('doctor', '--all'), /Every promise holds/)
  t.diagnostic(`${acknowledged.size} acknowledged deposits, all there`)
})

/** A shop with a live account, made by the commands of the operator. */
async function openShop(): Promise<Shop> {
  // Nobody accepts the invitation here.
  await query("update people set operator_role = 'admin' where email = 'you@example.com'")
  const by = ['--by', 'you@example.com']
  const made = await commandJson('merchant', 'create', '--name', 'My shop', '--mode', 'live', ...by)
  printed.push(made.signing_secret, made.callback_secret)
  const rate = ['--rate-per-second', '100000', '--rate-burst', '100000']
  await command('merchant', 'limits', made.merchant, ...rate, ...by, '--reason', 'A test of load')
  // At the desk two people add a requisite; here there is nobody yet.
  const script = `
    with account as (
      insert into receiving_accounts (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id,
        owner_agreement, added_by)
      values (gen_random_uuid(), 'live', 'RUB', 'Main', 'Owner', 'Owner', '7700000009', 'No. 1', 'anna')
      returning id
    ), requisite as (
      insert into requisites (id, account_id, mode, currency, kind, number, holder, bank_name, bic, corr_account, tax_id)
      select gen_random_uuid(), id, 'live', 'RUB', 'account_ru', '${requisite}', 'Owner', 'Bank', '044525999',
        '30101810600000000999', '7700000009'
      from account
      returning id
    )
    insert into requisite_loads (requisite_id) select id from requisite`
  await query(script)
  return shopOf(composition, made.merchant, made.key_id, made.signing_secret)
}

const query = (script: string) =>
  composition.exec('postgres', 'psql', '--username', 'postgres', '--dbname', 'inlet', '--command', script)

async function more(count: number): Promise<void> {
  const wanted = acknowledged.size + count
  await until(`${count} more deposits`, () => acknowledged.size >= wanted)
}

/**
 * Inlet itself refuses nothing. Caddy 2.6 does, with an empty body: 502 for what a killed Inlet had in its hands, and for a POST that it sends on after a dial
 * that failed, because its body is closed by then; 503 while it takes such a failure for one of the Inlet that is well. A shop repeats both;
 * more than one in twenty would be an outage.
 */
function assertOnlyCaddyRefused({ answers }: ReturnType<typeof loadCreates>): void {
  const ofCaddy = ({ status, body }: Answer) => (status === 502 || status === 503) && body === ''
  assert.deepEqual(
    answers.filter((answer) => answer.status !== 201 && !ofCaddy(answer)),
    [],
  )
  const refused = answers.filter(ofCaddy).length
  assert.ok(refused <= answers.length / 20, `${refused} of ${answers.length} refused by Caddy`)
}

function figures({ answers, unanswered }: ReturnType<typeof loadCreates>): string {
  const others = answers.filter(({ status }) => status !== 201).map(({ status }) => status)
  return `${answers.length} creates, ${others.length} answered ${[...new Set(others)].join(' or ') || 'otherwise'}, ${unanswered.length} unanswered`
}

/** Links have the name alone: Caddy is reached at another port here. */
const throughPort = (link: string) => link.replace('https://localhost/', `${composition.url}/`)

const post = (host: string, headers: Record<string, string>, body: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const place = {
      host,
      port: composition.httpsPort,
      servername: 'localhost',
      path: createPath,
      agent: false,
    }
    const request = https.request({ ...place, method: 'POST', headers })
    request.on('response', (answer) => resolve(answer.resume().statusCode))
    request.on('error', reject)
    request.end(body)
  })
