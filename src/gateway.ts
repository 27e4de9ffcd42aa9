/** Wires everything by hand: from a foundation to a running gateway, and back. */
import { billRoutes } from './bill/routes.ts'
import { bounds } from './bounds.ts'
import { keepCallbackPartitions } from './callbacks/keep-partitions.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import type { Config } from './config.ts'
import type { Ledger } from './deposits/change-deposit.ts'
import { type CreateDeposit, createDeposits, ReferenceNumbers } from './deposits/create-deposit.ts'
import { sweepDeposits } from './deposits/expire-deposits.ts'
import { depositRoutes } from './deposits/routes.ts'
import type { Foundation } from './foundation.ts'
import { healthRoutes } from './health.ts'
import { manualRoutes } from './manual/routes.ts'
import { createDirectory } from './merchants/directory.ts'
import { keyUse } from './merchants/key-use.ts'
import { payRoutes } from './pay/routes.ts'
import { monotonicMs } from './platform/clock.ts'
import { groupCommit } from './platform/group-commit.ts'
import { closeHttp, createHttp } from './platform/http.ts'
import type { Log } from './platform/log.ts'
import { createRateLimit } from './platform/rate-limit.ts'
import { createGuard } from './platform/signed-request.ts'
import { startWorker } from './platform/worker.ts'
import { Refusal } from './refusals.ts'

export type Gateway = { close(): Promise<void> }

export async function startGateway(
  config: Config,
  { db, vault, asOwner }: Foundation,
  log: Log,
): Promise<Gateway> {
  const { publicUrl, isTrustedHost, trustedProxies } = config
  const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs)
  const guard = createGuard({ directory: createDirectory(db, vault), limits, noteUse: keyUse(db, log) })
  const references = new ReferenceNumbers()
  const creates = groupCommit({
    members: bounds.groupMembers,
    queue: bounds.groupQueue,
    attempts: bounds.groupAttempts,
    overloaded: () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }),
    run: (members: CreateDeposit[]) => createDeposits({ db, references }, members),
  })

  const ledger: Ledger = { db, publicUrl, changed: () => {} }
  const workers = !config.roles.has('worker')
    ? []
    : [
        startWorker('sweep', bounds.sweepMs, () => sweepDeposits(ledger), log),
        startWorker('partitions', bounds.partitionsMs, () => asOwner(keepCallbackPartitions), log),
      ]

  const app = createHttp({ log, publicUrl, trustedProxies })
  healthRoutes(app, { db })
  if (config.roles.has('api')) {
    catalogueRoutes(app, { db, guard, limits })
    depositRoutes(app, { db, guard, creates, ledger, isTrustedHost, publicUrl })
    callbackRoutes(app, { db, guard, changed: ledger.changed })
    manualRoutes(app, { publicUrl })
  }
  if (config.roles.has('pay')) {
    payRoutes(app, { db, publicUrl, limits })
    billRoutes(app, { db, limits })
  }

  await app.listen({ host: config.host, port: config.port })
  return {
    async close() {
      await closeHttp(app)
      await creates.stop()
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
