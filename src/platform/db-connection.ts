/**
 * Sends queries on one connection of the driver, without the promise and the timer that it would make for each of them. These
 * outlived V8's young generation, with the values of their queries: a twelfth of what a create allocates was promoted, and
 * under load there was a collection of the whole heap every second.
 */
import type { Socket } from 'node:net'
import type pg from 'pg'
import { silenceText } from './db-errors.ts'

/** Members of the driver that its types leave out. */
type Client = pg.ClientBase & { connection: { stream: Socket }; readyForQuery: boolean }

/**
 * The server ends a statement at `statement_timeout`. If not even that error arrives, the connection is dead (a lost machine,
 * a firewall that forgot it), and we would wait forever. The socket's timer starts again whenever something is sent or
 * received.
 */
export function endWhenSilent(client: pg.ClientBase): void {
  const connected = client as Client
  const { stream } = connected.connection
  stream.on('timeout', () => {
    if (!connected.readyForQuery) stream.destroy(new Error(silenceText))
  })
}

/** `answerMs`: after how many milliseconds without an answer the connection is given up; 0 for never. */
export function send(
  client: pg.ClientBase,
  query: string | pg.QueryConfig,
  answerMs: number,
): Promise<pg.QueryResult> {
  const { stream } = (client as Client).connection
  if (stream.timeout !== answerMs) stream.setTimeout(answerMs)
  return new Promise((resolve, reject) =>
    client.query(query as pg.QueryConfig, (error, result) => (error ? reject(error) : resolve(result))),
  )
}
