/**
 * Addresses of ours. A list of patterns becomes a function that fills one in: a link to an address that is not on the list
 * does not compile, and what fills a pattern cannot become more than one segment of the path.
 */
type Segment = string | number | bigint

type Segments<Pattern extends string> = Pattern extends `${string}:${infer Rest}`
  ? [Segment, ...Segments<Rest>]
  : []

export function createPaths<const Root extends string, const Pattern extends string>(
  root: Root,
  patterns: readonly Pattern[],
) {
  const route = (pattern: Pattern): string => (pattern === '/' ? root : `${root}${pattern}`)
  const path = <P extends Pattern>(pattern: P, ...segments: Segments<`${Root}${P}`>): string => {
    const rest: Segment[] = [...segments]
    return route(pattern).replace(/:\w+/g, () => encoded(String(rest.shift())))
  }
  /** `route` is the pattern as the router knows it, `routes` are all of them. */
  return Object.assign(path, { route, routes: patterns.map(route) })
}

/** Dots alone climb to another folder, and nothing between two slashes is another host. */
function encoded(segment: string): string {
  if (/^\.{0,2}$/.test(segment)) throw new Error('A segment of a path must not be empty or dots alone.')
  return encodeURIComponent(segment.toWellFormed())
}
