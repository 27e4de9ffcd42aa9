/** Two real Inlets in production mode on one PostgreSQL, as they stand behind a proxy, and a shop that has an account with them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, openShop, type Shop, shopOf, startGateway } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'

export type TwoInlets = {
  ports: [number, number]
  shop: Shop
  /** What both have written to their logs. */
  logged(): LogLine[]
  /** Stops and starts one after another, as an update of two machines does. */
  restartInTurn(): Promise<void>
  /** SIGHUP to one after another: each replaces its own processes. */
  replaceInTurn(): Promise<void>
}

type LogLine = { message: string; route?: string; address?: string; status?: number; code?: string }

/** `address`: what customers and merchants see, which is the proxy's. */
export async function startTwoInlets(address: string): Promise<TwoInlets> {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const { database } = gateway
  const { merchant, keyId, secret } = await openShop(gateway)
  // What the demo made may not be used in production: as the operator's own it may.
  await database.owner.script('update receiving_accounts set is_demo = false')
  await gateway.stop()

  const ports: [number, number] = [await freePort(), await freePort()]
  const folders = [await dataFolder(), await dataFolder()]
  const all: Program[] = []
  const running: Program[] = []
  const start = async (place: number) => {
    const program = await startProgram(folders[place]!, {
      NODE_ENV: 'production',
      PORT: String(ports[place]),
      INLET_PUBLIC_URL: address,
      INLET_TRUSTED_PROXIES: '127.0.0.1,::1',
      INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      INLET_DEMO: 'off',
      INLET_PROCESSES: '2',
      INLET_LOG_LEVEL: 'debug',
      DATABASE_URL: database.url,
    })
    running[place] = program
    all.push(program)
    await program.ready()
  }
  await Promise.all([start(0), start(1)])
  return {
    ports,
    shop: shopOf({ url: address }, merchant, keyId, secret),
    logged: () => all.flatMap((program) => linesOf(program.output())),
    async restartInTurn() {
      for (const place of [0, 1]) {
        running[place]!.child.kill('SIGTERM')
        await running[place]!.ended()
        await start(place)
        await sleep(1_000)
      }
    },
    async replaceInTurn() {
      for (const program of [...running]) {
        const replaced = () =>
          linesOf(program.output()).filter(({ message }) => message === 'every process was replaced').length
        const before = replaced()
        program.child.kill('SIGHUP')
        while (replaced() === before) await sleep(50)
      }
    },
  }
}

const linesOf = (output: string): LogLine[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)
