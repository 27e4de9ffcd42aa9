/**
 * The rights of a person are read when a request arrives, but its act may wait for locks, and somebody may take the rights
 * away meanwhile. So they are checked once more in the transaction of the act, by `appendAudit`: its lock orders the audited acts of
 * everybody, those that take rights away included. An act that comes after it sees it; one that came before is committed when
 * it goes on. The check comes from the async context, so that no verb has to pass it on, and none can forget it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tx } from '../../platform/db.ts'

type Acting = { personId: string; check: (tx: Tx) => Promise<void> }

const asking = new AsyncLocalStorage<{ now: Acting | null }>()

/** What this person does in `work` is checked again; what `work` leaves behind when it ends (an import that goes on) is not. */
export async function actingAs<Result>(acting: Acting, work: () => Promise<Result>): Promise<Result> {
  const held: { now: Acting | null } = { now: acting }
  try {
    return await asking.run(held, work)
  } finally {
    held.now = null
  }
}

/** Throws the refusal if the person who acts may do this no longer. */
export async function checkActing(tx: Tx, personId: string | null): Promise<void> {
  const acting = asking.getStore()?.now
  if (acting && acting.personId === personId) await acting.check(tx)
}
