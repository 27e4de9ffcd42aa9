/** Wires everything by hand: from a foundation to a running gateway, and back. */

import { sealAudit } from './audit/seal-audit.ts'
import { billRoutes } from './bill/routes.ts'
import { bounds } from './bounds.ts'
import { keepCallbackPartitions } from './callbacks/keep-partitions.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console/routes.ts'
import { type Delivery, startDelivery } from './delivery/deliver-callbacks.ts'
import type { Ledger } from './deposits/change-deposit.ts'
import { type CreateDeposit, createDeposits } from './deposits/create-deposit.ts'
import { sweepDeposits } from './deposits/expire-deposits.ts'
import { ReferenceNumbers } from './deposits/reference-numbers.ts'
import { depositRoutes } from './deposits/routes.ts'
import { deskRoutes } from './desk/routes.ts'
import { entranceRoutes, pageFor } from './entrance/routes.ts'
import type { Way } from './entrance/words.ts'
import { healthRoutes } from './health.ts'
import { manualRoutes } from './manual/routes.ts'
import { createDirectory } from './merchants/directory.ts'
import { keyUse } from './merchants/key-use.ts'
import { createMetrics } from './observability/metrics.ts'
import { startMetricsServer } from './observability/metrics-server.ts'
import { observeCreates } from './observability/routes.ts'
import { createAlarms } from './operator/raise-alarms.ts'
import { pageFinder } from './pay/find-page.ts'
import { payRoutes } from './pay/routes.ts'
import { watchPages } from './pay/watch-pages.ts'
import { createDoors } from './people/doors.ts'
import { linkRoutes } from './people/links/routes.ts'
import { createLivePages } from './people/live-pages.ts'
import { createLoginAttempts, type LoginAttempts } from './people/login-attempts.ts'
import type { DoorPolicy } from './people/permissions.ts'
import { peopleRoutes, refusedAsPage } from './people/routes.ts'
import { monotonicMs, newId } from './platform/clock.ts'
import type { Foundation } from './platform/foundation.ts'
import { groupCommit } from './platform/group-commit.ts'
import { createHttp, listenHttp } from './platform/http.ts'
import { faultFields, type Log } from './platform/log.ts'
import { createOutbound } from './platform/outbound.ts'
import { createRateLimit } from './platform/rate-limit.ts'
import { forgetSignatures } from './platform/signature-use.ts'
import { createGuard } from './platform/signed-request.ts'
import { takeTurns } from './platform/turns.ts'
import { startWorker, type Worker } from './platform/worker.ts'
import { Refusal } from './refusals.ts'
import { type Demo, readDemo } from './sandbox/demo-file.ts'
import { followKeys } from './sandbox/follow-keys.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { shopRoutes } from './sandbox/shop-routes.ts'
import { releaseOver } from './transfers/end-deposit.ts'
import { transferRoutes } from './transfers/routes.ts'
import { createPushes } from './transfers/take-pushes.ts'
import { assetRoutes } from './web/routes.ts'

export type Gateway = {
  /** Every route of the consoles with its policy. */
  policies: readonly DoorPolicy[]
  attempts: LoginAttempts
  close(): Promise<void>
}

