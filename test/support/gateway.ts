/** A whole gateway in this process, on a real port and a real database, and a merchant's server to call it. */

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Operation, signLiteral, signV2 } from '../../sdk/signature.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import type { Mode } from '../../src/domain/merchants/merchant.ts'
import type { LoginAttempts } from '../../src/domain/people/login-attempts.ts'
import { passwordCost } from '../../src/domain/people/password.ts'
import { startGateway as startRealGateway } from '../../src/gateway.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import type { Foundation } from '../../src/platform/foundation.ts'
import { createLog } from '../../src/platform/log.ts'
import type { RoutePolicy } from '../../src/surfaces/staff/guarded-routes.ts'
import { atEnd } from './clean-up.ts'
import { createDatabase, type TestDatabase } from './database.ts'

export type TestGateway = Foundation & {
  url: string
  config: Config
  database: TestDatabase
  /** Every line that was logged, for tests that look for what must not be there. */
  logged: string[]
  policies: readonly RoutePolicy[]
  attempts: LoginAttempts
  stop(): Promise<void>
}

/** The timeouts of production, for tests of timeouts and of load. Other tests have longer ones, because a slow machine keeps locks longer. */
export const productionTimeouts = { lockMs: bounds.lockTimeoutMs, statementMs: bounds.statementTimeoutMs }

type GatewayOptions = {
  /** A second gateway on the same database. */
  beside?: TestGateway
  demo?: boolean
  environment?: Record<string, string>
  /** Connections that are opened at the start. They are few, because most tests send one request after the other, and more are opened when needed. */
  keptOpen?: { money: number; people: number }
  timeouts?: { lockMs: number; statementMs: number }
}

const masterKey = Buffer.alloc(32, 7).toString('base64')

// Hundreds sign in, and each would cost as much as all the rest of its test. Programs that a test starts hash as in production.
Object.assign(passwordCost, { memory: 64, passes: 1 })

