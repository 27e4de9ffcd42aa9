/**
 * The world a benchmark runs in: a real embedded PostgreSQL in a folder of its own, merchants and requisites
 * made by the same verbs an operator uses, and Inlet as its own process, so that its memory is its own and the
 * load does not share its event loop. Everything that was opened is closed, also after Ctrl-C.
 *
 * Each place is a database of its own with an Inlet of its own, cloned when a row first asks for it.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { changeMerchant } from '../src/domain/merchants/change-merchant.ts'
import { createMerchant } from '../src/domain/merchants/create-merchant.ts'
import type { MerchantId } from '../src/domain/merchants/merchant.ts'
import { addAccount, addRequisite } from '../src/domain/requisites/add-requisite.ts'
import { luhnDigit } from '../src/domain/requisites/luhn.ts'
import type { RequisiteDraft } from '../src/domain/requisites/requisite.ts'
import { accountKey } from '../src/domain/requisites/russian-account.ts'
import { monotonicMs, sleep } from '../src/platform/clock.ts'
import { type Db, type Login, openDatabase } from '../src/platform/db.ts'
import { createLog } from '../src/platform/log.ts'
import { migrate } from '../src/platform/migrate.ts'
import { type EmbeddedPostgres, joinPostgres } from '../src/platform/postgres.ts'
import { postgresFolder } from '../src/platform/postgres-home.ts'
import { proveVault } from '../src/platform/sealing-key.ts'
import { createVault } from '../src/platform/vault.ts'
import type { Shop } from './orders.ts'

type Receiver = Omit<RequisiteDraft, 'currency'>
type Inlet = {
  port: number
  pid: number
  stop(): Promise<void>
  /** The end of what it printed, and how it ended if it did: for a failure that it may explain. */
  lastWords(): string
}

export type World = {
  shop: Shop
  status: (text: string) => void
  /** The first of a block of order numbers. */
  draw(count: number): number
  login(place: string): Promise<Login>
  superuser(place: string): Promise<Login>
  /** Inlet on the database of this place; started at the first call, and after it was left. */
  inlet(place: string): Promise<Inlet>
  leave(place: string): Promise<void>
  /** Processor time that the Inlets and PostgreSQL have used so far; none where it cannot be read. */
  cpuMs(): Promise<{ inlet: number; postgres: number }>
  /** The highest resident memory any Inlet of this run has had, in bytes. */
  peakRss(): Promise<number>
  /** How long `inlet start` takes on the data of this run. Ends every other Inlet and the database. */
  timeStart(times: number): Promise<number[]>
  close(): Promise<void>
}

const bounds = {
  accounts: 8,
  cards: 20,
  readyMs: 20_000,
  stopMs: 15_000,
  pollMs: 5,
} as const

const root = fileURLToPath(new URL('../', import.meta.url))
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
/** The words after `exec node` in `npm start`: its memory is bounded there. */
const words: string[] = scripts.start.split(' exec node ')[1].split(' ')
const masterKey = Buffer.alloc(32, 7)

type WorldOptions = {
  status: (text: string) => void
  profileDir?: string | undefined
  /** Called with the function that ends everything before anything is started: Ctrl-C may come at any moment. */
  closing: (close: () => Promise<void>) => void
}

