/** Wires everything by hand: from a foundation to a running gateway, and back. */

import type { Config } from './config.ts'
import { startAlarms } from './domain/alarms/raise-alarms.ts'
import { sealAudit } from './domain/audit/seal-audit.ts'
import { type Delivery, startDelivery } from './domain/callbacks/delivery/deliver-callbacks.ts'
import { keepCallbackPartitions } from './domain/callbacks/keep-partitions.ts'
import type { DepositContext } from './domain/deposits/change-deposit.ts'
import { creatorOn } from './domain/deposits/create-deposit.ts'
import { sweepDeposits } from './domain/deposits/expire-deposits.ts'
import { groupCreates } from './domain/deposits/group-creates.ts'
import { noteForwarded } from './domain/doctor/forwarded.ts'
import { keyUse } from './domain/merchants/key-use.ts'
import { createLoginAttempts, type LoginAttempts } from './domain/people/login-attempts.ts'
import { type Demo, readDemo } from './domain/sandbox/demo-file.ts'
import { updateDemoKeys } from './domain/sandbox/update-demo-keys.ts'
import { releaseMoneyOfExpired } from './domain/transfers/end-deposit.ts'
import { pushesInTurn } from './domain/transfers/take-transfers.ts'
import { bounds } from './platform/bounds.ts'
import { newId } from './platform/clock.ts'
import { createFairLimit } from './platform/fair-limit.ts'
import type { Foundation } from './platform/foundation.ts'
import { type Closing, createHttp, listenHttp } from './platform/http.ts'
import { faultFields, type Log } from './platform/log.ts'
import { createOutbound } from './platform/outbound.ts'
import type { ProcessLink } from './platform/process-link.ts'
import { pushTurnsOf } from './platform/shared-bounds.ts'
import { createSharedRates } from './platform/shared-rates.ts'
import { deleteExpired } from './platform/used-once.ts'
import { startWorker, type Worker } from './platform/worker.ts'
import { transferRoutes } from './surfaces/api/bank/routes.ts'
import { callbackRoutes } from './surfaces/api/callbacks/routes.ts'
import { catalogueRoutes } from './surfaces/api/catalogue/routes.ts'
import { depositRoutes } from './surfaces/api/deposits/routes.ts'
import { manualRoutes } from './surfaces/api/manual/routes.ts'
import { createDirectory } from './surfaces/api/merchant-directory.ts'
import { sandboxRoutes } from './surfaces/api/sandbox/routes.ts'
import { createSignatureVerifier } from './surfaces/api/signed-request.ts'
import { brandingScript } from './surfaces/console/assets.ts'
import { consoleRoutes } from './surfaces/console/routes.ts'
import { deskRoutes } from './surfaces/desk/routes.ts'
import { entranceRoutes, pageFor } from './surfaces/entrance/routes.ts'
import type { Way } from './surfaces/entrance/words.ts'
import { healthRoutes } from './surfaces/metrics/health.ts'
import { createMetrics } from './surfaces/metrics/metrics.ts'
import { startMetricsServer } from './surfaces/metrics/metrics-server.ts'
import { payScript } from './surfaces/pay/assets.ts'
import { billRoutes } from './surfaces/pay/bill/routes.ts'
import { pageFinder } from './surfaces/pay/find-page.ts'
import { logoRoutes } from './surfaces/pay/logo-routes.ts'
import { payRoutes } from './surfaces/pay/routes.ts'
import { watchPages } from './surfaces/pay/watch-pages.ts'
import { shopRoutes } from './surfaces/shop/shop-routes.ts'
import { staffAssets } from './surfaces/staff/assets.ts'
import { createGuardedRoutes, type RoutePolicy } from './surfaces/staff/guarded-routes.ts'
import { linkRoutes } from './surfaces/staff/links/routes.ts'
import { createLivePages } from './surfaces/staff/live-pages.ts'
import { peopleRoutes, refusedAsPage } from './surfaces/staff/routes.ts'
import { assetRoutes } from './surfaces/web/routes.ts'

const hourMs = 3_600_000

type Gateway = {
  /** Every route of the consoles with its policy. */
  policies: readonly RoutePolicy[]
  attempts: LoginAttempts
  close(how?: Closing): Promise<void>
}

