/** Pages of one-time links. */

import type { Visitor } from '../../../domain/people/access.ts'
import type { LinkPurpose, OfferedRole } from '../../../domain/people/links/link.ts'
import { inLanguage } from '../../../sections/section.ts'
import { html, type Markup } from '../../web/html.ts'
import { act, button, callout, field, form } from '../../web/pieces.ts'
import { consoleWords } from '../console-words.ts'
import { type FormError, formErrorText, type PageContext, plainPage } from '../pages.ts'
import { staffPath } from '../paths.ts'
import { peopleWords } from '../words.ts'

type LinkView = {
  token: string
  email: string
  purpose: LinkPurpose
  offered: OfferedRole | null
  /** The merchant's name, if the invitation is to a merchant. */
  merchantName: string | null
}

export const demoPage = (context: PageContext, { token, email }: LinkView) => {
  const words = peopleWords[context.language]
  return plainPage(
    context,
    words.demo,
    html`<p>${words.demoText(email)}</p>
<form method="post" action="${staffPath('/join/:token', token)}">${button(words.demo, 'primary')}</form>`,
  )
}

/** New people, and people whose access was reset, choose a password. */
export function passwordPage(
  context: PageContext,
  view: LinkView & { hadAccount: boolean; formError: FormError },
) {
  const words = peopleWords[context.language]
  const { token, email, purpose, hadAccount, formError } = view
  const text =
    purpose === 'reset'
      ? words.resetText(email)
      : hadAccount
        ? words.hadAccountText(email)
        : words.joinText(email)
  return plainPage(
    context,
    words.join,
    html`${offeredText(context, view)}<p>${text}</p>
${formErrorText(formError, context.language)}
<form method="post" action="${staffPath('/join/:token', token)}" class="stack">
<input type="hidden" name="username" value="${email}" autocomplete="username">
${field({ name: 'password', label: words.newPassword, type: 'password', hint: words.passwordHint, autocomplete: 'new-password', isRequired: true, isFocused: true, maxLength: 200 })}
${button(words.continue, 'primary')}
</form>`,
  )
}

/** People with an account accept the invitation while signed in. */
export function acceptPage(
  context: PageContext,
  view: LinkView & { visitor: Visitor | null; isOwn: boolean; problem: string | null },
) {
  const words = peopleWords[context.language]
  const { token, email, visitor, isOwn, problem } = view
  const here = staffPath('/join/:token', token)
  const signIn = html`<p>${words.acceptSignIn(email)}</p>
<p><a class="button primary" href="${staffPath('/sign-in')}?to=${here}">${words.signIn}</a></p>`
  const body = !visitor
    ? signIn
    : isOwn
      ? html`<p>${words.acceptAs(email)}</p>
${form(visitor, { action: `${here}/accept`, body: button(words.accept, 'primary') })}`
      : html`${callout('warn', words.acceptOther(visitor.person.email, email))}
${act(visitor, { action: staffPath('/sign-out'), text: inLanguage(consoleWords.signOut, context.language), hidden: { to: here } })}`
  return plainPage(
    context,
    words.invitation,
    html`${problem && html`<div role="alert">${callout('bad', problem)}</div>`}${offeredText(context, view)}${body}
${!isOwn && html`<p class="quiet">${words.acceptHelp(email)}</p>`}`,
  )
}

function offeredText({ language }: PageContext, { offered, merchantName }: LinkView): Markup | null {
  const words = peopleWords[language]
  if (!offered) return null
  return 'merchantId' in offered
    ? html`<p>${words.placeAt}: <strong><bdi>${merchantName}</bdi></strong>, ${words.roles[offered.role]}</p>`
    : html`<p>${words.placeAt}: <strong>${inLanguage(consoleWords.desk, language)}</strong>, ${words.roles[offered.operatorRole]}</p>`
}

export const linkGonePage = (context: PageContext, { isDemo }: { isDemo: boolean }) => {
  const words = peopleWords[context.language]
  return plainPage(
    context,
    words.linkGone,
    html`<p>${words.linkGoneText}</p>${isDemo && html`<p>${words.linkGoneDemo}</p>`}<p><a href="${staffPath('/sign-in')}">${words.signIn}</a></p>`,
  )
}
