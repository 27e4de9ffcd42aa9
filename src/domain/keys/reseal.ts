/**
 * Re-encrypts everything that the old master key has sealed with the current one, while servers with both keys run. Each
 * group of rows is one transaction and finds by itself what is left, so a run that was killed is simply started again. It
 * ends with a proof: every value opens with the current key alone.
 *
 * Digests cannot be computed again without their input. Those of recovery codes go through the new key on top of the
 * old one (`recoveryKeys`); the seals of the audit log are computed again, from what they say and after a check by the old
 * key; heads in the log stay comparable by the key that `key_generations` keeps.
 */
import type { Db, Queryable, Tx } from '../../platform/db.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import {
  derivedKeyLabel,
  findUnopened,
  keyOfCheck,
  macChain,
  readMacKeys,
  sealCheck,
} from '../../platform/sealing-key.ts'
import { isEqual, opened, type Vault } from '../../platform/vault.ts'
import { isOurSeal, type Seal, sealMac } from '../audit/audit.ts'
import { appendAudit } from '../audit/store.ts'
import { replaceRecoveryCodes } from '../people/factor-store.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'
import {
  countGenerations,
  countOldCodes,
  countProcessesWithout,
  countSealed,
  endGenerations,
  insertGeneration,
  lockCheck,
  lockOldCodes,
  readSealed,
  readSeals,
  writeCheck,
  writeSealed,
  writeSeals,
} from './store.ts'

/** How many values are read and sealed in one transaction. */
const batchSize = 200
/** Long, because a person who saves a form may hold a row for a moment. */
const timeouts = { statementMs: 60_000 }

/** A value that none of our keys opens, or that was sealed with the old key during the run. */
type Unsealed = { table: string; id: string }

type Resealed = {
  keyId: string
  /** How many values this run has re-encrypted. */
  resealed: number
  /** All that open with the current key. */
  proved: number
  damaged: Unsealed[]
  /** Sealed with the old key while this ran, by a process that does not know the current one. */
  late: Unsealed[]
  isFinished: boolean
}

type ResealOptions = { leaveDamaged: boolean; onProgress?: (done: { done: number; total: number }) => void }

/** `owner`: seals of the audit log may be changed by the owner of the schema alone. */
export async function reseal(
  owner: Db,
  vault: Vault,
  { leaveDamaged, onProgress = () => {} }: ResealOptions,
): Promise<Resealed> {
  await owner.transaction((tx) => activateKey(tx, vault))
  const total = (await countLeft(owner, vault)).reduce((sum, { count }) => sum + count, 0)
  let done = 0
  const count = (rows: number) => {
    done += rows
    onProgress({ done, total: Math.max(done, total) })
  }
  for (const column of sealedColumns) await resealColumn(owner, vault, column, count)
  await rekeyCodes(owner, vault, count)
  await resealSeals(owner, vault, count)
  const { proved, damaged, late } = await prove(owner, vault)
  const isFinished = late.length === 0 && (damaged.length === 0 || leaveDamaged)
  if (isFinished) await owner.transaction((tx) => finish(tx, vault, { proved, damaged: damaged.length }))
  return { keyId: vault.current.id, resealed: done, proved, damaged, late, isFinished }
}

/** For `inlet doctor`: what is left to do with the old key. */
export async function findOldKey(db: Queryable, vault: Vault): Promise<{ id: string; detail: string }[]> {
  const unopened = await findUnopened(db, vault)
  if (unopened)
    return [
      { id: unopened.id, detail: 'values are sealed with this key, which is not set: INLET_OLD_MASTER_KEY' },
    ]
  if (!vault.old) return []
  const left = await countLeft(db, vault)
  return left.length === 0
    ? [{ id: vault.old.id, detail: 'the old key is set, but no longer needed: remove INLET_OLD_MASTER_KEY' }]
    : left.map(({ table, count }) => ({
        id: table,
        detail: `${count} values are still sealed with the old key: run "inlet key reseal"`,
      }))
}

/** How many values the current key has not sealed, by table. */
async function countLeft(db: Queryable, { current }: Vault): Promise<{ table: string; count: number }[]> {
  const counts = []
  for (const column of sealedColumns)
    counts.push({ table: column.table, count: await countSealed(db, column, current.prefix) })
  const codes = await countOldCodes(db, await countGenerations(db))
  return [...counts, { table: 'people.recovery_digests', count: codes }].filter(({ count }) => count > 0)
}

