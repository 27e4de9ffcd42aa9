/**
 * Poolers between Inlet and PostgreSQL: one that gives clients each other's sessions is refused, one that drops the options of a
 * connection is served. The real PgBouncer is in `npm run test:cluster`.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { before, test } from 'node:test'
import { bounds } from '../../src/platform/bounds.ts'
import { type Db, type Login, openDatabase, sql } from '../../src/platform/db.ts'
import { OperatorProblem } from '../../src/platform/operator-problem.ts'
import { refuseSharedSessions } from '../../src/platform/pooler.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})

test('connections with their own sessions are accepted', async () => {
  await refuseSharedSessions(twoConnections(database.login))
})

test('connections that share a session are refused with a sentence', async () => {
  const { host, port } = await startPooler({ isShared: true })
  await assert.rejects(refuseSharedSessions(twoConnections({ ...database.login, host, port })), (problem) => {
    assert.ok(problem instanceof OperatorProblem)
    assert.match(problem.message, /another session after each transaction.+Set pool_mode = session/)
    return true
  })
})

test('if a pooler drops the options of a connection, settings are made by statements', async () => {
  const { host, port } = await startPooler({ isShared: false })
  const db = openDatabase({ ...database.login, host, port }, { role: 'inlet_runtime', connections: 1 })
  atEnd(() => db.close())
  assert.deepEqual(
    await db.one(sql`
      select
        current_user::text as role, current_setting('search_path') as path, current_setting('jit') as jit,
        current_setting('lock_timeout') as lock`),
    { role: 'inlet_runtime', path: 'inlet', jit: 'off', lock: `${bounds.lockTimeoutMs / 1_000}s` },
  )
})

function twoConnections(login: Login): Db {
  const db = openDatabase(login, { connections: 2 })
  atEnd(() => db.close())
  return db
}

/** Drops the options; a shared one lets every later client speak in the session of the first, one statement after another. */
async function startPooler({ isShared }: { isShared: boolean }): Promise<{ host: string; port: number }> {
  const { login } = database
  const sockets: Socket[] = []
  let first: Socket | undefined
  let asking: Socket | undefined
  const server = createServer((client) => {
    const upstream = connect(`${login.host}/.s.PGSQL.${login.port}`)
    sockets.push(client, upstream)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    let isReady = false
    client.once('data', (startup) => {
      // A client of another test that looks for what listened on this port before.
      if (startup.length < 8 || startup.readUInt32BE(4) !== protocol) return void client.destroy()
      upstream.write(withoutOptions(startup))
      client.on('data', (bytes) => {
        asking = client
        if (isReady) first ??= upstream
        const session = isShared && isReady ? first! : upstream
        session.write(bytes)
      })
    })
    upstream.on('data', (bytes) => {
      // ReadyForQuery: signed in.
      isReady ||= bytes.includes(Buffer.from([0x5a, 0, 0, 0, 5]))
      const receiver = isShared && upstream === first ? asking! : client
      receiver.write(bytes)
    })
    client.on('close', () => upstream !== first && upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

/** Version 3.0, as a startup message names it. */
const protocol = 0x30000

/** A startup message: its length, the version of the protocol, then names and values, each with a zero behind it. */
function withoutOptions(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString().split('\0')
  const at = words.indexOf('options')
  assert.ok(at >= 0)
  words.splice(at, 2)
  const body = Buffer.from(words.join('\0'))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  startup.copy(head, 4, 4, 8)
  return Buffer.concat([head, body])
}
