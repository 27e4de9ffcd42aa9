/** Pages for signing in and for one's own account. */

import type { Visitor } from '../../domain/people/access.ts'
import {
  type ConsoleLanguage,
  hasSecondFactor,
  type Passkey,
  type SessionListed,
} from '../../domain/people/person.ts'
import { timeIn } from '../../domain/people/time.ts'
import type { RefusalCode, Sentence } from '../../platform/refusals.ts'
import { inLanguage } from '../../sections/section.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { mark } from '../web/page.ts'
import {
  act,
  badge,
  button,
  callout,
  field,
  form,
  moment,
  pairs,
  panel,
  select,
  table,
} from '../web/pieces.ts'
import { type ConsoleAssets, consolePage } from './console-page.ts'
import { consoleWords } from './console-words.ts'
import { staffPath } from './paths.ts'
import { translate } from './sentences/translate.ts'
import { peopleWords } from './words.ts'
import { workplaceLinks } from './workplaces.ts'

export type PageContext = {
  language: ConsoleLanguage
  assets: ConsoleAssets
}
/** A page without navigation, for people who are not signed in yet. */
export function plainPage({ language, assets }: PageContext, title: string, body: Value) {
  return consolePage(
    {
      title,
      language,
      rail: null,
      body: html`<div class="narrow stack"><p class="brand">${mark} Inlet</p><h1>${title}</h1>${body}</div>`,
    },
    assets,
  )
}

/** What was wrong with the form that was just sent. */
export type FormError =
  | { kind: 'failed' }
  | { kind: 'wait'; why: Sentence; seconds: number }
  | { kind: 'password'; least: number; most: number }
  | { kind: 'easyToGuess' }
  | { kind: 'lastFactor' }
  | null

export const formErrorText = (formError: FormError, language: ConsoleLanguage): Markup | null => {
  if (!formError) return null
  const words = peopleWords[language]
  const text =
    formError.kind === 'wait'
      ? `${translate(formError.why, language)} ${words.wait(formError.seconds)}`
      : formError.kind === 'password'
        ? words.passwordLength(formError.least, formError.most)
        : words[formError.kind]
  return html`<div role="alert">${callout('bad', text)}</div>`
}

export function signInPage(
  context: PageContext,
  { to, email, formError }: { to: string; email: string; formError: FormError },
) {
  const words = peopleWords[context.language]
  return plainPage(
    context,
    words.signIn,
    html`${formErrorText(formError, context.language)}
<form method="post" action="${staffPath('/sign-in')}" class="stack">
<input type="hidden" name="to" value="${to}">
${field({ name: 'email', label: words.email, type: 'email', value: email, autocomplete: 'username webauthn', isRequired: true, isFocused: email === '', maxLength: 254 })}
${field({ name: 'password', label: words.password, type: 'password', autocomplete: 'current-password', isRequired: true, isFocused: email !== '', maxLength: 200 })}
${button(words.signInAct, 'primary')}
</form>
<p><button type="button" class="button" data-passkey="sign-in" data-to="${to}" data-failed="${words.failed}" hidden>${words.withPasskey}</button></p>
<p class="error" id="passkey-error" role="status"></p>
<p class="quiet">${words.noAccount}</p>`,
  )
}

/** `hasCodes`: the person has an authenticator app or recovery codes. */
type ProofAsked = { visitor: Visitor; hasCodes: boolean; to: string; formError: FormError }

export function secondFactorPage(context: PageContext, { visitor, hasCodes, to, formError }: ProofAsked) {
  const words = peopleWords[context.language]
  return plainPage(
    context,
    words.second,
    html`${formErrorText(formError, context.language)}
${proofs(context, { visitor, to, action: staffPath('/sign-in/second'), typed: hasCodes ? 'code' : null })}
${act(visitor, { action: staffPath('/sign-out'), text: inLanguage(consoleWords.signOut, context.language) })}`,
  )
}

/** Before a dangerous act a person confirms who they are with any factor they have. */
export function signInAgainPage(context: PageContext, { visitor, hasCodes, to, formError }: ProofAsked) {
  const words = peopleWords[context.language]
  const typed = hasSecondFactor(visitor.person) ? (hasCodes ? 'code' : null) : 'password'
  return plainPage(
    context,
    words.again,
    html`<p>${words.againText}</p>
${formErrorText(formError, context.language)}
${proofs(context, { visitor, to, action: staffPath('/sign-in/again'), typed })}
<p><a href="${staffPath('/home')}">${words.back}</a></p>`,
  )
}