export async function startGateway({
  beside,
  demo = true,
  environment,
  keptOpen = { money: 2, people: 1 },
  timeouts = { lockMs: 30_000, statementMs: 60_000 },
}: GatewayOptions = {}): Promise<TestGateway> {
  const database = beside?.database ?? (await createDatabase(demo ? 'demo' : 'inlet'))
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-gateway-'))
  const logged: string[] = []
  const { lockTimeoutMs, statementTimeoutMs } = bounds
  Object.assign(bounds, { lockTimeoutMs: timeouts.lockMs, statementTimeoutMs: timeouts.statementMs })
  const { config, foundation, gateway } = await started().finally(() =>
    Object.assign(bounds, { lockTimeoutMs, statementTimeoutMs }),
  )

  /** Somebody may take the port between our looking and our listening. */
  async function started() {
    for (let attempt = 1; ; attempt++) {
      const config = readConfig({
        PORT: String(await freePort()),
        DATABASE_URL: database.url,
        INLET_DATA_DIR: dataDir,
        INLET_MASTER_KEY: masterKey,
        INLET_LOG_LEVEL: 'debug',
        INLET_METRICS_PORT: 'off',
        ...environment,
      })
      const log = createLog(config.logLevel, (line) => logged.push(line))
      const foundation = await openFoundation(config, 'server', log, { keptOpen })
      try {
        return { config, foundation, gateway: await startRealGateway(config, foundation, log) }
      } catch (error) {
        await foundation.close()
        if ((error as { code?: string }).code !== 'EADDRINUSE' || attempt === 5) throw error
      }
    }
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= gateway.close().then(() => foundation.close())
    return stopped
  }
  atEnd(async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const { policies, attempts } = gateway
  const url = `http://localhost:${config.port}`
  return { ...foundation, url, config, database, logged, policies, attempts, stop }
}

/** Below the range from which systems give out ports by themselves: nobody takes it before we do. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

export type Fields = Record<string, string | number>
// biome-ignore lint/suspicious/noExplicitAny: tests compare the body with what it must be.
export type Answer = { status: number; headers: Headers; body: any }

/** A merchant's server: it knows its keys and how to sign. */
export type Shop = {
  merchant: string
  keyId: string
  secret: string
  /** A valid create request; every call has a new order_id. */
  order(fields?: Fields): Fields
  create(fields?: Fields): Promise<Answer>
  /** The other flow: the customer chooses on the page. */
  build(fields?: Fields): Promise<Answer>
  post(operation: Operation, fields: Fields, options?: { headers?: Record<string, string> }): Promise<Answer>
  createV2(fields: Fields): Promise<Answer>
  get(target: string): Promise<Answer>
}

export async function openShop(
  gateway: TestGateway,
  { mode = 'test' as Mode, rate = 100_000 } = {},
): Promise<Shop> {
  const created = await createMerchant(gateway.db, gateway.vault, {
    name: 'Test shop',
    mode,
    callbackUrl: null,
  })
  await gateway.database.owner.script(
    `update merchants set rate_per_second = ${rate}, rate_burst = ${rate} where id = '${created.merchant.id}'`,
  )
  return shopOf(gateway, created.merchant.id, created.keyId, created.signingSecret)
}

export function shopOf({ url }: { url: string }, merchant: string, keyId: string, secret: string): Shop {
  const order = (fields: Fields = {}): Fields => ({
    merchant,
    order_id: `order-${newId()}`,
    cents: 150_000,
    currency: 'RUB',
    payment_type: 'account_number',
    customer: 'customer-1',
    ...fields,
  })
  const signed = (method: string, target: string, body: Buffer, t = nowSeconds()) =>
    signV2({ secret, kid: keyId, t, method, target, body })
  const get = (target: string, t?: number) =>
    call(url, target, { headers: { 'x-signature': signed('GET', target, Buffer.alloc(0), t) } })
  const post: Shop['post'] = (operation, fields, { headers = {} } = {}) =>
    call(url, `/api/v1/requests/deposit/${operation}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-signature': signLiteral(secret, operation, textOf(fields)),
        ...headers,
      },
      body: JSON.stringify(fields),
    })
  return {
    merchant,
    keyId,
    secret,
    order,
    post,
    create: (fields) => post('create', order(fields)),
    build: (fields) => post('build', order({ payment_type: 'uzs_select', ...fields })),
    createV2(fields) {
      const body = Buffer.from(JSON.stringify(fields))
      return call(url, createPath, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-signature': signed('POST', createPath, body) },
        body,
      })
    },
    // A test that moves the clock cannot know whether the gateway has noticed: it gets the time, and signs for it.
    async get(target) {
      const answer = await get(target)
      return answer.body.code === 'timestamp_out_of_window' ? get(target, answer.body.server_time) : answer
    },
  }
}

export const createPath = '/api/v1/requests/deposit/create'

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

const signed = new Set<string>()
/** A time inside of the window, another one at each call for a target: equal requests get signatures of their own. */
export function freshSeconds(target: string): number {
  const now = nowSeconds()
  // 0, 1, -1, 2, -2: all tests of a process that send to this target share ten minutes.
  for (let away = 0; ; away = away > 0 ? -away : 1 - away) {
    const request = `${now + away} ${target}`
    if (signed.has(request)) continue
    signed.add(request)
    return now + away
  }
}

export const textOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))

export async function call(url: string, target: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url + target, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** A POST without a body, signed with v2. */
export function signedPost(
  { url }: { url: string },
  { secret, keyId }: Shop,
  target: string,
): Promise<Answer> {
  const signature = signV2({
    secret,
    kid: keyId,
    t: freshSeconds(target),
    method: 'POST',
    target,
    body: Buffer.alloc(0),
  })
  return call(url, target, { method: 'POST', headers: { 'x-signature': signature } })
}
