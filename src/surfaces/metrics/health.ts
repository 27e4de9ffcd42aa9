/** Live: the process answers. Ready: it can do its work, which takes a database that can be written to. */
import { batched } from '../../platform/batched.ts'
import { type Db, readinessOf } from '../../platform/db.ts'
import { type Http, isDraining } from '../../platform/http.ts'

export function healthRoutes(app: Http, { db }: { db: Db }): void {
  /** Anybody may ask, as often as they like: all who do share one question. */
  const ask = batched(async ([nobody]) => new Map([[nobody!, await readinessOf(db)]]), { most: 1, atOnce: 1 })

  app.get('/health/live', async () => ({ live: true }))

  app.get('/health/ready', async (_request, reply) => {
    const database = await ask('')
    const ready = database === 'reachable' && !isDraining(app)
    return reply.code(ready ? 200 : 503).send({ ready, database })
  })
}
