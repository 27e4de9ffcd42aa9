/**
 * Builds the paths of our own addresses from a list of patterns. A link to a path that is not on the list does not
 * compile, and a value cannot become more than one segment of the path.
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
  const pieces = new Map(patterns.map((pattern) => [pattern, route(pattern).split(/:\w+/)]))
  const path = <P extends Pattern>(pattern: P, ...segments: Segments<`${Root}${P}`>): string =>
    pieces
      .get(pattern)!
      .reduce((before, piece, index) => before + encoded(String((segments as Segment[])[index - 1])) + piece)
  /** `route` is the pattern as the router knows it, `routes` are all of them. */
  return Object.assign(path, { route, routes: patterns.map(route) })
}

/** `.` and `..` would lead to another folder, and an empty segment could make the next one a host name. */
function encoded(segment: string): string {
  if (/^[\w-]+$/.test(segment)) return segment
  if (/^\.{0,2}$/.test(segment)) throw new Error('A segment of a path must not be empty or dots alone.')
  return encodeURIComponent(segment.toWellFormed())
}
