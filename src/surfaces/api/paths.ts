/** Every address of the merchants' and banks' API. */
import { createPaths } from '../../platform/paths.ts'

export const apiRoot = '/api/v1'

export const apiPath = createPaths(apiRoot, [
  '/bank/transfers',
  '/callbacks',
  '/callbacks/:id/replay',
  '/events',
  '/requests/deposit',
  '/requests/deposit/:id',
  '/requests/deposit/:id/cancel',
  '/requests/deposit/build',
  '/requests/deposit/create',
  '/requests/deposits',
  '/requests/limit',
  '/sandbox/clock',
  '/sandbox/statement',
  '/sandbox/transfers',
])

/** A route as OpenAPI writes it. */
export const documentedPath = (pattern: Parameters<typeof apiPath.route>[0]): string =>
  apiPath.route(pattern).replace(/:(\w+)/g, '{$1}')
