/** Where the master key comes from: real programs, honest, hanging and broken ones. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { printedKey, readMasterKeys } from './master-key.ts'
import { ConfigProblem } from './operator-problem.ts'

const key = Buffer.alloc(32, 5)
const text = key.toString('base64')
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-key-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const read = (command: readonly string[], waitMs = 10_000, environment: NodeJS.ProcessEnv = {}) =>
  printedKey('INLET_MASTER_KEY', command, environment, waitMs)

/** A program of ours: Node with a script, as an operator would name one. */
const program = (script: string) => [process.execPath, '-e', script]

async function refusalOf(command: readonly string[], waitMs?: number): Promise<string> {
  const error = await read(command, waitMs).then(
    () => assert.fail('a key came out'),
    (reason) => reason,
  )
  assert.ok(error instanceof ConfigProblem, String(error))
  return error.message
}

test('a program prints the key; it gets the environment that is named, and no other', async () => {
  assert.deepEqual(await read(program(`console.log('${text}')`)), key)
  const script = `process.stdout.write(process.env.PATH ? 'too much' : process.env.KEY)`
  assert.deepEqual(await read(program(script), 10_000, { KEY: text }), key)
})

test('arguments of a program are passed unchanged: no shell interprets them', async () => {
  const words = [process.execPath, '-p', 'process.argv[1] === "$HOME;`id`" ? process.argv[2] : ""']
  assert.deepEqual(await read([...words, '$HOME;`id`', text]), key)
})

for (const [what, script, sentence] of [
  [
    'fails',
    `console.error('hunter2'); process.exit(3)`,
    /^- The program of INLET_MASTER_KEY_COMMAND ended with 3\. Run it by hand/,
  ],
  [
    'prints something else',
    `console.log('hunter2')`,
    /^- What the program of INLET_MASTER_KEY_COMMAND prints must be 32 bytes in base64\.$/,
  ],
  ['prints nothing', '', /must be 32 bytes in base64\.$/],
  [
    'prints without end',
    `setInterval(() => console.log('hunter2'.repeat(1000)), 1)`,
    /^- The program of INLET_MASTER_KEY_COMMAND writes far more than a key\.$/,
  ],
  ['kills itself', `process.kill(process.pid, 'SIGKILL')`, /ended with SIGKILL/],
] as const)
  test(`a program that ${what} is refused, and its output is not repeated`, async () => {
    const said = await refusalOf(program(script))
    assert.match(said, sentence)
    assert.ok(!said.includes('hunter2'))
  })

test('a program that does not exist is refused', async () => {
  assert.equal(
    await refusalOf([join(folder, 'nothing')]),
    '- The program of INLET_MASTER_KEY_COMMAND cannot be run (ENOENT).',
  )
})

test('a program that hangs is ended', async () => {
  assert.equal(
    await refusalOf(program('setInterval(() => {}, 1000)'), 300),
    '- The program of INLET_MASTER_KEY_COMMAND did not end within 0.3 seconds. It must give the key and end.',
  )
})

const none = {
  masterKey: null,
  masterKeyCommand: null,
  oldMasterKey: null,
  oldMasterKeyCommand: null,
  programEnvironment: {},
}

test('in development a key is made once in the data folder, in production never', async () => {
  const own = { ...none, dataDir: folder }
  const made = await readMasterKeys({ ...own, production: false })
  assert.deepEqual(await readMasterKeys({ ...own, production: false }), made)
  await rm(join(folder, 'master.key'))
  await assert.rejects(readMasterKeys({ ...own, production: true }), /master\.key cannot be read \(ENOENT\)/)
})

test('the old key has sources of its own, and is another key', async () => {
  const own = { ...none, production: true, dataDir: folder, masterKey: key }
  const old = Buffer.alloc(32, 6)
  const oldMasterKeyCommand = program(`console.log('${old.toString('base64')}')`)
  assert.deepEqual(await readMasterKeys({ ...own, oldMasterKeyCommand }), { current: key, old })
  await assert.rejects(
    readMasterKeys({ ...own, oldMasterKey: key }),
    /INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY: leave it out/,
  )
})
