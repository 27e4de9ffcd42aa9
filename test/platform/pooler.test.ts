/** A pooler between Inlet and PostgreSQL, such as PgBouncer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { before, test } from 'node:test'
import { openDatabase, sql } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})

test('a pooler that drops the settings of a connection is refused with a sentence', async () => {
  const { login } = database
  const sockets: Socket[] = []
  const pooler = createServer((client) => {
    const upstream = connect(`${login.host}/.s.PGSQL.${login.port}`)
    sockets.push(client, upstream)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.once('data', (startup) => {
      // A client of another test that looks for what listened on this port before.
      if (startup.length < 8 || startup.readUInt32BE(4) !== protocol) return void client.destroy()
      upstream.write(withoutOptions(startup))
      client.pipe(upstream).pipe(client)
    })
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  const { port } = pooler.address() as AddressInfo
  const db = openDatabase({ ...login, host: '127.0.0.1', port }, { connections: 1 })
  atEnd(async () => {
    await db.close()
    for (const socket of sockets) socket.destroy()
    pooler.close()
  })
  await assert.rejects(db.run(sql`select 1`), {
    name: 'OperatorProblem',
    message: /^A pooler in front of PostgreSQL .+connect it to PostgreSQL directly\.$/,
  })
})

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
