/** Bounds of a machine, divided among the processes that share its port. */
import { bounds } from './bounds.ts'
import type { ConnectionBounds } from './connections.ts'

/** The part of one process. Connections are not handed out exactly evenly, so a little is added. */
export const partOf = (most: number, processes: number): number =>
  processes === 1 ? most : Math.ceil((most / processes) * (1 + bounds.processes.unevenShare))

/**
 * Two bounds are not divided, because they bound the memory of one process: all connections, and the bytes of all unfinished requests.
 * With a sixteenth of these bytes, a few networks would push out the others.
 */
export const connectionsOf = (all: ConnectionBounds, processes: number): ConnectionBounds => ({
  ...all,
  mostOfNetwork: partOf(all.mostOfNetwork, processes),
  unreadBytesOfNetwork: partOf(all.unreadBytesOfNetwork, processes),
  unreadBytesInAll: partOf(all.unreadBytesInAll, processes),
})

/**
 * How much work besides creates may hold a connection at once, in a process with so many connections for money: what merchants ask for,
 * what customers do on payment pages, and banks' pushes, together and each. A connection is left to creates, and a place to somebody else.
 */
export function workBoundsOf(money: number) {
  // Of the fewest connections that a process may have, three, one is left.
  const inAll = Math.max(2, money - bounds.connectionsForCreates)
  const within = <Kind extends { atOnce: number; ofOwner: number }>(kind: Kind): Kind => {
    const atOnce = Math.min(kind.atOnce, inAll)
    return { ...kind, atOnce, ofOwner: Math.min(kind.ofOwner, atOnce - 1) }
  }
  const { merchantWork, pageActs, pushes } = bounds
  return {
    inAll,
    merchantWork: within(merchantWork),
    pageActs: within(pageActs),
    pushes: within(pushes.turns),
  }
}

export type DatabaseConnections = { money: number; people: number }

/**
 * Connections to PostgreSQL for each process, of all that the server allows. At a rolling restart there is one process
 * more for a moment.
 */
export function databaseConnectionsOf(allowed: number, processes: number): DatabaseConnections {
  const { money, people } = bounds.databaseConnections
  const { connectionsLeft, connectionsLeast } = bounds.processes
  const fair = Math.floor((allowed - connectionsLeft) / (processes + 1))
  const each = Math.min(money + people, Math.max(connectionsLeast, fair))
  const forPeople = Math.max(2, Math.floor((each * people) / (money + people)))
  return { money: each - forPeople, people: forPeople }
}
