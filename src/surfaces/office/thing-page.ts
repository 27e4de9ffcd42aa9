/** The page of one row: its facts, what may be done to it, or why not, and the parts below. */

import type { Message } from '../../domain/messages/message.ts'
import type { Holder } from '../../domain/people/person.ts'
import {
  type AnyAct,
  type Cell,
  type Choice,
  inLanguage,
  isTwo,
  type Part,
  type Section,
  type Two,
} from '../../sections/section.ts'
import { wholeId } from '../staff/frame.ts'
import { staffPath } from '../staff/paths.ts'
import { translate } from '../staff/sentences/translate.ts'
import { flag, html, type Markup, type Value } from '../web/html.ts'
import { badge, callout, code, act as oneButton, pairs, panel, table, tablePanel } from '../web/pieces.ts'
import { actForm, type RefusedAct } from './act-form.ts'
import { cellMarkup, titleOf } from './cells.ts'
import type { OfficeContext } from './context.ts'

export type ActView = {
  name: string
  act: AnyAct
  /** Why it is not possible; null when it is. */
  obstacle: Two | Message | null
  choices: ReadonlyMap<string, readonly Choice[]>
}

export type ThingView<Row> = {
  section: Section<Row>
  row: Row
  /** Its address, and the query that its acts keep. */
  href: string
  query?: string
  parts: readonly Part[]
  acts: readonly ActView[]
  /** Open requests about it, which a second person decides. */
  proposals: readonly { proposerName: string; href: string | null; withdraw: string | null }[]
  holder: Holder | null
  /** The person may take the row. */
  mayTake: boolean
  refused: (RefusedAct & { name: string }) | null
  /** The act that the address names: its form is open. */
  opened: string | null
  notice: string | null
}

export function thingPage<Row>(office: OfficeContext, view: ThingView<Row>) {
  const { section, row } = view
  return office.place.page({
    title: titleOf(section, row, office),
    path: section.path,
    ...(section.isLive && !view.refused && view.opened === null && { isLive: true }),
    notice: view.notice,
    actions: section.claim && claimBar(office, view),
    body: thingBody(office, view),
  })
}

/** `evidence`: what a decision is made by; it stands above the acts, below the facts of the list. */
export function thingBody<Row>(office: OfficeContext, view: ThingView<Row>, evidence: Value = null): Markup {
  const { section, row, parts } = view
  const say = (words: Two) => inLanguage(words, office.language)
  const facts = Object.values({ ...section.columns, ...(!evidence && section.facts) })
    .map(({ head, cell }) => [say(head), cell(row)] as const)
    .filter(([, cell]) => cell !== null)
  const acts =
    view.acts.length > 0 &&
    html`<div class="row-acts">${view.acts.map((one) => actMarkup(office, view, one))}</div>`
  const details = panel(
    say(['Details', 'Сведения']),
    pairs(facts.map(([head, cell]) => [head, factMarkup(office, cell)])),
  )
  return html`${view.proposals.map((proposal) => proposalNote(office, proposal))}
${parts.filter(({ is }) => is === 'note').map((part) => partMarkup(office, part))}
${evidence ? html`${details}${evidence}${acts}` : html`${acts}${details}`}
${parts.filter(({ is }) => is !== 'note').map((part) => partMarkup(office, part))}`
}

/** An id stands whole on the page of its row. */
const factMarkup = (office: OfficeContext, cell: Cell): Value =>
  cell && 'is' in cell && cell.is === 'code' ? wholeId(office, cell.text) : cellMarkup(office, cell)

const waiting: Two = [
  'A change is waiting for a second person. Asked for by',
  'Изменение ждёт решения второго сотрудника. Запрос:',
]

function proposalNote(
  office: OfficeContext,
  { proposerName, href, withdraw }: ThingView<unknown>['proposals'][number],
): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  return callout(
    'warn',
    html`${say(waiting)} <bdi>${proposerName}</bdi>. ${href && html`<a href="${href}">${say(['Open', 'Открыть'])}</a>`}${withdraw && oneButton(office.visitor, { action: withdraw, text: say(['Withdraw request', 'Отозвать запрос']) })}`,
  )
}

