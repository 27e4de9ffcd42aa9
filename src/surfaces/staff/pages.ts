/** The pages of signing in and of one's own account. */

import type { Visitor } from '../../domain/people/access.ts'
import {
  type ConsoleLanguage,
  hasSecondFactor,
  type Passkey,
  type SessionListed,
} from '../../domain/people/person.ts'
import { timeIn } from '../../domain/people/time.ts'
import type { Sentence } from '../../platform/refusals.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { act, badge, button, callout, field, form, moment, panel, select, table } from '../web/pieces.ts'
import { browserOf } from './browser.ts'
import { type ConsoleAssets, consolePage } from './console-page.ts'
import { frameWords } from './console-words.ts'
import { staffPath } from './paths.ts'
import { translate } from './sentences/translate.ts'
import { peopleWords } from './words.ts'
import { workplaceLinks } from './workplaces.ts'

export type PageOf = { language: ConsoleLanguage; assets: ConsoleAssets }

/** A small page in the middle of nothing. */
export function plainPage({ language, assets }: PageOf, title: string, body: Value) {
  return consolePage(
    {
      title,
      language,
      words: frameWords[language],
      rail: null,
      body: html`<div class="narrow stack"><p class="strong">Inlet</p><h1>${title}</h1>${body}</div>`,
    },
    assets,
  )
}

/** What went wrong with the form that was just sent. */
export type Trouble =
  | { kind: 'failed' }
  | { kind: 'wait'; why: Sentence; seconds: number }
  | { kind: 'password'; least: number; most: number }
  | { kind: 'guessed' }
  | { kind: 'bare' }
  | null

export const troubleText = (trouble: Trouble, language: ConsoleLanguage): Markup | null => {
  if (!trouble) return null
  const words = peopleWords[language]
  const text =
    trouble.kind === 'wait'
      ? `${translate(trouble.why, language)} ${words.wait(trouble.seconds)}`
      : trouble.kind === 'password'
        ? words.passwordLength(trouble.least, trouble.most)
        : words[trouble.kind]
  return html`<div role="alert">${callout('bad', text)}</div>`
}

export function signInPage(
  of: PageOf,
  { to, email, trouble }: { to: string; email: string; trouble: Trouble },
) {
  const words = peopleWords[of.language]
  return plainPage(
    of,
    words.signIn,
    html`${troubleText(trouble, of.language)}
<form method="post" action="${staffPath('/sign-in')}" class="stack">
<input type="hidden" name="to" value="${to}">
${field({ name: 'email', label: words.email, type: 'email', value: email, autocomplete: 'username webauthn', isRequired: true, isFocused: email === '', maxLength: 254 })}
${field({ name: 'password', label: words.password, type: 'password', autocomplete: 'current-password', isRequired: true, isFocused: email !== '', maxLength: 200 })}
${button(words.signIn, 'primary')}
</form>
<p><button type="button" class="button" data-passkey="sign-in" data-to="${to}" data-failed="${words.failed}" hidden>${words.withPasskey}</button></p>
<p class="error" id="passkey-error" role="status"></p>
<p class="quiet">${words.noAccount}</p>`,
  )
}

/** `hasCodes`: of an app, or on paper. */
type ProofAsked = { visitor: Visitor; hasCodes: boolean; to: string; trouble: Trouble }

export function secondPage(of: PageOf, { visitor, hasCodes, to, trouble }: ProofAsked) {
  const words = peopleWords[of.language]
  return plainPage(
    of,
    words.second,
    html`${troubleText(trouble, of.language)}
${proofs(of, { visitor, to, action: staffPath('/sign-in/second'), typed: hasCodes ? 'code' : null })}
${act(visitor, { action: staffPath('/sign-out'), text: frameWords[of.language].signOut })}`,
  )
}

/** Before a dangerous act: whatever factor this person has. */
export function againPage(of: PageOf, { visitor, hasCodes, to, trouble }: ProofAsked) {
  const words = peopleWords[of.language]
  const typed = hasSecondFactor(visitor.person) ? (hasCodes ? 'code' : null) : 'password'
  return plainPage(
    of,
    words.again,
    html`<p>${words.againText}</p>
${troubleText(trouble, of.language)}
${proofs(of, { visitor, to, action: staffPath('/sign-in/again'), typed })}
<p><a href="${staffPath('/home')}">${words.back}</a></p>`,
  )
}

type Proofs = { visitor: Visitor; to: string; action: string; typed: 'code' | 'password' | null }

