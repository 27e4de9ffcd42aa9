/** Live: the process answers. Ready: it can do its work, which takes the database. */
import { type Db, isReachable } from '../../platform/db.ts'
import type { Http } from '../../platform/http.ts'

export function healthRoutes(app: Http, { db }: { db: Db }): void {
  app.get('/health/live', async () => ({ live: true }))

  app.get('/health/ready', async (_request, reply) => {
    const ready = await isReachable(db)
    return reply.code(ready ? 200 : 503).send({ ready, database: ready ? 'reachable' : 'away' })
  })
}
