/** Which pages the desk and the merchant's console have, by their router. */
import { bounds } from '../../src/platform/bounds.ts'
import type { RoutePolicy } from '../../src/surfaces/staff/guarded-routes.ts'
import { atEnd } from './clean-up.ts'

/** Until the test file ends, people may open and send as many pages and forms as they want: a fast machine is over their limits. */
export function liftPageRates(): void {
  const { actRate, pageRate } = bounds
  const endless = { perSecond: 1_000_000, burst: 1_000_000 }
  Object.assign(bounds, { actRate: endless, pageRate: endless })
  atEnd(async () => void Object.assign(bounds, { actRate, pageRate }))
}

/** Files and redirects are no pages. */
const isPage = ({ method, path }: RoutePolicy) =>
  method === 'GET' && !/\.csv$|\/next$|^\/console(?:\/:merchant)?$/.test(path)

/** The pages below a path that none of these addresses opens. */
export function unopenedPages(
  policies: readonly RoutePolicy[],
  root: '/operator' | '/console',
  addresses: readonly string[],
): string[] {
  const posted = new Set(policies.flatMap(({ method, path }) => (method === 'POST' ? [path] : [])))
  // The form of an act stands on the page of its row.
  const isForm = ({ path }: RoutePolicy) => posted.has(path)
  const routes = policies
    .filter((one) => isPage(one) && !isForm(one))
    .flatMap(({ path }) => (path.startsWith(root) ? path : []))
  // What is named exactly comes before what takes any name there.
  const byNames = routes.toSorted((left, right) => left.split(':').length - right.split(':').length)
  const opened = addresses.map((address) => {
    const [path = ''] = address.split('?', 1)
    return byNames.find((route) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`).test(path))
  })
  return routes.filter((route) => !opened.includes(route))
}

/** A token of a form or an address: random letters, which may read "NaN" by chance. */
const token = /(?<![\w-])(?:[\w-]{22}|[\w-]{30}|[\w-]{43})(?![\w-])/g

/** What a page prints where a value is missing, and days that are written for machines. */
export const misprintsOf = (page: string): string[] => [
  ...(page.match(/<(?:dd|td)[^>]*>\d{4}-\d\d-\d\d</g) ?? []),
  ...(page.match(/undefined|\[object|Invalid Date/g) ?? []),
  ...(page.replace(token, '').match(/NaN/g) ?? []),
]
