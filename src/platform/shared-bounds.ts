/** Connections to PostgreSQL, divided among the processes that share the port. */
import { bounds } from './bounds.ts'

/** Pushes hold connections that creates need too: so many at once, in a process with so many connections for money. */
export function pushTurnsOf(money: number): { atOnce: number; ofOwner: number } {
  const { atOnce, ofOwner } = bounds.pushes.turns
  const most = Math.min(atOnce, Math.max(2, money - 2))
  return { atOnce: most, ofOwner: Math.min(ofOwner, most - 1) }
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