export async function startGateway(
  config: Config,
  { db, peopleDb, vault, asOwner }: Foundation,
  log: Log,
  /** With the demo merchant's keys a development gateway has the demo shop too. */
  demo?: Demo,
): Promise<Gateway> {
  const { publicUrl, isTrustedHost, trustedProxies, production: isProduction } = config
  const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs)
  const directory = createDirectory(db, vault)
  const guard = createGuard({ directory, limits, noteUse: keyUse(db, log), isProduction })
  const references = new ReferenceNumbers()
  const creates = groupCommit({
    members: bounds.groupMembers,
    groups: bounds.groupsAtOnce,
    queue: bounds.groupQueue,
    attempts: bounds.groupAttempts,
    overloaded: () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }),
    run(members: CreateDeposit[]) {
      metrics.observeGroup(members.length)
      return createDeposits({ db, references }, members)
    },
  })

  const outbound = createOutbound({ allowed: config.callbackAllowed, loopback: !config.production })
  // The operator names this address: it may be private, but never the machine's own metadata.
  const toOperator = createOutbound({ allowed: { check: () => true }, loopback: true })
  const sweep = async () => {
    await sweepDeposits(ledger)
    await releaseOver(ledger)
    await forgetSignatures(db)
  }
  const seal = () => sealAudit(db, vault, log)
  /** What was done since the last seal is sealed at the end too. */
  const sealer = (worker: Worker): Worker => ({
    ...worker,
    stop: () =>
      worker
        .stop()
        .then(seal)
        .catch((error) => log.warn('audit head not sealed', faultFields(error))),
  })
  let delivery: Delivery | undefined
  let workers: Worker[] = []
  const metrics = createMetrics({
    db,
    peopleDb,
    waitingCreates: () => creates.waiting,
    delivery: () => delivery?.stats(),
  })
  const ledger: Ledger = {
    db,
    publicUrl,
    changed(entered = []) {
      metrics.countStates(entered)
      delivery?.wake()
      watch.wake()
      livePages.wake()
    },
  }
  const pushes = createPushes(ledger)
  const watch = watchPages(db, log)
  const livePages = createLivePages(log)
  const attempts = createLoginAttempts(peopleDb, log)
  const hasShop = demo && !isProduction && config.roles.has('api') && config.roles.has('pay')
  const ways: Way[] = [
    ...(hasShop ? (['shop'] as const) : []),
    ...(config.roles.has('console')
      ? isProduction
        ? (['signIn'] as const)
        : (['console', 'desk'] as const)
      : []),
    ...(config.roles.has('api') ? (['docs'] as const) : []),
  ]
  const app = createHttp({ log, publicUrl, trustedProxies, limits, pageFor: pageFor(ways) })
  takeTurns(app)
  observeCreates(app, metrics)
  healthRoutes(app, { db })
  entranceRoutes(app, { ways, limits })
  if (config.roles.has('api')) {
    catalogueRoutes(app, { db, guard, limits })
    depositRoutes(app, { db, guard, creates, ledger, isTrustedHost, publicUrl })
    transferRoutes(app, { ledger, limits, pushes, log })
    callbackRoutes(app, { db, guard, changed: ledger.changed })
    sandboxRoutes(app, { guard, ledger, isProduction })
    manualRoutes(app, { publicUrl, limits })
  }
  if (config.roles.has('pay')) {
    const findPage = pageFinder(db)
    payRoutes(app, { db, findPage, ledger, references, directory, watch, limits, publicUrl, isTrustedHost })
    billRoutes(app, { findPage, limits, publicUrl })
  }
  let policies: readonly DoorPolicy[] = []
  if (config.roles.has('console')) {
    const doors = createDoors(app, { db: peopleDb, limits, publicUrl, asPage: refusedAsPage, livePages })
    policies = doors.policies
    const ofPeople = { ...ledger, db: peopleDb }
    peopleRoutes(doors, { db: peopleDb, vault, attempts, publicUrl })
    linkRoutes(doors, { db: peopleDb, publicUrl, isDemo: config.demo })
    consoleRoutes({
      doors,
      db: peopleDb,
      vault,
      directory,
      keysChanged: async () => {
        directory.forget()
        await followKeys(config.dataDir, { db: peopleDb, vault }).catch((error) =>
          log.warn('demo.json not written', faultFields(error)),
        )
      },
      ledger: ofPeople,
      outbound,
      publicUrl,
      isProduction,
      isTrustedHost,
    })
    const { dataDir } = config
    deskRoutes({ doors, ledger: ofPeople, vault, directory, publicUrl, dataDir, isTrustedHost, log })
  }
  if (config.roles.has('pay') || config.roles.has('console')) assetRoutes(app, { limits })
  if (hasShop)
    shopRoutes(app, { keys: async () => (await readDemo(config.dataDir)) ?? demo, limits, publicUrl })

  const closeHttp = await listenHttp(app, config)
  // Only a process that listens begins to work: one that cannot must end at once.
  if (config.roles.has('worker')) {
    const alarms = createAlarms({ db, outbound: toOperator, address: config.operatorCallback, log })
    delivery = startDelivery({ db, vault, outbound, log, node: newId() })
    workers = [
      startWorker('sweep', bounds.sweepMs, sweep, log),
      startWorker('partitions', bounds.partitionsMs, () => asOwner(keepCallbackPartitions), log),
      startWorker('alarms', bounds.alarmsMs, alarms, log),
      sealer(startWorker('audit seal', bounds.auditSealMs, seal, log)),
    ]
  }
  const metricsServer = config.metrics && (await startMetricsServer({ ...config.metrics, metrics, log }))
  return {
    policies,
    attempts,
    // Everything ends side by side, each within its own bound: the whole fits the time a supervisor gives.
    async close() {
      watch.stop()
      livePages.stop()
      await Promise.all([
        closeHttp().then(() => Promise.all([creates.stop(), pushes.stop()])),
        ...workers.map((worker) => worker.stop()),
        delivery?.stop(),
        metricsServer?.close(),
      ])
      await attempts.stop()
      metrics.stop()
      await Promise.all([outbound.close(), toOperator.close()])
    },
  }
}
