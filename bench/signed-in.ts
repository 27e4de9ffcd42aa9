/** The cookie of a person at the desk who may read all of it. */
import { cookieName } from '../src/domain/people/session.ts'
import { openSession } from '../src/domain/people/sign-in.ts'
import { insertPerson, setOperatorRole } from '../src/domain/people/store.ts'
import { newId } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db.ts'
import type { World } from './world.ts'

export async function signIn(world: World): Promise<string> {
  const db = openDatabase(world.login('inlet'), { connections: 1 })
  try {
    const id = newId()
    const client = { network: '10.9.9.9', browser: 'bench', mark: null, requestId: 'bench' }
    const { secret } = await db.transaction(async (tx) => {
      await insertPerson(tx, { id, email: `${id}@example.com`, name: 'Bench reader' })
      await setOperatorRole(tx, id, 'auditor')
      return openSession(tx, id, { strength: 'full', how: 'bench', client })
    })
    return `${cookieName(false)}=${secret}`
  } finally {
    await db.close()
  }
}
