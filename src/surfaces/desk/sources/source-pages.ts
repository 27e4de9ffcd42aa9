/** Pages of bank sources that push, and of a new token, shown once. */

import { maskedNumber } from '../../../domain/requisites/requisite.ts'
import type { BankSource } from '../../../domain/transfers/source.ts'
import { html } from '../../web/html.ts'
import { act, badge, button, callout, factsTable, field, form, panel, select } from '../../web/pieces.ts'
import { bankWords } from '../bank-words.ts'
import { admins, type DeskContext, deskPage, freshFactorNotice, may, modeBadge, timeAgo } from '../frame.ts'
import { deskPath } from '../paths.ts'
import { deskWords } from '../words.ts'

export function sourcesPage(desk: DeskContext, sources: readonly BankSource[]) {
  const words = bankWords[desk.language]
  const isAdmin = may(desk, admins)
  return deskPage(desk, {
    title: words.sections.sources,
    section: 'sources',
    body: html`<p>${words.sourcesText}</p>
${
  sources.length > 0 &&
  factsTable(
    words.sections.sources,
    [
      words.name,
      words.kind,
      { head: words.speaksFor, is: 'named' },
      { head: words.callsFrom, is: 'middle extra' },
      { head: words.state, is: 'state' },
      { head: words.lastUsed, is: 'named' },
      { head: words.acts, is: 'last' },
    ],
    sources.map((source) => [
      html`${source.kind === 'push' ? html`<a href="${deskPath('/sources/:id', source.id)}"><bdi>${source.name}</bdi></a>` : source.kind === 'file' ? html`${words.sourceKinds.file}: <bdi>${source.name}</bdi>` : words.sourceKinds[source.kind]}${modeBadge(desk, source.mode)}`,
      // Built-in sources have their kind as their name.
      source.kind === 'push' ? words.sourceKinds.push : words.builtIn,
      source.kind === 'push'
        ? source.isBound
          ? source.accounts.length
          : badge(words.everyAccount, 'warn')
        : words.everyAccount,
      source.kind === 'push' ? source.networks.join(' ') || words.anywhere : '–',
      badge(source.enabled ? words.on : words.off, source.enabled ? 'ok' : 'bad'),
      source.last_used_at ? timeAgo(desk, source.last_used_at) : words.never,
      isAdmin &&
        source.kind === 'push' &&
        (source.enabled
          ? act(desk.visitor, {
              action: deskPath('/sources/disable'),
              text: words.disable,
              kind: 'danger',
              hidden: { source: source.id },
            })
          : enableForm(desk, source)),
    ]),
  )
}
${
  isAdmin &&
  panel(
    words.addSource,
    html`${freshFactorNotice(desk)}${form(desk.visitor, {
      action: deskPath('/sources/add'),
      body: html`<div class="grid">${field({ name: 'name', label: words.name, isRequired: true, maxLength: 100 })}
${select({
  name: 'mode',
  label: words.mode,
  choices: [
    { value: 'live', text: words.modes.live },
    { value: 'test', text: words.modes.test },
  ],
})}
${field({ name: 'number', label: words.number, isRequired: true, maxLength: 34 })}
${field({ name: 'networks', label: words.callsFrom, hint: words.networksHint })}
</div>
${field({ name: 'reason', label: words.reason, hint: words.sourceReason, maxLength: 500 })}
${button(words.add, 'primary')}`,
    })}`,
  )
}`,
  })
}

const enableForm = (desk: DeskContext, { id, name }: BankSource) => {
  const { reason } = deskWords[desk.language]
  return html`<form method="post" action="${deskPath('/sources/enable')}" class="row"><input type="hidden" name="csrf" value="${desk.visitor.session.csrf}"><input type="hidden" name="source" value="${id}">
<input name="reason" type="text" class="inline" maxlength="500" autocomplete="off" placeholder="${reason}" aria-label="${reason}: ${name}">
${button(bankWords[desk.language].enable)}</form>`
}

/** The accounts that a bank source may report, and the networks that it may call from. */
export function sourcePage(desk: DeskContext, source: BankSource) {
  const { accounts } = source
  const words = bankWords[desk.language]
  const isAdmin = may(desk, admins)
  return deskPage(desk, {
    title: source.name,
    section: 'sources',
    actions: html`${badge(source.enabled ? words.on : words.off, source.enabled ? 'ok' : 'bad')}${modeBadge(desk, source.mode)}`,
    body: html`${isAdmin && freshFactorNotice(desk)}
${!source.isBound && callout('warn', words.everyAccountText)}
${source.isBound && accounts.length === 0 && callout('bad', words.noAccountsNamed)}
${isAdmin && html`<p class="quiet">${words.scopeText}</p>`}
${
  accounts.length > 0 &&
  factsTable(
    words.speaksFor,
    [words.account, { head: words.number, is: 'named' }, { head: words.acts, is: 'last' }],
    accounts.map((account) => [
      html`<a href="${deskPath('/requisites/:id', account.id)}"><bdi>${account.label}</bdi></a>`,
      account.number === null ? '–' : maskedNumber(account.number),
      isAdmin &&
        act(desk.visitor, {
          action: deskPath('/sources/:id/withdraw', source.id),
          text: words.takeAccount,
          kind: 'danger',
          hidden: { account: account.id },
        }),
    ]),
  )
}
${
  isAdmin &&
  panel(
    words.nameAccount,
    form(desk.visitor, {
      action: deskPath('/sources/:id/allow', source.id),
      body: html`${field({ name: 'number', label: words.number, isRequired: true, maxLength: 34 })}${field({ name: 'reason', label: words.reason, hint: words.sourceReason, maxLength: 500 })}${button(words.nameAccount, 'primary')}`,
    }),
  )
}
${panel(
  words.callsFrom,
  isAdmin
    ? form(desk.visitor, {
        action: deskPath('/sources/:id/networks', source.id),
        body: html`${field({ name: 'networks', label: words.networks, hint: words.networksHint, placeholder: words.anywhere, value: source.networks.join(' ') })}${field({ name: 'networks-reason', label: words.reason, hint: words.sourceReason, maxLength: 500 })}${button(words.setNetworks, 'primary')}`,
      })
    : html`<p class="mono">${source.networks.join(' ') || words.anywhere}</p>`,
)}`,
  })
}

/** Shown once, in the answer to the form; it has no address of its own. */
export function tokenPage(desk: DeskContext, { name, token }: { name: string; token: string }) {
  const words = bankWords[desk.language]
  return deskPage(desk, {
    title: name,
    section: 'sources',
    body: html`${callout('warn', words.tokenText)}
${panel(words.token, html`<p class="mono anywhere" translate="no">${token}</p>`)}
<p><a class="button primary" href="${deskPath('/sources')}">${words.done}</a></p>`,
  })
}