type Proofs = { visitor: Visitor; to: string; action: string; typed: 'code' | 'password' | null }

/** Recovery codes replace a lost passkey: without an authenticator app the passkey comes first, then a recovery code. */
function proofs(context: PageContext, { visitor, to, action, typed }: Proofs): Markup {
  const words = peopleWords[context.language]
  const { person } = visitor
  const hasOnlyRecoveryCodes = person.passkeys > 0 && !person.hasTotp
  const passkey = person.passkeys > 0 && passkeyButton(words, to)
  const shared = { isRequired: true, isFocused: !hasOnlyRecoveryCodes }
  const input =
    typed === 'code'
      ? field({
          ...shared,
          name: 'code',
          label: words.code,
          hint: hasOnlyRecoveryCodes ? words.recoveryCodeText : words.secondText,
          autocomplete: hasOnlyRecoveryCodes ? 'off' : 'one-time-code',
          maxLength: 20,
        })
      : field({
          ...shared,
          name: 'password',
          label: words.password,
          type: 'password',
          autocomplete: 'current-password',
          maxLength: 200,
        })
  const typing =
    typed &&
    form(visitor, {
      action,
      body: html`<input type="hidden" name="to" value="${to}">
${input}
${hasOnlyRecoveryCodes ? button(words.continue) : button(words.continue, 'primary')}`,
    })
  return hasOnlyRecoveryCodes ? html`${passkey}${typing}` : html`${typing}${passkey}`
}

const passkeyButton = (words: (typeof peopleWords)['en'], to: string): Markup =>
  html`<p><button type="button" class="button primary" data-passkey="sign-in" data-to="${to}" data-failed="${words.failed}" hidden>${words.withPasskey}</button></p>
<p class="error" id="passkey-error" role="status"></p>`

/** Offers both kinds of second factor. */
export function setUpPage(
  context: PageContext,
  setUp: {
    visitor: Visitor
    isNeeded: boolean
    qr: Markup
    secret: string
    sealed: string
    formError: FormError
  },
) {
  const words = peopleWords[context.language]
  const { visitor, isNeeded, qr, secret, sealed, formError } = setUp
  return plainPage(
    context,
    words.setUp,
    html`<p>${isNeeded ? words.setUpText : words.setUpChoice}</p>
${formErrorText(formError, context.language)}
<section class="panel" data-passkey-panel hidden>
<h2>${words.addPasskey}</h2>
<p>${words.addPasskeyText}</p>
${field({ name: 'passkey-name', label: words.passkeyName, value: words.passkey, maxLength: 100 })}
<p><button type="button" class="button primary" data-passkey="add" data-csrf="${visitor.session.csrf}" data-to="${staffPath('/home')}" data-failed="${words.failed}">${words.addPasskey}</button></p>
<p class="error" id="passkey-error" role="status"></p>
</section>
${panel(
  words.totp,
  html`<p>${words.totpText}</p>
<div class="qr">${qr}</div>
<p class="quiet">${words.totpSecret}</p>
<p class="mono" translate="no">${secret.match(/.{1,4}/g)!.join(' ')}</p>
${form(visitor, {
  action: staffPath('/sign-in/set-up'),
  body: html`<input type="hidden" name="sealed" value="${sealed}">
${field({ name: 'code', label: words.code, autocomplete: 'one-time-code', inputmode: 'numeric', isRequired: true, maxLength: 10 })}
${button(words.turnOn, 'primary')}`,
})}`,
)}
${
  isNeeded
    ? act(visitor, {
        action: staffPath('/sign-out'),
        text: inLanguage(consoleWords.signOut, context.language),
      })
    : html`<p><a href="${staffPath('/account')}">${words.back}</a></p>`
}`,
  )
}

export const codesPage = (context: PageContext, codes: readonly string[]) => {
  const words = peopleWords[context.language]
  return plainPage(
    context,
    words.codes,
    html`<p>${words.codesText}</p>
<ul class="mono" translate="no">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a class="button primary" href="${staffPath('/home')}">${words.codesDone}</a></p>`,
  )
}

export function homePage(context: PageContext, visitor: Visitor) {
  const words = peopleWords[context.language]
  const places = workplaceLinks(visitor, context.language)
  return plainPage(
    context,
    places.length > 0 ? words.home : words.account,
    html`<p>${places.length > 0 ? words.homeText : words.nowhere}</p>
<ul>${places.map((place) => html`<li><a href="${place.href}">${place.text}</a></li>`)}</ul>
<p><a href="${staffPath('/account')}">${words.account}</a></p>`,
  )
}