/** Without fields a button does it; with fields its form unfolds. */
function actMarkup<Row>(
  office: OfficeContext,
  view: ThingView<Row>,
  { name, act, obstacle: impossible, choices }: ActView,
): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const action = `${view.href}/${name}${view.query ?? ''}`
  const kind = act.kind ?? ''
  const refused = view.refused?.name === name ? view.refused : null
  const obstacle = impossible ?? (act.holds && !refused ? takenBy(office, view) : null)
  if (obstacle)
    return html`<p class="act-off"><button type="button" class="button" disabled aria-describedby="${name}-why">${say(act.name)}</button> <span class="quiet" id="${name}-why">${noteText(obstacle, office)}</span></p>`
  // A form that needs a fresh factor is opened at its address, which asks for it before anything is typed.
  const needsProof =
    act.policy.for !== 'anyone' &&
    'isFresh' in act.policy &&
    act.policy.isFresh &&
    !office.visitor.session.isFresh
  if (needsProof)
    return html`<p class="act-off"><a class="button ${kind}" href="${staffPath('/sign-in/again')}?to=${action}">${say(act.name)}</a></p>`
  if (act.isPlain && Object.keys(act.fields).length === 0 && !refused)
    return html`<div class="act-off">${oneButton(office.visitor, { action, text: say(act.name), ...(act.kind && { kind: act.kind }) })}${act.effect && html`<span class="quiet">${say(act.effect)}</span>`}</div>`
  const isFirst = act.kind === 'primary' && view.opened === null && view.refused === null
  const isOpen = refused !== null || view.opened === name || isFirst
  return html`<details class="act-box" ${flag('open', isOpen)}><summary class="button ${kind}">${say(act.name)}</summary>
${actForm(office, { name, act, row: view.row, action, choices, refused })}</details>`
}

/** Another person works on it. */
const takenBy = <Row>({ visitor }: OfficeContext, { holder }: ThingView<Row>): Two | null =>
  holder && holder.personId !== visitor.person.id
    ? [`Taken by ${holder.name}`, `В работе: ${holder.name}`]
    : null

export function claimBar<Row>(office: OfficeContext, view: ThingView<Row>): Markup | null {
  const { href: path, query = '', holder, mayTake } = view
  const say = (words: Two) => inLanguage(words, office.language)
  const other = takenBy(office, view)
  if (other) return badge(say(other), 'warn')
  if (!mayTake) return null
  return holder
    ? html`${badge(say(['Yours', 'Ваше']), 'info')}${oneButton(office.visitor, { action: `${path}/release${query}`, text: say(['Release', 'Освободить']) })}`
    : oneButton(office.visitor, {
        action: `${path}/take${query}`,
        text: say(['Take', 'Взять в работу']),
        kind: 'primary',
      })
}

export function partMarkup(office: OfficeContext, part: Part): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  switch (part.is) {
    case 'facts':
      return panel(
        say(part.head),
        pairs(part.facts.map(([head, cell]) => [say(head), cellMarkup(office, cell)])),
      )
    case 'table': {
      const heads = part.columns.map((column) =>
        'head' in column ? { head: say(column.head), is: 'number' as const } : say(column),
      )
      const rows = part.rows.map((cells) => cells.map((cell) => cellMarkup(office, cell)))
      const { more } = part
      if (!more) return tablePanel(say(part.head), heads, rows)
      const href = `${office.place.pathOf(more.to)}?${new URLSearchParams(more.chosen)}`
      return panel(
        say(part.head),
        html`${table(say(part.head), heads, rows)}<p><a href="${href}">${say(['All', 'Все'])}</a></p>`,
      )
    }
    case 'note':
      return callout(
        part.tone,
        html`${noteText(part.text, office)} ${part.link && (!part.link.policy || office.isOpen(part.link.policy)) && html`<a href="${noteLink(office, part.link)}">${say(part.link.text)}</a>`}${part.act && noteAct(office, part.act)}`,
      )
    case 'code':
      return panel(say(part.head), code(part.text))
  }
}

/** The button of an act that stands in a note, for those whose role allows it. */
const noteAct = (
  office: OfficeContext,
  { in: { path, acts }, id, name }: NonNullable<Extract<Part, { is: 'note' }>['act']>,
): Markup | null =>
  office.isOpen(acts[name]!.policy)
    ? oneButton(office.visitor, {
        action: `${office.place.pathOf(path)}/${encodeURIComponent(id)}/${name}`,
        text: inLanguage(acts[name]!.name, office.language),
      })
    : null

const noteLink = (
  { place }: OfficeContext,
  link: NonNullable<Extract<Part, { is: 'note' }>['link']>,
): string =>
  'at' in link
    ? link.at
    : 'chosen' in link
      ? `${place.pathOf(link.to)}?${new URLSearchParams(link.chosen)}`
      : `${place.pathOf(link.to)}${link.id ? `/${encodeURIComponent(link.id)}` : ''}`

const noteText = (text: Two | Message | string, { language }: OfficeContext): string =>
  isTwo(text) ? inLanguage(text, language) : translate(text, language)
