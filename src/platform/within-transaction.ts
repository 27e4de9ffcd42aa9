/** A database that is one open transaction: verbs that begin their own join it, and all of them end together. */
import type { Db, Tx } from './db.ts'

export const withinTransaction = (db: Db, tx: Tx): Db => ({
  ...db,
  get pool() {
    return db.pool
  },
  query: (statement) => tx.query(statement),
  together: (ask) => ask(tx),
  transaction: (work) => work(tx),
})