type AccountView = {
  visitor: Visitor
  passkeys: readonly Passkey[]
  sessions: readonly SessionListed[]
  codesLeft: number
  zones: readonly string[]
  notice: 'saved' | 'password' | null
  formError: FormError
}

export function accountPage(context: PageContext, view: AccountView) {
  const { language, assets } = context
  const words = peopleWords[language]
  const { visitor, passkeys, sessions } = view
  const { person, session } = visitor
  const time = (at: Date) => moment(at, timeIn(at, person.timeZone, language))
  const preferences = form(visitor, {
    action: staffPath('/account/preferences'),
    body: html`${select({
      name: 'language',
      label: words.language,
      value: language,
      choices: [
        { value: 'ru', text: 'Русский' },
        { value: 'en', text: 'English' },
      ],
    })}
${select({ name: 'zone', label: words.zone, value: person.timeZone, choices: view.zones.map((zone) => ({ value: zone, text: zone })) })}
${button(words.save, 'primary')}`,
  })
  const factors = html`<p>${words.totp}: ${person.hasTotp ? badge(words.isOn, 'ok') : words.none}</p>
<div class="row">
<a class="button" href="${staffPath('/sign-in/set-up')}">${hasSecondFactor(person) ? words.changeFactor : words.setUp}</a>
${person.hasTotp && act(visitor, { action: staffPath('/account/totp/remove'), text: words.remove, kind: 'danger' })}
</div>
${
  hasSecondFactor(person) &&
  html`<p>${words.codes}: ${badge(words.codesLeft(view.codesLeft), view.codesLeft > 0 ? 'ok' : 'warn')}</p>
${act(visitor, { action: staffPath('/account/codes'), text: words.newCodes })}`
}
${
  passkeys.length > 0 &&
  table(
    words.passkeys,
    [words.passkeyName, words.added, words.lastUsed, ''],
    passkeys.map((key) => [
      key.name,
      time(key.createdAt),
      key.lastUsedAt ? time(key.lastUsedAt) : words.never,
      act(visitor, {
        action: staffPath('/account/passkeys/remove'),
        text: words.remove,
        kind: 'danger',
        hidden: { id: key.id },
      }),
    ]),
  )
}`
  const password = form(visitor, {
    action: staffPath('/account/password'),
    body: html`${field({ name: 'password', label: words.newPassword, type: 'password', hint: words.passwordHint, autocomplete: 'new-password', isRequired: true, maxLength: 200 })}
${button(words.changePassword)}`,
  })
  const where = html`${table(
    words.sessions,
    [words.browser, words.network, words.since, words.seen, ''],
    sessions.map((line) => [
      line.browser,
      line.network,
      time(line.madeAt),
      time(line.seenAt),
      line.id === session.id
        ? badge(words.thisOne, 'info')
        : act(visitor, {
            action: staffPath('/account/sessions/end'),
            text: words.end,
            hidden: { id: line.id },
          }),
    ]),
  )}
${act(visitor, { action: staffPath('/account/sessions/end'), text: words.endOthers })}`
  return consolePage(
    {
      title: words.account,
      language,
      rail: {
        home: staffPath('/home'),
        where: person.name,
        links: workplaceLinks(visitor, context.language).map((place) => ({
          ...place,
          group: inLanguage(consoleWords.workplaces, language),
          icon: icons.shop,
          isHere: false,
        })),
        guide: '/docs/guides/merchants',
        who: visitor,
        places: [],
      },
      notice: view.notice && (view.notice === 'saved' ? words.saved : words.passwordChanged),
      body: html`${formErrorText(view.formError, language)}
<div class="split">
<div class="stack">${panel(words.profile, html`${pairs([[words.email, html`<bdi class="anywhere">${person.email}</bdi>`]])}${preferences}`)}${panel(words.changePassword, password)}</div>
<div class="stack">${panel(words.factors, factors)}</div>
</div>
${panel(words.sessions, where)}`,
    },
    assets,
  )
}

export function refusedPage(context: PageContext, code: RefusalCode, text: string) {
  const words = peopleWords[context.language]
  return plainPage(
    context,
    code === 'not_found' ? words.notFoundTitle : words.refused,
    html`<p>${text}</p><p><a class="button" href="${staffPath('/home')}">${words.back}</a></p>`,
  )
}
