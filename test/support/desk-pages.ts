/** Which pages the desk has, by its router. */
import type { RoutePolicy } from '../../src/surfaces/staff/guarded-routes.ts'

/** Files and redirects are no pages. */
const isPage = ({ method, path }: RoutePolicy) =>
  method === 'GET' && /^\/operator\b/.test(path) && !/\.csv$|\/next$/.test(path)

/** The pages of the desk that none of these addresses opens. */
export function unopenedPages(policies: readonly RoutePolicy[], addresses: readonly string[]): string[] {
  const routes = policies.filter(isPage).map(({ path }) => path)
  const opened = addresses.map((address) => {
    const [path = ''] = address.split('?', 1)
    const fits = (route: string) => new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`).test(path)
    return routes.find((route) => route === path) ?? routes.find(fits)
  })
  return routes.filter((route) => !opened.includes(route))
}
