/** What `bin/inlet.mjs` does before the program begins, and what is left when it is killed with -9. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, utimes } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
// @ts-expect-error: plain JavaScript, because an old Node must be able to read it.
import { isNewEnoughNode } from '../../bin/node.mjs'
import { atEnd } from '../support/clean-up.ts'
import { until } from '../support/create-load.ts'
import { createDatabase } from '../support/database.ts'
import { freePort } from '../support/gateway.ts'
import { dataFolder, nextVersion, root } from '../support/program.ts'

/** A program whose first process is `words`; `pid` is of that one. */
async function launch(words: string[], environment: Record<string, string>) {
  const port = await freePort()
  const { url } = await createDatabase()
  const child = spawn(words[0]!, words.slice(1), {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: url,
      INLET_DATA_DIR: await dataFolder(),
      INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      INLET_METRICS_PORT: 'off',
      INLET_DEMO: 'off',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atEnd(async () => void child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  // Ends when the last process that can write to it has ended.
  const closed = once(child.stdout, 'close')
  await until('ready', () => output.includes('Inlet is ready'))
  return {
    async printed(signal: NodeJS.Signals, shape: RegExp) {
      child.kill(signal)
      await until('printed', () => shape.test(output))
      return shape.exec(output)![1]
    },
    async kill() {
      child.kill('SIGKILL')
      await Promise.all([exit, closed])
      return output
    },
    isAnswered: () => isOpen(port),
  }
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, 'localhost', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })

const launcher = [process.execPath, 'bin/node.mjs', 'bin/inlet.mjs', 'start']

test('a launcher is killed with -9: the parent of two processes stops them in order', async () => {
  const program = await launch(launcher, { INLET_PROCESSES: '2' })
  assert.equal(await program.isAnswered(), true)
  const output = await program.kill()
  assert.match(output, /Stopping …\n$/)
  assert.equal(await program.isAnswered(), false)
})

test('the parent of two processes is killed with -9: neither stays', async () => {
  const program = await launch([process.execPath, 'bin/inlet.mjs', 'start'], { INLET_PROCESSES: '2' })
  assert.equal(await program.isAnswered(), true)
  await program.kill()
  assert.equal(await program.isAnswered(), false)
})

const onPath = spawnSync('node', ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1)
const hasOldNode = Boolean(onPath) && !isNewEnoughNode(onPath)

test('an older Node that found a newer one is killed with -9: the newer one stops in order', {
  skip: hasOldNode ? false : `The node of the path, ${onPath ?? 'none'}, starts no other one.`,
}, async () => {
  const program = await launch(['node', 'bin/inlet.mjs', 'start'], {})
  assert.match(await program.kill(), /Stopping …\n$/)
  assert.equal(await program.isAnswered(), false)
})

test('a server that found no compiled code runs without the code that strips types', async () => {
  const printing = "process.on('SIGUSR2', () => console.log('types:', /amaro/.test(process.moduleLoadList)))"
  const words = [process.execPath, '--import', `data:text/javascript,${printing}`, 'bin/inlet.mjs', 'start']
  const cache = { NODE_COMPILE_CACHE: await dataFolder() }
  for (const start of ['first', 'second']) {
    const program = await launch(words, cache)
    assert.equal(await program.printed('SIGUSR2', /types: (\w+)/), 'false', start)
    await program.kill()
  }
})

test('code that was compiled while an image was built is used in the image, although its files have times of whole seconds', async () => {
  const folder = await nextVersion({})
  const folders = (await readdir(join(folder, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
  const date = async (seconds: number) => {
    for (const path of [join(folder, 'src'), ...folders]) await utimes(path, seconds, seconds)
  }
  const node = (...words: string[]) =>
    spawnSync(process.execPath, words, {
      cwd: folder,
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
      encoding: 'utf8',
    }).stdout
  await date(1_800_000_000.6)
  node('bin/compile.mjs')
  const asking =
    "import { isCompiled, useCompiled } from './bin/compile.mjs'; useCompiled(); console.log(isCompiled())"
  const isCompiled = () => node('--input-type=module', '-e', asking)
  await date(1_800_000_000)
  assert.equal(isCompiled(), 'true\n')
  await date(1_800_000_001)
  assert.equal(isCompiled(), 'false\n')
})
