import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { lowerPriority } from './lower-priority.ts'

test('a process gets the lower priority, and one that has ended causes no error', (t) => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
  t.after(() => child.kill('SIGKILL'))
  lowerPriority(7, child.pid)
  assert.equal(getPriority(child.pid), 7)
  const { pid } = spawnSync(process.execPath, ['--version'])
  lowerPriority(7, pid)
})
