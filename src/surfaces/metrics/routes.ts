/** Metrics over HTTP, on a port of their own. */

import type { Http } from '../../platform/http.ts'
import { contentType, textOfMetrics } from '../../platform/metrics.ts'
import type { Metrics } from './metrics.ts'

export function metricsRoutes(app: Http, { metrics }: { metrics: Pick<Metrics, 'collect'> }): void {
  app.get('/metrics', async (_request, reply) =>
    reply.type(contentType).send(textOfMetrics(await metrics.collect())),
  )
}
