/** Acts of declared sections in tests: what they work with, and requests that a second person decides. */

import { createOutbound } from '../../src/platform/outbound.ts'
import { decideRequest } from '../../src/sections/decide-request.ts'
import { deposits } from '../../src/sections/deposits.ts'
import { performAct } from '../../src/sections/perform-act.ts'
import type { Context, Section } from '../../src/sections/section.ts'
import { allSections, consoleSections, deskSections } from '../../src/sections/sections.ts'
import { transfers } from '../../src/sections/transfers.ts'
import { consoleRoot, deskRoot } from '../../src/surfaces/staff/paths.ts'
import type { TestGateway } from './gateway.ts'
import type { PersonsBrowser } from './person.ts'

/** The person who acts: `{ id, email }` of `joined`. */
type Somebody = { person: { id: string }; email: string }

export const officeContextOf = (
  gateway: TestGateway,
  sections: readonly Section[] = allSections,
): Context => ({
  ...{ db: gateway.db, vault: gateway.vault, publicUrl: gateway.url, sections },
  outbound: createOutbound({ allowed: () => true, loopback: true }),
  ...{ merchantId: null, personId: null, now: new Date(), timeZone: 'UTC', language: 'en' },
  ...{ changed: () => {}, merchantsChanged: () => {}, isTrustedHost: () => false },
  begin: async (_key, work) => {
    await work({ db: gateway.db, publicUrl: gateway.url, changed: () => {} })
  },
})

const sectionNamed = (context: Context, one: string): Section =>
  context.sections.find((section) => section.one === one)!

/** Does an act such as `refund.paid` as this person: `done` with what it handed back, or `proposed` with its request. */
export function actAs(
  context: Context,
  { person, email }: Somebody,
  kind: string,
  id: string | null,
  texts: Record<string, string> = {},
  reason = 'A reason',
) {
  const [one = '', name = ''] = kind.split('.')
  const by = { personId: person.id, email, requestId: null, reason, isFresh: true }
  return performAct(
    { ...context, personId: person.id },
    { section: sectionNamed(context, one), name, id, texts },
    by,
  )
}

/** Asks for an act that needs a second person; answers the id of the request. */
export async function askAs(...given: Parameters<typeof actAs>): Promise<string> {
  const performed = await actAs(...given)
  if (performed.is !== 'proposed') throw new Error(`${given[2]} needed no second person.`)
  return performed.id
}

export const decideAs = (
  context: Context,
  { person, email }: Somebody,
  id: string,
  verdict: 'approved' | 'refused' | 'withdrawn' = 'approved',
) =>
  decideRequest(context, {
    ...{ id, verdict, reason: 'Looked at' },
    by: { personId: person.id, email, requestId: null, isFresh: true },
  })

/** Every address of the declared sections, as the router knows it. */
export const declaredRoutes: readonly string[] = [
  ...deskSections.flatMap((section) => routesOf(section, deskRoot)),
  ...consoleSections.flatMap((section) => routesOf(section, consoleRoot)),
  // What is decided beside the queue.
  ...[deposits, transfers]
    .flatMap((section) => routesOf(section, `${deskRoot}/queue`))
    .filter((path) => path.includes('/:id')),
]

function routesOf(section: Section, root: string): string[] {
  const base = `${root}${section.path}`
  const ofRow = section.only ? base : `${base}/:id`
  const acts = Object.keys(section.acts).map((name) => `${ofRow}/${name}`)
  return [
    base,
    ...(section.isExported ? [`${base}/export.csv`] : []),
    ...Object.keys(section.sectionActs ?? {}).map((name) => `${base}/${name}`),
    ...(section.find && !section.only ? [ofRow] : []),
    ...acts,
    ...(section.claim ? [`${base}/:id/take`, `${base}/:id/release`] : []),
  ]
}

/** An admin changes what a person may do, on the page of that person; an invitation has no such page yet. */
export const changePerson = (
  { browser }: { browser: PersonsBrowser },
  act: string,
  { email, ...fields }: Record<string, string> & { email: string },
  headers: Record<string, string> = {},
) =>
  browser.post(
    act === 'invite' ? '/operator/people/invite' : `/operator/people/${encodeURIComponent(email)}/${act}`,
    { email, reason: 'As agreed', ...fields },
    headers,
  )

/** Every page of these sections: the list, one row by its id, and the form of each act. */
export const declaredPages = (
  sections: readonly Section[],
  root: string,
  ids: Readonly<Record<string, string>>,
): string[] =>
  sections.flatMap(({ one, path, acts, sectionActs = {}, find, only }) => {
    const base = `${root}${path}`
    const row = only ? base : `${base}/${ids[one]}`
    return [
      base,
      ...Object.keys(sectionActs).map((name) => `${base}/${name}`),
      ...(find ? [row, ...Object.keys(acts).map((name) => `${row}/${name}`)] : []),
    ]
  })
