/** The road between a node and PostgreSQL, which can be cut, or fall silent, and be whole again. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Login } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'

export type DatabaseProxy = {
  url: string
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  /** Passes nothing on and ends nothing, so that neither side notices. */
  silence(): Promise<void>
  /** Carries again, also what was under way. */
  restore(): Promise<void>
  /** Serves new connections again. The silent connections stay silent and never end. */
  restoreForNew(): Promise<void>
}

export async function startDatabaseProxy({ host, port, ...login }: Login): Promise<DatabaseProxy> {
  let isSilent = false
  const roads = new Set<Socket>()
  // Unread bytes stay in the kernel, as lost ones stay with the sender until they are taken.
  const server = createServer({ pauseOnConnect: true }, (node) => {
    const database = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    carry(node, database)
    carry(database, node)
    for (const socket of isSilent ? [] : [node, database]) socket.resume()
  })

  function carry(from: Socket, to: Socket): void {
    roads.add(from)
    from.pause()
    from.on('data', (bytes) => to.write(bytes))
    from.on('error', () => {})
    from.on('close', () => {
      roads.delete(from)
      to.destroy()
    })
  }

  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const here = await listen(0)
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of roads) socket.destroy()
    await closed
  }
  atEnd(async () => {
    if (server.listening) await cut()
  })
  const { user, password, database } = login
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${here}/${database}`,
    cut,
    async silence() {
      isSilent = true
      for (const socket of roads) socket.pause()
    },
    async restore() {
      isSilent = false
      for (const socket of roads) socket.resume()
      if (!server.listening) await listen(here)
    },
    async restoreForNew() {
      isSilent = false
    },
  }
}
