/**
 * Performs an act of a section: rights, claim, second person, the change itself and the audit entry are one transaction.
 * An act that needs a second person is stored with its fields as they were typed, and is run again, under the rights of
 * that moment, when the second person approves it.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Proposal } from '../domain/approvals/proposal.ts'
import { proposeAct } from '../domain/approvals/propose-act.ts'
import { lockSubject } from '../domain/approvals/store.ts'
import { appendAudit } from '../domain/audit/store.ts'
import type { MerchantId } from '../domain/merchants/merchant.ts'
import { message } from '../domain/messages/message.ts'
import { dropClaim, lockClaim } from '../domain/people/claim-store.ts'
import { type Tx, within } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import {
  type Acted,
  type AnyAct,
  type By,
  type Context,
  type Fields,
  inLanguage,
  isTwo,
  type Section,
  type Seen,
  type Texts,
  type Two,
} from './section.ts'
import { readGiven } from './typed.ts'

/** An act by its section and name; `id` is the row, null for an act of the section. */
export type Wanted = { section: Section; name: string; id: string | null; texts: Texts }
type Person = Pick<By, 'personId' | 'email' | 'reason' | 'isFresh' | 'requestId'>
type Performed = { is: 'done'; acted: Acted } | { is: 'proposed'; id: string }

export const actNamed = (section: Section, name: string, id: string | null): AnyAct | undefined => {
  const acts = (id === null ? section.sectionActs : section.acts) ?? {}
  return Object.hasOwn(acts, name) ? acts[name] : undefined
}

export async function performAct(context: Context, wanted: Wanted, person: Person): Promise<Performed> {
  const after: Parameters<By['after']>[0][] = []
  const by: By = {
    ...person,
    actor: `${context.merchantId ? 'merchant' : 'operator'}:${person.email}`,
    approved: null,
    after: (then) => void after.push(then),
  }
  const performed = await context.db.transaction((tx) => performWithin(tx, context, wanted, by))
  for (const then of after) await then(context)
  return performed
}

async function performWithin(tx: Tx, context: Context, wanted: Wanted, by: By): Promise<Performed> {
  const { section } = wanted
  const { act, row } = await found(tx, context, wanted)
  const texts = completed(act.fields, wanted.texts, row)
  const claim = act.holds && section.claim?.item(row)
  if (claim) await hold(tx, claim, by, section.claim?.isOptional ?? false)
  const given = await readGiven(act.fields, texts, { ...context, db: tx }, row)
  if (!act.isPlain && (by.reason.length < 1 || by.reason.length > 500))
    throw new Refusal('invalid_value', { detail: message('reason_length') })
  const doing = { row, given, by, context: innerOf(tx, context, by) }
  const line = lineOf(context, wanted, row, by)
  if (act.subject) line.subject = await act.subject(tx, doing)
  if (await act.second?.(tx, doing)) {
    const asked = { id: wanted.id, texts, seen: await seenBy(tx, act, row, given) }
    const kind = `${section.one}.${wanted.name}`
    // An act without a row is a new thing each time: several may wait.
    const several = wanted.id === null && !act.subject
    const { id } = await proposeAct(
      tx,
      { ...line, kind, asked, several, isGuard: act.isGuard ?? false },
      act.audit,
    )
    if (claim && by.personId) await dropClaim(tx, claim, by.personId)
    return { is: 'proposed', id }
  }
  const acted = (await act.run(tx, doing)) ?? {}
  if (claim && by.personId) await dropClaim(tx, claim, by.personId)
  if (!acted.isUnchanged) {
    const { before = null, after = null, subject = line.subject, merchantId = line.merchantId } = acted
    await appendAudit(tx, { ...line, act: act.audit, subject, merchantId, before, after })
  }
  return { is: 'done', acted }
}

/** What was not sent stays as it is: a form that was opened before an update may not name every field. */
const completed = (fields: Fields<unknown>, texts: Texts, row: unknown): Texts => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value?.(row) ?? ''])),
  ...texts,
})

/** Runs what was proposed, within the transaction of the approval; refuses if what the second person saw has changed. */
export async function runApproved(
  tx: Tx,
  context: Context,
  section: Section,
  proposal: Proposal,
  by: By,
): Promise<Acted> {
  const { id, texts, seen } = proposal.asked as { id: string | null; texts: Texts; seen: unknown }
  const name = proposal.kind.slice(section.one.length + 1)
  const { act, row } = await found(tx, context, { section, name, id, texts })
  const given = await readGiven(act.fields, texts, { ...context, db: tx }, row)
  if (!isDeepStrictEqual(await seenBy(tx, act, row, given), seen))
    throw new Refusal('state_conflict', { detail: message('changed_since_proposed') })
  return (await act.run(tx, { row, given, by, context: innerOf(tx, context, by) })) ?? {}
}

/** Verbs join the transaction of the act, and what they announce is announced after it. */
const innerOf = (tx: Tx, context: Context, by: By): Context => ({
  ...context,
  db: within(tx, context.db),
  changed: (entered) => by.after(() => context.changed(entered)),
  merchantsChanged: (merchantId) => by.after(() => context.merchantsChanged(merchantId)),
  begin: (key, work) => by.after(() => context.begin(key, work)),
})

/** One act on a row at a time: what an act has read stays so until it is done. */
async function found(tx: Tx, context: Context, { section, name, id }: Wanted) {
  if (id !== null) await lockSubject(tx, `${section.one}:${id}`)
  const act = actNamed(section, name, id)
  const row = id === null ? undefined : await section.find?.({ ...context, db: tx }, id)
  if (!act || (id !== null && row === undefined)) throw new Refusal('not_found')
  const possible = act.from?.(row) ?? true
  if (possible !== true) {
    const detail = possible && (isTwo(possible) ? inLanguage(possible, context.language) : possible)
    throw new Refusal('state_conflict', detail ? { detail } : {})
  }
  return { act, row }
}

/** The values that the form began with, and what else the second person sees. */
const seenBy = async (tx: Tx, act: AnyAct, row: unknown, given: unknown): Promise<Seen> => ({
  ...Object.fromEntries(
    Object.entries(act.fields as Record<string, { value?: (row: unknown) => string }>).flatMap(
      ([name, { value }]) => (value ? [[name, value(row)]] : []),
    ),
  ),
  ...(await act.seen?.(row, given as never, tx)),
})

async function hold(tx: Tx, item: string, { personId }: By, isOptional: boolean): Promise<void> {
  const holder = await lockClaim(tx, item)
  if (holder ? holder.personId === personId : isOptional) return
  const detail = holder ? message('item_taken_by', { name: holder.name }) : message('item_not_taken')
  throw new Refusal('state_conflict', { detail })
}

/** What is said after an act that has changed so many. */
export const doneText = ({ done }: Pick<AnyAct, 'done'>, count: number): Two =>
  typeof done === 'function' ? done(count) : (done ?? ['Done.', 'Готово.'])

/** What audit entries and requests about a row are about. */
export const subjectOf = <Row>({ one, subjectOf }: Section<Row>, row: Row, id: string): string =>
  subjectOf?.(row) ?? `${one}:${id}`

function lineOf(context: Context, { section, id }: Wanted, row: unknown, by: By) {
  const merchantId: MerchantId | null = row === undefined ? null : (section.merchantOf?.(row) ?? null)
  return {
    personId: by.personId,
    actor: by.email,
    subject: id === null ? section.one : subjectOf(section, row, id),
    merchantId: merchantId ?? context.merchantId,
    reason: by.reason,
    requestId: by.requestId,
  }
}