/** Where there is no app, the codes are on paper, for who has lost the passkey: that one is asked for first. */
function proofs(of: PageOf, { visitor, to, action, typed }: Proofs): Markup {
  const words = peopleWords[of.language]
  const { person } = visitor
  const isPaper = person.passkeys > 0 && !person.hasTotp
  const passkey = person.passkeys > 0 && passkeyButton(words, to)
  const shared = { isRequired: true, isFocused: !isPaper }
  const input =
    typed === 'code'
      ? field({
          ...shared,
          name: 'code',
          label: words.code,
          hint: isPaper ? words.paperText : words.secondText,
          autocomplete: isPaper ? 'off' : 'one-time-code',
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
${isPaper ? button(words.continue) : button(words.continue, 'primary')}`,
    })
  return isPaper ? html`${passkey}${typing}` : html`${typing}${passkey}`
}

const passkeyButton = (words: (typeof peopleWords)['en'], to: string): Markup =>
  html`<p><button type="button" class="button primary" data-passkey="sign-in" data-to="${to}" data-failed="${words.failed}" hidden>${words.withPasskey}</button></p>
<p class="error" id="passkey-error" role="status"></p>`

/** Both kinds of second factor, side by side. */
export function setUpPage(
  of: PageOf,
  setUp: {
    visitor: Visitor
    isNeeded: boolean
    qr: Markup
    secret: string
    sealed: string
    trouble: Trouble
  },
) {
  const words = peopleWords[of.language]
  const { visitor, isNeeded, qr, secret, sealed, trouble } = setUp
  return plainPage(
    of,
    words.setUp,
    html`<p>${isNeeded ? words.setUpText : words.setUpChoice}</p>
${troubleText(trouble, of.language)}
<section class="panel" data-passkey-panel hidden>
<h2>${words.addPasskey}</h2>
<p>${words.addPasskeyText}</p>
${field({ name: 'passkey-name', label: words.passkeyName, value: 'Passkey', maxLength: 100 })}
<p><button type="button" class="button primary" data-passkey="add" data-csrf="${visitor.session.csrf}" data-to="${staffPath('/home')}" data-failed="${words.failed}">${words.addPasskey}</button></p>
<p class="error" id="passkey-error" role="status"></p>
</section>
${panel(
  words.totp,
  html`<p>${words.totpText}</p>
<div class="qr">${qr}</div>
<p class="quiet">${words.totpSecret}</p>
<p class="mono anywhere" translate="no">${secret}</p>
${form(visitor, {
  action: staffPath('/sign-in/set-up'),
  body: html`<input type="hidden" name="sealed" value="${sealed}">
${field({ name: 'code', label: words.code, autocomplete: 'one-time-code', inputmode: 'numeric', isRequired: true, maxLength: 10 })}
${button(words.turnOn, 'primary')}`,
})}`,
)}
${
  isNeeded
    ? act(visitor, { action: staffPath('/sign-out'), text: frameWords[of.language].signOut })
    : html`<p><a href="${staffPath('/account')}">${words.back}</a></p>`
}`,
  )
}

export const codesPage = (of: PageOf, codes: readonly string[]) => {
  const words = peopleWords[of.language]
  return plainPage(
    of,
    words.codes,
    html`<p>${words.codesText}</p>
<ul class="mono" translate="no">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a class="button primary" href="${staffPath('/home')}">${words.codesDone}</a></p>`,
  )
}

export function homePage(of: PageOf, visitor: Visitor) {
  const words = peopleWords[of.language]
  const places = workplaceLinks(visitor, of.language)
  return plainPage(
    of,
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
  trouble: Trouble
}

export function accountPage(of: PageOf, view: AccountView) {
  const { language, assets } = of
  const words = peopleWords[language]
  const { visitor, passkeys, sessions } = view
  const { person, session } = visitor
  const time = (at: Date) => moment(at, timeIn(at, person.timeZone, language))
  const profile = form(visitor, {
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
<a class="button" href="${staffPath('/sign-in/set-up')}">${words.setUp}</a>
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
    words.addPasskey,
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
    [{ head: words.browser, is: 'long' }, words.network, words.since, words.seen, ''],
    sessions.map((one) => [
      browserText(one.browser, words),
      one.network,
      time(one.madeAt),
      time(one.seenAt),
      one.id === session.id
        ? badge(words.thisOne, 'info')
        : act(visitor, {
            action: staffPath('/account/sessions/end'),
            text: words.end,
            hidden: { id: one.id },
          }),
    ]),
  )}
${act(visitor, { action: staffPath('/account/sessions/end'), text: words.endOthers })}`
  return consolePage(
    {
      title: words.account,
      language,
      words: frameWords[language],
      rail: {
        home: staffPath('/home'),
        where: person.email,
        links: workplaceLinks(visitor, of.language).map((place) => ({ ...place, isHere: false })),
        guide: '/docs/guides/merchants',
        who: visitor,
        places: [],
      },
      notice: view.notice && (view.notice === 'saved' ? words.saved : words.passwordChanged),
      body: html`${troubleText(view.trouble, language)}
<div class="split two">
<div class="stack">${panel(words.profile, profile)}${panel(words.changePassword, password)}</div>
<div class="stack">${panel(words.factors, factors)}</div>
</div>
${panel(words.sessions, where)}`,
    },
    assets,
  )
}

/** In words; what they leave out is a touch away. */
function browserText(agent: string, words: (typeof peopleWords)['en']): Value {
  const known = browserOf(agent)
  return known ? html`<span title="${agent}">${words.browserOn(known.browser, known.system)}</span>` : agent
}

export function refusedPage(of: PageOf, text: string) {
  const words = peopleWords[of.language]
  return plainPage(
    of,
    words.refused,
    html`<p>${text}</p><p><a href="${staffPath('/home')}">${words.back}</a></p>`,
  )
}
