/**
 * The port for Prometheus, apart from the one that merchants and customers reach. Metrics are worth less than
 * deposits: when the port cannot be had, the process says so and does its work without.
 */
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { createHttp, listenHttp } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import { contentType, textOfMetrics } from '../../platform/metrics.ts'
import { codeOf, isListenError } from '../../platform/operator-problem.ts'
import { createRateLimit } from '../../platform/rate-limit.ts'
import type { Metrics } from './metrics.ts'

type MetricsServer = {
  /** null when there is none. */
  port: number | null
  close(): Promise<void>
}

export async function startMetricsServer({
  metrics,
  host,
  port,
  log,
}: {
  metrics: Pick<Metrics, 'collect'>
  host: string
  port: number
  log: Log
}): Promise<MetricsServer> {
  const app = createHttp({
    log,
    publicUrl: `http://${host}:${port}`,
    trustedProxies: [],
    limits: createRateLimit(bounds.rateLimitEntries, monotonicMs),
  })
  app.get('/metrics', async (_request, reply) =>
    reply.type(contentType).send(textOfMetrics(await metrics.collect())),
  )
  try {
    const { now: close } = await listenHttp(app, { host, port })
    const address = app.server.address() as { port: number }
    return { port: address.port, close }
  } catch (error) {
    await app.close()
    if (!isListenError(error)) throw error
    log.warn(
      'no metrics from this process: set INLET_METRICS_HOST and INLET_METRICS_PORT, or INLET_METRICS_PORT to off',
      {
        code: codeOf(error),
        address: host,
        port,
      },
    )
    return { port: null, close: async () => {} }
  }
}
