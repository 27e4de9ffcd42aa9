/** Banks that push, and the token that one gets once. */
import { html } from '../../web/html.ts'
import { act, badge, button, callout, field, form, panel, select, table } from '../../web/pieces.ts'
import { admins, type Desk, deskPage, may, modeBadge, proofAsked, sinceOf } from '../frame.ts'
import { deskWords } from '../words.ts'
import type { SourceRow } from './rows.ts'
import { bankWords } from './words.ts'

export function sourcesPage(desk: Desk, sources: readonly SourceRow[]) {
  const words = bankWords[desk.language]
  const shared = deskWords[desk.language]
  const { csrf } = desk.visitor.session
  const isAdmin = may(desk, admins)
  return deskPage(desk, {
    title: shared.sections.sources,
    section: 'sources',
    body: html`<p>${words.sourcesText}</p>
${
  sources.length > 0 &&
  table(
    shared.sections.sources,
    [
      { head: words.sourceName },
      { head: words.kind },
      { head: shared.state },
      { head: words.lastUsed },
      { head: shared.acts },
    ],
    sources.map((one) => [
      html`<bdi>${one.name}</bdi>${modeBadge(desk, one.mode)}`,
      words.sourceKinds[one.kind],
      badge(one.enabled ? shared.on : shared.off, one.enabled ? 'ok' : 'bad'),
      one.last_used_at ? sinceOf(desk, one.last_used_at) : shared.never,
      isAdmin &&
        one.kind === 'push' &&
        act({
          action: `/operator/sources/${one.enabled ? 'disable' : 'enable'}`,
          csrf,
          text: one.enabled ? words.disable : words.enable,
          kind: one.enabled ? 'danger' : 'plain',
          hidden: { source: one.id },
        }),
    ]),
  )
}
${
  isAdmin &&
  panel(
    words.addSource,
    html`${proofAsked(desk)}${form({
      action: '/operator/sources/add',
      csrf,
      body: html`<div class="grid">${field({ name: 'name', label: words.sourceName, isRequired: true, maxLength: 100 })}
${select({
  name: 'mode',
  label: shared.mode,
  choices: [
    { value: 'live', text: shared.modes.live },
    { value: 'test', text: shared.modes.test },
  ],
})}</div>
${button(shared.add, 'primary')}`,
    })}`,
  )
}`,
  })
}

/** Shown in the answer to the form itself: no address leads here again. */
export function tokenPage(desk: Desk, { name, token }: { name: string; token: string }) {
  const words = bankWords[desk.language]
  return deskPage(desk, {
    title: name,
    section: 'sources',
    body: html`${callout('warn', words.tokenText)}
${panel(words.token, html`<p class="mono anywhere" translate="no">${token}</p>`)}
<p><a class="button primary" href="/operator/sources">${words.done}</a></p>`,
  })
}
