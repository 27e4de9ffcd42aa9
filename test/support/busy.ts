/** Installations of the demo: an empty one, and one with the busy day of `inlet demo busy`. */
import { readConfig } from '../../src/config.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { atEnd } from './clean-up.ts'
import { json } from './command.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { startGateway, type TestGateway } from './gateway.ts'
import { dataFolder } from './program.ts'

/** An empty installation, on which commands work from here on. */
export async function installation() {
  const database = await createDatabase()
  const settings = {
    DATABASE_URL: database.url,
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INLET_DATA_DIR: await dataFolder(),
  }
  Object.assign(process.env, settings)
  const foundation = await openFoundation(
    readConfig(settings),
    'command',
    createLog('error', () => {}),
  )
  atEnd(() => foundation.close())
  return { database, foundation }
}

export async function busyInstallation(deposits = 300) {
  const installed = await installation()
  return { ...installed, made: await json('demo', 'busy', '--deposits', String(deposits)) }
}

/** A gateway on it, without workers, so that nothing changes by itself; and the merchant of the demo. */
export async function gatewayOn(database: TestDatabase): Promise<{ gateway: TestGateway; merchant: string }> {
  const gateway = await startGateway({
    beside: { database } as TestGateway,
    environment: { INLET_ROLES: 'api,console' },
  })
  const { id } = await database.owner.one<{ id: string }>(
    sql`select id from merchants where name = 'Demo shop'`,
  )
  return { gateway, merchant: id }
}
