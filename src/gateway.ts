/** Wires everything by hand: from a foundation to a running gateway, and back. */
import { bounds } from './bounds.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import type { Config } from './config.ts'
import { createDeposits, ReferenceNumbers } from './deposits/create-deposit.ts'
import { depositRoutes } from './deposits/routes.ts'
import type { Foundation } from './foundation.ts'
import { healthRoutes } from './health.ts'
import { createDirectory } from './merchants/directory.ts'
import { keyUse } from './merchants/key-use.ts'
import { monotonicMs } from './platform/clock.ts'
import { groupCommit } from './platform/group-commit.ts'
import { createHttp } from './platform/http.ts'
import type { Log } from './platform/log.ts'
import { createRateLimit } from './platform/rate-limit.ts'
import { createGuard } from './platform/signed-request.ts'
import { Refusal } from './refusals.ts'

export type Gateway = { close(): Promise<void> }

export async function startGateway(config: Config, { db, vault }: Foundation, log: Log): Promise<Gateway> {
  const { publicUrl, isTrustedHost, trustedProxies } = config
  const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs)
  const guard = createGuard({ directory: createDirectory(db, vault), limits, noteUse: keyUse(db, log) })
  const references = new ReferenceNumbers()
  const creates = groupCommit({
    members: bounds.groupMembers,
    queue: bounds.groupQueue,
    attempts: bounds.groupAttempts,
    overloaded: () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }),
    run: (members: Parameters<typeof createDeposits>[1][number][]) =>
      createDeposits({ db, references }, members),
  })

  const app = createHttp({ log, publicUrl, trustedProxies })
  healthRoutes(app, { db })
  catalogueRoutes(app, { db, guard, limits })
  depositRoutes(app, { db, guard, creates, isTrustedHost, publicUrl })

  await app.listen({ host: config.host, port: config.port })
  return {
    async close() {
      await app.close()
      await creates.stop()
    },
  }
}
