/** Both kinds of destinations keep one promise; the program is the example that is delivered with Inlet. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openDestination } from './destination.ts'

const example = fileURLToPath(new URL('../../../deploy/backup-store.sh', import.meta.url))
let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'inlet-destination-'))
})
after(() => rm(root, { recursive: true, force: true }))

async function* text(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part)
}
async function* broken() {
  yield Buffer.from('half')
  throw new Error('the reader died')
}
const all = async (bytes: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(bytes)).toString()
const places = { folder: () => root, program: () => `command:${example} ${root}` }

for (const [kind, place] of Object.entries(places)) {
  test(`${kind}: files are stored, listed, fetched, replaced and deleted`, {
    skip: isWindows(kind),
  }, async () => {
    const destination = await openDestination(place())
    await destination.put(`${kind}/wal/2`, text('two'))
    await destination.put(`${kind}/wal/1`, text('on', 'e'))
    await destination.put(`${kind}/base/x/manifest`, text(''))
    await destination.put(`${kind}/wal/2`, text('2'))
    assert.deepEqual(await destination.list(`${kind}/wal/`), [`${kind}/wal/1`, `${kind}/wal/2`])
    assert.deepEqual(await destination.list(`${kind}/`), [
      `${kind}/base/x/manifest`,
      `${kind}/wal/1`,
      `${kind}/wal/2`,
    ])
    assert.equal(await all(destination.get(`${kind}/wal/1`)), 'one')
    assert.equal(await all(destination.get(`${kind}/wal/2`)), '2')
    await destination.delete(`${kind}/wal/2`)
    assert.deepEqual(await destination.list(`${kind}/wal/`), [`${kind}/wal/1`])
    await assert.rejects(all(destination.get(`${kind}/wal/2`)), { name: 'OperatorProblem' })
    assert.deepEqual(await destination.list(`${kind}/nothing/`), [])
  })
}

test('folder: an interrupted file leaves nothing behind', async () => {
  const destination = await openDestination(root)
  await assert.rejects(destination.put('broken/1', broken()), { message: 'the reader died' })
  assert.deepEqual(await destination.list('broken/'), [])
  assert.deepEqual(await readdir(join(root, 'broken')), [])
  // One that was killed a day ago, and one at work.
  for (const name of ['.part-old', '.part-new']) await writeFile(join(root, 'broken', name), 'half')
  await utimes(join(root, 'broken', '.part-old'), 1, 1)
  // And one that is renamed while it is looked at.
  await symlink(join(root, 'nowhere'), join(root, 'broken', '.part-gone'))
  await destination.tidy!()
  assert.deepEqual(await readdir(join(root, 'broken')), ['.part-gone', '.part-new'])
})

test('folder: a disk that is unmounted while it is used gets no files in its place', async () => {
  const disk = join(root, 'disk')
  await mkdir(disk)
  const destination = await openDestination(disk)
  await destination.put('id/wal/1', text('one'))
  await rename(disk, join(root, 'unmounted-disk'))
  const put = () => destination.put('id/wal/2', text('two'))
  await assert.rejects(put, { name: 'OperatorProblem', message: /does not exist; make it .* or mount/ })
  await mkdir(disk)
  await assert.rejects(put, { name: 'OperatorProblem', message: /id is gone from .*: mount/ })
  assert.deepEqual(await readdir(disk), [])
  await rm(disk, { recursive: true })
  await rename(join(root, 'unmounted-disk'), disk)
  await put()
  assert.deepEqual(await destination.list('id/'), ['id/wal/1', 'id/wal/2'])
})

test('a folder that is missing, a file in its place, and a program that fails or is missing: one sentence each', async () => {
  await writeFile(join(root, 'file'), '')
  for (const name of ['missing', 'file'])
    await assert.rejects(openDestination(join(root, name)), {
      message: /does not exist; make it .* or mount/,
    })
  await assert.rejects(openDestination('command: '), { message: /names no program/ })
  const absent = await openDestination(`command:${join(root, 'no-program')}`)
  await assert.rejects(absent.put('x', text('x')), { message: /no-program, cannot be run/ })
  if (process.platform === 'win32') return
  const unmounted = await openDestination(`command:${example} ${join(root, 'unmounted')}`)
  await assert.rejects(unmounted.put('x', text('x')), { message: /can't cd|No such file/ })
  const failing = await openDestination('command:/bin/sh -c echo>&2;exit_3')
  await assert.rejects(failing.list(''), {
    name: 'OperatorProblem',
    message: /The program for backups.*failed:/,
  })
})

test('a problem names the program and the file, and no argument of the operator’s', {
  skip: isWindows('program'),
}, async () => {
  const program = join(root, 'fails')
  await writeFile(program, '#!/bin/sh\nexit 1\n', { mode: 0o700 })
  const destination = await openDestination(`command:${program} --token s3cret`)
  await assert.rejects(destination.delete('x'), {
    message: `The program for backups, "${program} delete x", failed: exit code 1`,
  })
})

test('a program that ends while the bytes are still being read is not waited for', {
  skip: isWindows('program'),
}, async () => {
  async function* waiting() {
    yield Buffer.from('x')
    await new Promise(() => {})
  }
  for (const [code, sentence] of [
    [1, /failed: exit code 1/],
    [0, /ended before it had read all of x/],
  ] as const) {
    const program = join(root, `ends-${code}`)
    await writeFile(program, `#!/bin/sh\nexit ${code}\n`, { mode: 0o700 })
    const destination = await openDestination(`command:${program}`)
    await assert.rejects(destination.put('x', waiting()), { name: 'OperatorProblem', message: sentence })
  }
})

function isWindows(kind: string): boolean {
  return kind === 'program' && process.platform === 'win32'
}
