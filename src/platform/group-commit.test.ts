import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { heapMegabytes } from '../../test/support/heap.ts'
import { GroupCommit, type Outcome } from './group-commit.ts'

type Run = (items: string[]) => Promise<Outcome<string>[]>

const overload = new Error('overloaded')

const usual = {
  members: 100,
  groups: 1,
  queue: 100,
  attempts: 3,
  oneByOneMs: 60_000,
  overloaded: () => overload,
  ownerOf: ([owner = '']: string) => owner,
}

/** A group commit whose runs are recorded, each with the items it got. */
function recorded(
  run: Run,
  bounds: { members?: number; queue?: number; attempts?: number; oneByOneMs?: number } = {},
) {
  const groups: string[][] = []
  const commit = new GroupCommit<string, string>({
    ...usual,
    ...bounds,
    run(items) {
      groups.push(items)
      return run(items)
    },
  })
  return { groups, commit }
}

const done: Run = async (items) => items.map((item) => ({ done: `${item}!` }))

/** A run that waits until it is let go, so that a test decides what arrives meanwhile. */
function held(run: Run = done) {
  const gates: { begun: Promise<void>; begin: () => void; let: () => void; go: Promise<void> }[] = []
  const gate = (index: number) => {
    for (let next = gates.length; next <= index; next++) {
      const begun = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      gates.push({ begun: begun.promise, begin: begun.resolve, let: go.resolve, go: go.promise })
    }
    return gates[index]!
  }
  let count = 0
  const heldRun: Run = async (items) => {
    const { begin, go } = gate(count++)
    begin()
    await go
    return run(items)
  }
  return {
    run: heldRun,
    begun: (index: number) => gate(index).begun,
    release: (index: number) => gate(index).let(),
  }
}

test('members added in one turn of the event loop form one group, and each gets its own answer', async () => {
  const { groups, commit } = recorded(done)
  const answers = await Promise.all(['a', 'b', 'c'].map((item) => commit.add(item)))
  assert.deepEqual(groups, [['a', 'b', 'c']])
  assert.deepEqual(answers, ['a!', 'b!', 'c!'])
})

test('members that arrive during a run form the next group, in their order', async () => {
  const { run, begun, release } = held()
  const { groups, commit } = recorded(run)
  const first = commit.add('a')
  await begun(0)
  const rest = ['b', 'c', 'd'].map((item) => commit.add(item))
  assert.equal(commit.waiting, 3)
  release(0)
  assert.equal(await first, 'a!')
  await begun(1)
  release(1)
  assert.deepEqual(await Promise.all(rest), ['b!', 'c!', 'd!'])
  assert.deepEqual(groups, [['a'], ['b', 'c', 'd']])
  assert.equal(commit.waiting, 0)
})

test('a group has at most so many members; the rest are the next ones', async () => {
  const { groups, commit } = recorded(done, { members: 2 })
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => commit.add(item)))
  assert.deepEqual(groups, [['a', 'b'], ['c', 'd'], ['e']])
})

test('a refused member fails alone', async () => {
  const refusal = new Error('refused')
  const { groups, commit } = recorded(async (items) =>
    items.map((item) => (item === 'bad' ? { failed: refusal } : { done: item })),
  )
  const answers = await Promise.allSettled(['a', 'bad', 'c'].map((item) => commit.add(item)))
  assert.deepEqual(answers, [
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: refusal },
    { status: 'fulfilled', value: 'c' },
  ])
  assert.equal(groups.length, 1)
})

