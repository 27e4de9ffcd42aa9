/** Where the master key comes from: real programs and real sockets, honest, hanging and broken ones. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type KeySource, readKey, readMasterKeys } from './master-key.ts'
import { ConfigProblem } from './operator-problem.ts'

const key = Buffer.alloc(32, 5)
const text = key.toString('base64')
const none: KeySource = {
  masterKey: null,
  masterKeyFile: null,
  masterKeyCommand: null,
  masterKeySocket: null,
}

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-key-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const read = (source: Partial<KeySource>, waitMs = 10_000) =>
  readKey('INLET_MASTER_KEY', { ...none, ...source }, waitMs)

/** A program of ours: Node with a script, as an operator would name one. */
const program = (script: string, environment: NodeJS.ProcessEnv = {}): Partial<KeySource> => ({
  masterKeyCommand: { words: [process.execPath, '-e', script], environment },
})

async function refusalOf(source: Partial<KeySource>, waitMs?: number): Promise<string> {
  const error = await read(source, waitMs).then(
    () => assert.fail('a key came out'),
    (reason) => reason,
  )
  assert.ok(error instanceof ConfigProblem, String(error))
  return error.message
}

test('a program prints the key; it gets the environment that is named, and no other', async () => {
  assert.deepEqual(await read(program(`console.log('${text}')`)), key)
  const script = `process.stdout.write(process.env.PATH ? 'too much' : process.env.KEY)`
  assert.deepEqual(await read(program(script, { KEY: text })), key)
})

test('arguments of a program are passed unchanged: no shell interprets them', async () => {
  const words = [process.execPath, '-p', 'process.argv[1] === "$HOME;`id`" ? process.argv[2] : ""']
  const command = { words: [...words, '$HOME;`id`', text], environment: {} }
  assert.deepEqual(await read({ masterKeyCommand: command }), key)
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
    /^- The program of INLET_MASTER_KEY_COMMAND gives far more than a key\.$/,
  ],
  ['kills itself', `process.kill(process.pid, 'SIGKILL')`, /ended with SIGKILL/],
] as const)
  test(`a program that ${what} is refused, and its output is not repeated`, async () => {
    const said = await refusalOf(program(script))
    assert.match(said, sentence)
    assert.ok(!said.includes('hunter2'))
  })

test('a program that does not exist is refused', async () => {
  const command = { words: [join(folder, 'nothing')], environment: {} }
  assert.equal(
    await refusalOf({ masterKeyCommand: command }),
    '- The program of INLET_MASTER_KEY_COMMAND cannot be run (ENOENT).',
  )
})

test('a program that hangs is ended together with the processes that it has started', {
  skip: process.platform !== 'linux',
}, async () => {
  const file = join(folder, 'pid')
  const script = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid))
    setInterval(() => {}, 1000)`
  assert.equal(
    await refusalOf(program(script), 1_500),
    '- The program of INLET_MASTER_KEY_COMMAND did not end within 1.5 seconds. It must give the key and end.',
  )
  const pid = await readFile(file, 'utf8')
  // Nobody may have asked how it ended, then it is still listed.
  const isRunning = () =>
    readFile(`/proc/${pid}/stat`, 'utf8').then(
      (stat) => !/\) Z /.test(stat),
      () => false,
    )
  while (await isRunning()) await sleep(10)
})

/** A server that does this with everybody who connects. */
async function serve(meet: (socket: Socket) => void): Promise<string> {
  const path = join(folder, `${Math.random()}.sock`)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    meet(socket)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return path
}

test('the server of a socket sends the key, in pieces too, and closes the connection', async () => {
  assert.deepEqual(await read({ masterKeySocket: await serve((socket) => socket.end(`${text}\n`)) }), key)
  const path = await serve((socket) => {
    socket.write(text.slice(0, 9))
    setImmediate(() => socket.end(text.slice(9)))
  })
  assert.deepEqual(await read({ masterKeySocket: path }), key)
})

for (const [what, meet, sentence] of [
  ['says nothing', () => {}, /^- The socket of INLET_MASTER_KEY_SOCKET did not end within 0\.3 seconds\./],
  ['stays on the line', (socket: Socket) => socket.write(text), /did not end within 0\.3 seconds/],
  [
    'hangs up',
    (socket: Socket) => socket.end(),
    /^- What the socket of INLET_MASTER_KEY_SOCKET sends must be 32 bytes/,
  ],
  ['sends another text', (socket: Socket) => socket.end('hunter2'), /must be 32 bytes in base64/],
  ['sends too much', (socket: Socket) => socket.end('hunter2'.repeat(9_000)), /gives far more than a key/],
] as const)
  test(`a socket that ${what} is refused`, async () => {
    const said = await refusalOf({ masterKeySocket: await serve(meet) }, 300)
    assert.match(said, sentence)
    assert.ok(!said.includes('hunter2'))
  })

test('a socket that nobody listens on is refused', async () => {
  assert.match(
    await refusalOf({ masterKeySocket: join(folder, 'none.sock') }),
    /^- The socket of INLET_MASTER_KEY_SOCKET cannot be read \(ENOENT\)\.$/,
  )
})

test('a file holds the key; in development one is made once, in production never', async () => {
  const file = join(folder, 'key')
  await writeFile(file, `${text}\n`)
  assert.deepEqual(await read({ masterKeyFile: file }), key)
  assert.match(await refusalOf({ masterKeyFile: join(folder, 'none') }), /cannot be read \(ENOENT\)\.$/)
  const own = { ...none, oldMasterKey: null, dataDir: folder }
  const made = await readMasterKeys({ ...own, production: false })
  assert.deepEqual(await readMasterKeys({ ...own, production: false }), made)
  await rm(join(folder, 'master.key'))
  await assert.rejects(readMasterKeys({ ...own, production: true }), /master\.key cannot be read \(ENOENT\)/)
})

test('the old key has sources of its own, and is another key', async () => {
  const own = { ...none, production: true, dataDir: folder, masterKey: key }
  const old = { ...none, ...program(`console.log('${Buffer.alloc(32, 6).toString('base64')}')`) }
  assert.deepEqual(await readMasterKeys({ ...own, oldMasterKey: old }), {
    current: key,
    old: Buffer.alloc(32, 6),
  })
  await assert.rejects(
    readMasterKeys({ ...own, oldMasterKey: { ...none, masterKey: key } }),
    /INLET_OLD_MASTER_KEY is the same key as INLET_MASTER_KEY: leave it out/,
  )
})
