/** Real processes (test/support/cluster-member.ts), which become ready when the test says so, and real signals. */
import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { atEnd } from '../../test/support/clean-up.ts'
import { bounds } from './bounds.ts'
import { createLog } from './log.ts'
import { type Member, startProcesses } from './processes.ts'

const timeout = 60_000

/** One process that is ready. `next` answers with the next one that is started: it waits to become ready, or to be killed. */
async function startOne() {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../../test/support/cluster-member.ts', import.meta.url)),
    args: [],
    execArgv: [],
  })
  const forked: Worker[] = []
  const listening: Member[] = []
  const onFork = (worker: Worker) => void forked.push(worker)
  cluster.on('fork', onFork)
  const starting = startProcesses({
    count: 1,
    log: createLog('error', () => {}),
    settingsFor: (number) => ({
      number,
      processes: 1,
      connections: { money: 1, people: 1 },
      postgres: null,
      masterKeys: { current: Buffer.alloc(32), old: null },
    }),
    onMessage: (member, message) => void (message.kind === 'metrics' && listening.push(member)),
    onExit: () => {},
  })
  let known = 0
  const next = async () => {
    const place = known++
    await until('another process', () => listening.length > place)
    const { process } = forked[place]!
    return {
      becomeReady: () => listening[place]!.send({ kind: 'metrics' }),
      async kill() {
        process.kill('SIGKILL')
        await once(forked[place]!, 'exit')
      },
    }
  }
  const first = await next()
  first.becomeReady()
  const processes = await starting
  atEnd(async () => {
    cluster.off('fork', onFork)
    await processes.stop()
  })
  return { processes, first, next }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 12_000; tries++) {
    if (holds()) return
    await sleep(5)
  }
  assert.fail(`never happened: ${what}`)
}

test('a process that ends while its replacement starts is started again when the replacement cannot start', {
  timeout,
}, async () => {
  const { processes, first, next } = await startOne()
  const rolled = processes.roll()
  const replacement = await next()
  await first.kill()
  // By now it would have been started again if it had no replacement.
  await sleep(2 * bounds.processes.firstPauseMs)
  await replacement.kill()
  await rolled
  assert.equal(processes.ready().length, 0)
  const again = await next()
  again.becomeReady()
  await until('it answers', () => processes.ready().length === 1)
  await processes.stop()
})

test('a rolling restart leaves one process of a number, also when one was being started again', {
  timeout,
}, async () => {
  const { processes, first, next } = await startOne()
  await first.kill()
  const startedAgain = await next()
  const rolled = processes.roll()
  startedAgain.becomeReady()
  const replacement = await next()
  replacement.becomeReady()
  await rolled
  assert.equal(processes.ready().length, 1)
  assert.equal(Object.keys(cluster.workers!).length, 1)
  assert.equal(processes.restarts, 1)
  await processes.stop()
})