/** From its commit on every process seals with the current key. */
async function activateKey(tx: Tx, vault: Vault): Promise<void> {
  const { current } = vault
  const { check } = await lockCheck(tx)
  const used = keyOfCheck(vault, check!)!
  if (used === current) {
    if ((await countGenerations(tx)) === 0)
      throw new OperatorProblem(
        'INLET_MASTER_KEY is the key that this database is sealed with. To change it, set the new key there and this one as INLET_OLD_MASTER_KEY.',
      )
    return
  }
  const unopened = await findUnopened(tx, vault)
  if (unopened)
    throw new OperatorProblem(
      `Values are still sealed with the key ${unopened.id}: finish that reseal first, with it as INLET_OLD_MASTER_KEY.`,
    )
  const without = await countProcessesWithout(tx, current.id)
  if (without > 0)
    throw new OperatorProblem(
      `${without} connections to the database are of processes that do not have the new key. Start every process with both keys first.`,
    )
  const generation = await countGenerations(tx)
  const sealedKey = (purpose: 'recovery code' | 'inlet audit head') =>
    current.seal(used.macKey(purpose).toString('base64'), derivedKeyLabel(purpose, generation))
  await insertGeneration(tx, generation, {
    keyId: used.id,
    nextKeyId: current.id,
    recoveryKey: sealedKey('recovery code'),
    headKey: sealedKey('inlet audit head'),
  })
  await writeCheck(tx, sealCheck(current))
}

async function resealColumn(
  db: Db,
  vault: Vault,
  column: SealedColumn,
  count: (rows: number) => void,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const rows = await db.transaction(async (tx) => {
      const found = await readSealed(tx, column, { after, otherThan: vault.current.prefix, limit: batchSize })
      // What does not open stays as it is; the proof names it.
      const resealed = found.flatMap((row) => {
        const plain = opened(vault, row.sealed, column.label(row))
        return plain === undefined
          ? []
          : [{ id: row.id, sealed: vault.current.seal(plain, column.label(row)) }]
      })
      await writeSealed(tx, column, resealed)
      return { last: found.at(-1)?.id, found: found.length, resealed: resealed.length }
    }, timeouts)
    count(rows.resealed)
    if (rows.found < batchSize) return
    after = rows.last!
  }
}

async function rekeyCodes(db: Db, vault: Vault, count: (rows: number) => void): Promise<void> {
  for (;;) {
    const rows = await db.transaction(async (tx) => {
      const keys = await readMacKeys(tx, vault, 'recovery code', vault.current)
      const generation = keys.length - 1
      const people = await lockOldCodes(tx, generation, batchSize)
      for (const { personId, digests, generation: from } of people) {
        const keyed = digests.map((digest) => macChain(keys.slice(from + 1), digest).at(-1)!)
        await replaceRecoveryCodes(tx, personId, keyed, generation)
      }
      return people.length
    }, timeouts)
    count(rows)
    if (rows < batchSize) return
  }
}

const isSealOf = ({ current }: Vault, seal: Seal): boolean => isEqual(sealMac(current.mac, seal), seal.mac)

async function resealSeals(db: Db, vault: Vault, count: (rows: number) => void): Promise<void> {
  for (let after = 0n; ; ) {
    const seals = await readSeals(db, after, batchSize)
    const old = seals.filter((seal) => !isSealOf(vault, seal) && isOurSeal(vault.isMac, seal))
    const resealed = old.map((seal) => ({ number: seal.number, mac: sealMac(vault.current.mac, seal) }))
    if (resealed.length > 0) await db.transaction((tx) => writeSeals(tx, resealed))
    count(resealed.length)
    if (seals.length < batchSize) return
    after = seals.at(-1)!.number
  }
}

/** Every value of every column, with the current key alone. */
async function prove(db: Db, vault: Vault): Promise<Pick<Resealed, 'proved' | 'damaged' | 'late'>> {
  const damaged: Unsealed[] = []
  const late: Unsealed[] = []
  let proved = 0
  for (const column of sealedColumns) {
    for (let after: string | null = null; ; ) {
      const rows = await readSealed(db, column, { after, limit: batchSize })
      for (const row of rows) {
        const label = column.label(row)
        if (opened(vault.current, row.sealed, label) !== undefined) proved += 1
        else
          (opened(vault, row.sealed, label) === undefined ? damaged : late).push({
            table: column.table,
            id: row.id,
          })
      }
      if (rows.length < batchSize) break
      after = rows.at(-1)!.id
    }
  }
  for (let after = 0n; ; ) {
    const seals = await readSeals(db, after, batchSize)
    for (const seal of seals) {
      if (isSealOf(vault, seal)) proved += 1
      else
        (isOurSeal(vault.isMac, seal) ? late : damaged).push({ table: 'audit_seals', id: `${seal.number}` })
    }
    if (seals.length < batchSize) break
    after = seals.at(-1)!.number
  }
  const codes = await countOldCodes(db, await countGenerations(db))
  if (codes > 0) late.push({ table: 'people.recovery_digests', id: `${codes} of them` })
  return { proved, damaged, late }
}

/** Once for each change of the key: a repeated run adds no second entry. */
async function finish(tx: Tx, vault: Vault, after: { proved: number; damaged: number }): Promise<void> {
  const ended = await endGenerations(tx)
  const before = ended.find(({ keyId }) => keyId !== vault.current.id)
  if (!before) return
  await appendAudit(tx, {
    ...{
      personId: null,
      actor: 'command line',
      act: 'master_key_reseal',
      subject: `key:${vault.current.id}`,
    },
    ...{ merchantId: null, reason: '', before: { key: before.keyId }, requestId: null },
    after: { key: vault.current.id, ...after },
  })
}