test('a group that throws runs again one by one, and only the culprit fails', async () => {
  const fault = new Error('fault')
  const { groups, commit } = recorded(async (items) => {
    if (items.includes('bad')) throw fault
    return done(items)
  })
  const answers = await Promise.allSettled(['a', 'bad', 'c'].map((item) => commit.add(item)))
  assert.deepEqual(answers, [
    { status: 'fulfilled', value: 'a!' },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: 'c!' },
  ])
  assert.deepEqual(groups, [['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
})

test('while the database is away every member fails at once, and none runs again', async () => {
  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const { groups, commit } = recorded(async () => {
    throw away
  })
  const answers = await Promise.allSettled(['a', 'b'].map((item) => commit.add(item)))
  assert.deepEqual(
    answers.map((answer) => answer.status === 'rejected' && answer.reason),
    [away, away],
  )
  assert.deepEqual(groups, [['a', 'b']])
})

test('owners are served in turn, and where the queue is full, the owner with the most loses its newest', async () => {
  const { run, begun, release } = held()
  const { groups, commit } = recorded(run, { members: 2, queue: 4 })
  const first = commit.add('a1')
  await begun(0)
  const many = ['a2', 'a3', 'a4', 'a5'].map((item) => commit.add(item))
  const other = commit.add('b1')
  await assert.rejects(many[3]!, overload)
  for (let group = 0; group < 3; group++) release(group)
  assert.deepEqual(await Promise.all([first, other, ...many.slice(0, 3)]), [
    'a1!',
    'b1!',
    'a2!',
    'a3!',
    'a4!',
  ])
  assert.deepEqual(groups, [['a1'], ['a2', 'b1'], ['a3', 'a4']])
})

test('after a member that throws alone, the other members of its owner run last', async () => {
  const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  const { groups, commit } = recorded(async (items) => {
    if (items.includes('a1')) throw slow
    return done(items)
  })
  const members = ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2']
  const answers = await Promise.allSettled(members.map((item) => commit.add(item)))
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'rejected' ? answer.reason : answer.value)),
    [slow, 'a2!', 'a3!', 'b1!', 'a4!', 'c1!', 'b2!'],
  )
  assert.deepEqual(groups, [
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'],
    ...['a1', 'b1', 'c1', 'b2', 'a2', 'a3', 'a4'].map((member) => [member]),
  ])
})

test('when members one by one take too long, the rest are refused', async () => {
  const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  const { groups, commit } = recorded(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw slow
    },
    { oneByOneMs: 10 },
  )
  const answers = await Promise.allSettled(['a', 'b', 'c'].map((item) => commit.add(item)))
  assert.deepEqual(
    answers.map((answer) => answer.status === 'rejected' && answer.reason),
    [slow, overload, overload],
  )
  assert.deepEqual(groups, [['a', 'b', 'c'], ['a']])
})

test('a member that is to run again joins the next group, before those who came later', async () => {
  const { run, begun, release } = held(async (items) =>
    items.map((item) =>
      item === 'late' && groups.length === 1 ? { again: () => new Error('lost') } : { done: item },
    ),
  )
  const { groups, commit } = recorded(run)
  const first = Promise.all([commit.add('a'), commit.add('late')])
  await begun(0)
  const later = commit.add('b')
  release(0)
  await begun(1)
  release(1)
  assert.deepEqual(await first, ['a', 'late'])
  assert.equal(await later, 'b')
  assert.deepEqual(groups, [
    ['a', 'late'],
    ['late', 'b'],
  ])
})

for (const attempts of [1, 2, 5]) {
  test(`a member that always loses runs ${attempts} times, then gets its own refusal`, async () => {
    const refusal = new Error('lost every race')
    const { groups, commit } = recorded(async (items) => items.map(() => ({ again: () => refusal })), {
      attempts,
    })
    await assert.rejects(commit.add('a'), refusal)
    assert.equal(groups.length, attempts)
  })
}

test('stop refuses new members and answers all accepted ones, those that run again included', async () => {
  let lost = false
  const { run, begun, release } = held(async (items) =>
    items.map((item) => {
      if (item !== 'again' || lost) return { done: item }
      lost = true
      return { again: () => new Error('lost') }
    }),
  )
  const { groups, commit } = recorded(run)
  const first = commit.add('a')
  await begun(0)
  const second = commit.add('again')
  let stopped = false
  const stopping = commit.stop().then(() => {
    stopped = true
  })
  await assert.rejects(commit.add('b'), overload)
  assert.equal(stopped, false)
  release(0)
  release(1)
  await begun(1)
  assert.equal(stopped, false)
  release(2)
  await stopping
  assert.deepEqual(await Promise.all([first, second]), ['a', 'again'])
  assert.deepEqual(groups, [['a'], ['again'], ['again']])
})

test('nothing is kept of a member that was answered', async () => {
  const commit = new GroupCommit({ ...usual, run: done })
  const answered = async (count: number) => {
    for (let member = 0; member < count; member++) {
      await commit.add('a')
      // Alone: the next one finds no group under way.
      await setImmediate()
    }
  }
  await answered(1_000)
  const before = heapMegabytes()
  await answered(100_000)
  const grown = heapMegabytes() - before
  assert.ok(grown < 3, `${grown} MB`)
})