export async function startGateway(
  config: Config,
  { db, peopleDb, vault, asOwner }: Foundation,
  log: Log,
  /** With the demo merchant's keys a development gateway has the demo shop too. */
  demo?: Demo,
  /** Where several processes share the port. */
  link?: ProcessLink,
): Promise<Gateway> {
  const { publicUrl, isTrustedHost, trustedProxies, production: isProduction } = config
  const limits = createSharedRates(link)
  const directory = createDirectory(db, vault)
  const verifier = createSignatureVerifier({ directory, limits, noteUse: keyUse(db, log), isProduction })
  const creator = creatorOn(db)
  const creates = groupCreates({
    creator,
    // Several processes have one each: with two each, groups were smaller and waited for each other's accounts.
    groups: link ? 1 : bounds.groupsAtOnce,
    observe: (members) => metrics.observeGroup(members),
  })

  const outbound = createOutbound({ allowed: config.callbackAllowed, loopback: !config.production })
  // The operator sets this address: it may be private, but never a cloud's metadata service.
  const operatorOutbound = createOutbound({ allowed: () => true, loopback: true })
  const seal = () => sealAudit(db, vault, log)
  let delivery: Delivery | undefined
  let workers: Worker[] = []
  const metrics = createMetrics({
    db,
    peopleDb,
    waitingCreates: () => creates.waiting,
    isEmbedded: config.databaseUrl === null,
    delivery: () => delivery?.stats(),
  })
  const context: DepositContext = {
    db,
    publicUrl,
    changed(entered = []) {
      metrics.countStates(entered)
      delivery?.wake()
      watch.wake()
      livePages.wake()
    },
  }
  /** Of what merchants ask for besides creates, what customers do, and what people do. */
  const askedContext: DepositContext = { ...context, db: peopleDb }
  const connections = link?.settings.connections.money ?? bounds.databaseConnections.money
  const pushTurns = { ...pushTurnsOf(connections), waiting: bounds.pushes.waiting }
  const takePush = pushesInTurn(context, createFairLimit(pushTurns))
  const watch = watchPages(db, log)
  const livePages = createLivePages(log)
  const attempts = createLoginAttempts((change) => link?.send({ kind: 'attempt', change }))
  link?.on('attempt', ({ change }) => attempts.hear(change))
  const hasShop = demo && !isProduction && config.roles.has('api') && config.roles.has('pay')
  const staffWays: Way[] = isProduction ? ['signIn'] : ['console', 'desk']
  const ways: Way[] = [
    ...(hasShop ? (['shop'] as const) : []),
    ...(config.roles.has('console') ? staffWays : []),
    ...(config.roles.has('api') ? (['docs'] as const) : []),
  ]
  const app = createHttp({
    log,
    publicUrl,
    trustedProxies,
    limits,
    pageFor: pageFor(ways),
    ...(isProduction && { forwardedByStranger: noteForwarded(peopleDb, log) }),
  })
  /** What most routes take. Their questions and acts use the connections of people. */
  const parts = {
    ...{ db: peopleDb, context: askedContext, vault, directory, verifier, limits, log },
    ...{ publicUrl, isTrustedHost, isProduction },
  }
  healthRoutes(app, { db })
  entranceRoutes(app, { ways, limits })
  if (config.roles.has('api')) {
    catalogueRoutes(app, parts)
    depositRoutes(app, { ...parts, creates, observe: metrics.observeCreate })
    transferRoutes(app, { ...parts, context, takePush })
    callbackRoutes(app, { ...parts, changed: context.changed })
    sandboxRoutes(app, parts)
    manualRoutes(app, parts)
  }
  if (config.roles.has('pay')) {
    const findPage = pageFinder(db)
    payRoutes(app, { ...parts, findPage, references: creator.references, watch })
    billRoutes(app, { ...parts, findPage })
    logoRoutes(app, { ...parts, db })
  }
  let policies: readonly RoutePolicy[] = []
  let desk: ReturnType<typeof deskRoutes> | undefined
  if (config.roles.has('console')) {
    const routes = createGuardedRoutes(app, { ...parts, asPage: refusedAsPage, livePages })
    policies = routes.policies
    peopleRoutes(routes, { ...parts, attempts })
    linkRoutes(routes, { ...parts, isDemo: config.demo })
    const keysChanged = async (merchantId: string) => {
      directory.forget(merchantId)
      await updateDemoKeys(config.dataDir, parts).catch((error) =>
        log.warn('demo.json not written', faultFields(error)),
      )
    }
    consoleRoutes({ ...parts, routes, keysChanged, outbound })
    desk = deskRoutes({ ...parts, routes, outbound })
  }
  if (config.roles.has('pay') || config.roles.has('console'))
    assetRoutes(app, { assets: [payScript, ...staffAssets, brandingScript], limits })
  if (hasShop)
    shopRoutes(app, { keys: async () => (await readDemo(config.dataDir)) ?? demo, limits, publicUrl })

  const listening = await listenHttp(app, config)
  // Workers start after listening succeeded: a process that cannot listen must end at once.
  if (config.roles.has('worker')) {
    const alarms = startAlarms({
      db,
      outbound: operatorOutbound,
      address: config.operatorCallback,
      log,
      acceptsLoss: config.acceptsLoss,
    })
    delivery = startDelivery({ db, vault, outbound, log, node: newId() })
    workers = [
      startWorker('sweep', bounds.sweepMs, () => sweepDeposits(context), log),
      // Apart from the sweep, because nobody waits for it, and there may be much of it at once.
      startWorker('what may be used once', bounds.sweepMs, () => deleteExpired(db), log),
      // Apart from the sweep, because it may wait for locked accounts: deposits must expire meanwhile.
      startWorker('release of money', 30_000, () => releaseMoneyOfExpired(context), log),
      // The start has just made the partitions of the coming days.
      startWorker('partitions', hourMs, () => asOwner(keepCallbackPartitions), log, { firstMs: hourMs }),
      ...alarms,
      startWorker('audit seal', bounds.auditSealMs, seal, log),
    ]
  }
  // The parent asks every process, and has the port.
  const tellMetrics = async () => link?.send({ kind: 'metrics', families: await metrics.collect() })
  link?.on('metrics', () => void tellMetrics())
  const metricsServer =
    !link && config.metrics && (await startMetricsServer({ ...config.metrics, metrics, log }))
  return {
    policies,
    attempts,
    // Everything ends side by side, each within its own bound: the whole fits the time a supervisor gives.
    async close(how = 'now') {
      watch.stop()
      livePages.stop()
      await Promise.all([
        listening[how]().then(() => creates.stop()),
        ...workers.map((worker) => worker.stop()),
        delivery?.stop(),
        desk?.close(how === 'replaced' ? bounds.processes.drainMs : 0),
        metricsServer ? metricsServer.close() : undefined,
      ])
      // For the entries since the last seal.
      if (workers.length > 0)
        await seal().catch((error) => log.warn('audit head not sealed', faultFields(error)))
      // What this process counted stays in the sum of all.
      await tellMetrics()
      metrics.stop()
      await Promise.all([outbound.close(), operatorOutbound.close()])
    },
  }
}