export async function openWorld({ status, profileDir, closing }: WorldOptions): Promise<World> {
  status('starting PostgreSQL')
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-bench-'))
  const inlets = new Map<string, Promise<Inlet>>()
  const databases = new Map<string, Promise<void>>()
  let postgres: Promise<EmbeddedPostgres> | undefined
  let peak = 0
  let drawn = 1

  const leave = async (place: string) => {
    const inlet = await inlets.get(place)?.catch(() => undefined)
    inlets.delete(place)
    if (!inlet) return
    peak = Math.max(peak, await peakRssOf(inlet.pid))
    await inlet.stop()
  }
  const stopAll = async () => {
    await Promise.all([...inlets.keys()].map(leave))
    const joined = await postgres?.catch(() => undefined)
    postgres = undefined
    await joined?.stop()
  }
  let closed: Promise<void> | undefined
  const closeAll = async () => {
    await stopAll()
    await rm(postgresFolder(dataDir), { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
  const close = () => {
    closed ??= closeAll()
    return closed
  }
  closing(close)

  try {
    postgres = joinPostgres({ dataDir, as: 'server', log: () => {} })
    const { owner, runtime } = await postgres
    const secrets = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
    const as = (login: Login, database: string) => ({ ...login, database })
    const superuser = { ...owner, user: 'postgres', password: secrets.superuser }
    await migrateOnce(owner)
    status('making merchants and requisites')
    const shop = await seed(runtime)
    const admin = await connect(as(superuser, 'postgres'))
    const postmaster = await findPostmaster(admin).finally(() => admin.end())
    /** Clones the database at the first call. */
    const placed = async (login: Login, place: string) => {
      if (!databases.has(place)) databases.set(place, clone(as(superuser, 'postgres'), place))
      await databases.get(place)
      return as(login, place)
    }

    return {
      shop,
      status,
      draw(count) {
        drawn += count
        return drawn - count
      },
      login: (place) => placed(runtime, place),
      superuser: (place) => placed(superuser, place),
      inlet(place) {
        const known = inlets.get(place)
        if (known) return known
        const starting = placed(runtime, place).then((login) =>
          startInlet(
            dataDir,
            { DATABASE_URL: urlOf(login), INLET_OWNER_DATABASE_URL: urlOf(as(owner, place)) },
            profileDir,
          ),
        )
        inlets.set(place, starting)
        starting.catch(() => inlets.delete(place))
        return starting
      },
      leave,
      async cpuMs() {
        const pids = (await Promise.all(inlets.values())).map((inlet) => inlet.pid)
        return cpuMsOf(pids, postmaster)
      },
      async peakRss() {
        for (const inlet of await Promise.all(inlets.values()))
          peak = Math.max(peak, await peakRssOf(inlet.pid))
        return peak
      },
      async timeStart(times) {
        await stopAll()
        const took: number[] = []
        for (let time = 0; time < times; time++) {
          status(`start: ${time + 1} of ${times}`)
          const begin = monotonicMs()
          const inlet = await startInlet(dataDir, {})
          took.push(monotonicMs() - begin)
          await inlet.stop()
        }
        return took
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function migrateOnce(login: Login): Promise<void> {
  const owner = openDatabase(login, { connections: 1 })
  await migrate(
    owner,
    createLog('error', () => {}),
  ).finally(() => owner.close())
}

async function seed(login: Login): Promise<Shop> {
  const db = openDatabase(login, { connections: 2 })
  try {
    await proveVault(db, createVault(masterKey), 'server')
    const shop = await addShop(db)
    for (let number = 1; number <= bounds.accounts; number++) await addReceiver(db, accountDraft(number))
    for (let number = 1; number <= bounds.cards; number++) await addReceiver(db, cardDraft(number))
    return shop
  } finally {
    await db.close()
  }
}

/** A merchant whose requests are never too many. */
export async function addShop(db: Db, callbackUrl: string | null = null): Promise<Shop> {
  const vault = createVault(masterKey)
  const created = await createMerchant(db, vault, { name: 'Bench shop', mode: 'test', callbackUrl })
  const merchant = created.merchant.id
  await setRate(db, merchant, 1_000_000)
  return { merchant, secret: created.signingSecret, keyId: created.keyId }
}

export const setRate = (db: Db, merchant: string, perSecond: number): Promise<unknown> =>
  changeMerchant(db, {
    merchantId: merchant as MerchantId,
    settings: { ratePerSecond: perSecond, rateBurst: 4 * perSecond },
  })

async function addReceiver(db: Db, draft: Receiver): Promise<void> {
  const { id: accountId } = await addAccount(db, {
    mode: 'test',
    currency: 'RUB',
    merchantId: null,
    label: `Bench ${draft.number}`,
    ownerLegalName: 'ООО "Пример"',
    ownerPublicName: 'ООО "Пример"',
    ownerTaxId: '7700000009',
    ownerAgreement: 'Bench data, no agreement',
    addedBy: 'bench',
  })
  const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
  await addRequisite(db, { accountId, draft, bankCode: null, limits, confirmed: true })
}

function accountDraft(number: number): Receiver {
  const bic = '044525999'
  const bare = `407028100${String(number).padStart(11, '0')}`
  return {
    kind: 'account_ru',
    number: bare.slice(0, 8) + accountKey(bic, bare) + bare.slice(9),
    holder: 'ООО "Пример"',
    bankName: 'Банк "Тест"',
    bic,
    corrAccount: '30101810600000000999',
    taxId: '7700000009',
  }
}

function cardDraft(number: number): Receiver {
  const body = `220000000000${String(number).padStart(3, '0')}`
  return { kind: 'card', number: body + luhnDigit(body), holder: 'INLET BENCH', bankName: 'Test Bank' }
}

/** PostgreSQL's process id. Figures without durability would be worthless, so it is verified. */
async function findPostmaster(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ durable: boolean; pid: number }>(
    `select
       current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as durable,
       pg_backend_pid() as pid`,
  )
  if (!rows[0]!.durable) throw new Error('PostgreSQL runs without fsync or synchronous_commit.')
  return (await processOf(rows[0]!.pid)).parent
}

async function clone(login: Login, place: string): Promise<void> {
  const client = await connect(login)
  try {
    await client.query(`create database ${place} template inlet owner inlet_owner`)
  } finally {
    await client.end()
  }
}

/** A connection of the bench's own. Its loss fails the next query; alone it must not end the process. */
export async function connect(login: Login): Promise<pg.Client> {
  const client = new pg.Client({ ...login, options: `-c search_path=inlet -c timezone=UTC` })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Of native memory, as in production. */
function memorySettings(): Record<string, string> {
  const [, settings = ''] =
    /^Environment=(MALLOC_.*)$/m.exec(readFileSync(join(root, 'deploy/inlet.service'), 'utf8')) ?? []
  return Object.fromEntries(settings.split(' ').map((setting) => setting.split('=')))
}

async function startInlet(
  dataDir: string,
  database: Record<string, string>,
  profileDir?: string,
): Promise<Inlet> {
  const port = await freePort()
  const flags = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : []
  const program = words.map((word) => (word.endsWith('.mjs') ? join(root, word) : word))
  const child = spawn(process.execPath, [...flags, ...program], {
    // An empty working folder: no .env of a developer changes a figure.
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      INLET_DATA_DIR: dataDir,
      INLET_MASTER_KEY: masterKey.toString('base64'),
      // The page row plays customers behind a proxy.
      INLET_TRUSTED_PROXIES: '127.0.0.1',
      ...memorySettings(),
      ...database,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.push(text)
      if (output.length > 20) output.shift()
    })
  }
  const stop = () => stopChild(child)
  const lastWords = () => {
    const { exitCode, signalCode } = child
    const end = exitCode === null && signalCode === null ? '' : `It ended with ${signalCode ?? exitCode}.`
    return `${output.join('')}${end}`
  }
  const end = monotonicMs() + bounds.readyMs
  while (!(await isReady(port))) {
    if (child.exitCode !== null || child.signalCode !== null || monotonicMs() > end) {
      const words = lastWords()
      await stop()
      throw new Error(`Inlet did not start:\n${words}`)
    }
    await sleep(bounds.pollMs)
  }
  return { port, pid: child.pid!, stop, lastWords }
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    async (response) => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), bounds.stopMs)
  await exited
  clearTimeout(impatience)
}

async function peakRssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

/** A backend that ends takes its time with it, so connections stay open while something is measured. */
async function cpuMsOf(inlets: number[], postmaster: number): Promise<{ inlet: number; postgres: number }> {
  const sum = { inlet: 0, postgres: 0 }
  for (const name of await readdir('/proc').catch(() => [])) {
    const pid = Number(name)
    if (Number.isNaN(pid)) continue
    const { parent, cpuMs, endedMs } = await processOf(pid)
    if (parent === postmaster) sum.postgres += cpuMs
    else if (pid === postmaster) sum.postgres += endedMs
    else if (inlets.includes(pid) || inlets.includes(parent)) sum.inlet += cpuMs
  }
  return sum
}

const clockTicksPerSecond = 100

/** `endedMs`: processor time of its child processes that have ended. */
async function processOf(pid: number): Promise<{ parent: number; cpuMs: number; endedMs: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name comes second, in brackets, and may hold spaces; the fields after it do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number)
  const msOf = (ticks: number) => (ticks * 1000) / clockTicksPerSecond
  return {
    parent: Number(fields[1] ?? 0),
    cpuMs: msOf(user + system),
    endedMs: msOf(endedUser + endedSystem),
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

const urlOf = ({ host, port, database, user, password }: Login): string =>
  `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
