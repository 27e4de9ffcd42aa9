import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openDatabase, sql } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase } from '../support/database.ts'

test('answered queries are freed by young collections: the whole heap is rarely collected', async () => {
  const { login } = await createDatabase()
  const program = fileURLToPath(new URL('../support/ask-many.ts', import.meta.url))
  // In a process of its own: the runner follows every promise, and keeps them for that.
  const words = ['--max-semi-space-size=4', program, JSON.stringify(login)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  assert.ok(Number(stdout) <= 2, `${stdout.trim()} collections`)
})

test('the error of a failed statement shows its caller', async () => {
  const db = openDatabase((await createDatabase()).login)
  atEnd(() => db.close())
  const asker = async () => void (await db.query(sql`select 1 / 0`))
  await assert.rejects(asker(), (error: Error) => /\basker\b/.test(error.stack ?? ''))
})

test('a transaction has an answer only when it is committed, and one that fails at its commit has failed', async () => {
  const { login, owner } = await createDatabase()
  const db = openDatabase(login, { connections: 2 })
  atEnd(() => db.close())
  await owner.script(
    'create table acts (number bigint constraint act_once unique deferrable initially deferred)',
  )
  const add = (numbers: readonly number[]) =>
    db.transaction((tx) => tx.run(sql`insert into acts select unnest(${numbers}::bigint[])`))
  await assert.rejects(add([1, 1]), { constraint: 'act_once' })
  await add([2])
  assert.deepEqual(await owner.query(sql`select number from acts`), [{ number: 2n }])
})
