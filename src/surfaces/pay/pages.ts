/**
 * The payment page: one address, one screen for every situation, each a whole page that works without scripts. It
 * must never show full requisites when they should not be paid to, nor ask for anything but a transfer. Texts of
 * the shop are text, bounded and inside `bdi`.
 */

import { isDefaultName } from '../../domain/catalogue/payment-type.ts'
import { billPath, logoPath, payPath } from '../../domain/deposits/page-paths.ts'
import { fitted, logoBox, type ShownLogo } from '../../domain/merchants/brand.ts'
import { typedCents } from '../../domain/money.ts'
import { readBankLink } from '../../domain/requisites/bank-link.ts'
import { plays } from '../../domain/sandbox/record.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { clockTime, priceText } from '../web/format.ts'
import { flag, html, type Markup } from '../web/html.ts'
import { icons } from '../web/icons.ts'
import { type Language, languages, messages } from '../web/messages/languages.ts'
import type { Messages } from '../web/messages/ru.ts'
import { mark, page, type Stylesheet } from '../web/page.ts'
import { billBlock, copyButton, qrFigure, receipt } from './bill-block.ts'
import { brandStyles } from './brand-styles.ts'
import { quotedReference, type Screen, showsRequisites } from './screen.ts'
import { statusBlock, statusHead } from './status.ts'
import type { PayView } from './view.ts'

export type Assets = { styles: Stylesheet; scripts: readonly string[] }

export function payPage(view: PayView, language: Language, assets: Assets) {
  const words = messages[language]
  const { screen, deposit, testMode } = view
  const body = html`
${testMode && testBanner(words)}
<main data-screen="${screen}" class="${!deposit.shown && screen !== 'choose' && 'short-page'}">
<div class="summary">
${heading(view, words, language)}
${statusBlock(view, language)}
${showsRequisites(deposit, screen) && qrFigure(view, words, language)}
</div>
<div class="details">
${screenParts[screen](view, words, language)}
</div>
</main>
<footer>
${safety(view, words)}
${minorLinks(view, words)}
${testMode && panel(view, words)}
${languageLinks(payPath('/:token', deposit.pageToken), language)}
</footer>`
  const title = `${statusHead(view, words)} · ${words.title}`
  const ownStyles = brandStyles(view.brand.accent)
  return page({ title, lang: language, body, ownStyles, ...assets })
}

/** Giving up asks once more, on a page of its own: opening it changes nothing. */
export function giveUpPage(view: PayView, language: Language, assets: Assets) {
  const words = messages[language]
  const { head, text, yes, no } = words.giveUpPage
  const { pageToken } = view.deposit
  const body = html`
${view.testMode && testBanner(words)}
<main class="short-page">
${heading({ ...view, screen: 'choose' }, words, language)}
<h2>${head}</h2>
<p>${text}</p>
<form class="either" method="post" action="${payPath('/:token/give-up', pageToken)}">
<a class="button primary" href="${payPath('/:token', pageToken)}">${no}</a>
<button class="button danger" type="submit">${yes}</button>
</form>
</main>`
  const ownStyles = brandStyles(view.brand.accent)
  return page({ title: head, lang: language, body, ownStyles, ...assets })
}

const testBanner = (words: Messages): Markup => html`<header class="test-mode">${words.testMode}</header>`

/** One page for every token that leads nowhere: unknown and malformed look alike. */
export const gonePage = (language: Language, assets: Assets) =>
  noticePage(messages[language].gone, null, language, assets)

/** What could not be done, in the customer's words, with the way back. */
export const failedPage = (
  reason: Exclude<keyof Messages['failed'], 'money' | 'back'>,
  token: string | null,
  language: Language,
  assets: Assets,
) => noticePage(messages[language].failed[reason], token, language, assets)

/** A page instead of a payment. Its merchant was not looked up, so our mark is shown in place of the shop. */
function noticePage(
  { head, text }: { head: string; text: string },
  token: string | null,
  language: Language,
  assets: Assets,
) {
  const words = messages[language]
  const address = token && payPath('/:token', token)
  const body = html`
<main class="short-page">
<div class="shop">${mark}<p><strong>${words.title}</strong></p></div>
<div class="status warn">${icons.warning}<div><h1>${head}</h1> <p>${text}</p></div></div>
<p>${words.failed.money}</p>
${address && html`<p><a class="button primary" href="${address}">${words.failed.back}</a></p>`}
</main>
<footer>
<p class="safety">${icons.shield}${words.safety.neverAsk}</p>
${languageLinks(address ?? '', language)}
</footer>`
  return page({ title: `${head} · ${words.title}`, lang: language, body, ...assets })
}

function heading(
  { deposit, merchantName, brand, screen }: PayView,
  words: Messages,
  language: Language,
): Markup {
  const { amountCents, receivedCents, currency, orderId } = deposit
  const asked = screen === 'short' ? amountCents - receivedCents : amountCents
  const amount = priceText(asked, currency, language)
  const lead = { pay: words.exactly, short: words.short.exactly }[screen as string]
  const copy = showsRequisites(deposit, screen) && copyButton(words.rows.amount, typedCents(asked), words)
  return html`
<header>
<div class="shop">${brand.logo ? logoImage(brand.logo) : html`<span class="mark" aria-hidden="true">${firstLetter(merchantName)}</span>`}<p><strong><bdi>${foreignText(merchantName, 80)}</bdi></strong> <span class="quiet">${words.order} <bdi>${foreignText(orderId, 128)}</bdi></span></p></div>
<h1 class="amount ${amount.length > 13 && 'long'} ${amount.length > 20 && 'longest'}">${amount}</h1>${copy}
${lead && html`<p class="lead">${lead}</p>`}
</header>`
}

/** The shop's name is beside the logo, so its alternative text is empty. Its size is given so that nothing moves when it loads. */
function logoImage(logo: ShownLogo): Markup {
  const { width, height } = fitted(logo, logoBox)
  return html`<img class="logo ${logo.tone}" src="${logoPath('/:name', `${logo.digest}.png`)}" width="${width}" height="${height}" alt="">`
}

/** The mark of a shop without a logo: the first letter or digit of its name. */
const firstLetter = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? ''

type Part = (view: PayView, words: Messages, language: Language) => Markup | null

const screenParts: Record<Screen, Part> = {
  choose: chooseMethod,
  pay: requisites,
  checking: requisites,
  short: requisites,
  success: receiptAndBar,
  rejected: receiptAndBar,
  expired: receiptAndBar,
  closed: receiptAndBar,
  canceled: receiptAndBar,
  reversed: receiptAndBar,
}

function chooseMethod(view: PayView, words: Messages): Markup {
  const { offers, deposit, notice } = view
  const { choose } = words
  const free = offers.filter((offer) => offer.isFree)
  const preselected =
    free.find((offer) => offer.code === view.lastMethod) ?? (free.length === 1 ? free[0] : null)
  if (free.length === 0) return html`<p class="callout warn">${choose.none}</p>${bar(view, words)}`
  return html`
${notice && html`<p class="callout warn" role="alert">${notice === 'ran_out' ? choose.ranOut : choose.pickOne}</p>`}
<form method="post" action="${payPath('/:token/choose', deposit.pageToken)}" id="choose" novalidate>
<fieldset class="choices">
<legend>${offers.length === 1 ? choose.one : choose.head}</legend>
${offers.map(
  ({ code, name, group, isFree }) => html`
<label class="choice ${!isFree && 'off'}">
<input type="radio" name="method" value="${code}" required ${flag('checked', code === preselected?.code)} ${flag('disabled', !isFree)}>
${icons[group]}<span><strong>${methodName(code, name, words)}</strong>
<small>${isFree ? choose.needs[group] : choose.unavailable}</small></span>
</label>`,
)}
</fieldset>
</form>
${bar(view, words)}`
}

const methodName = (code: string, name: string, { methods }: Messages): string =>
  isDefaultName(code, name) ? methods[code as keyof typeof methods] : foreignText(name, 60)

function requisites(view: PayView, words: Messages, language: Language): Markup | null {
  const { deposit, screen } = view
  const { shown, pageToken } = deposit
  if (!shown) return null
  if (!showsRequisites(deposit, screen)) return receiptAndBar(view, words, language)
  const { steps } = words
  const isPaying = screen !== 'checking'
  const bankApp = isPaying && shown.link && readBankLink(shown.link)?.href
  const way =
    shown.kind === 'phone'
      ? steps.phone(foreignText(shown.bank_name, 100))
      : steps[shown.kind === 'card' ? 'card' : 'account']
  return html`
${bankApp && html`<p class="narrow"><a class="button primary" href="${bankApp}" rel="noreferrer">${icons.phone}${words.openBank}</a></p>`}
${billBlock(view, words)}
${bar(view, words)}
<p class="tools"><a class="button plain" href="${billPath('/:name', `${pageToken}.png`)}?lang=${language}" download="bill.png">${icons.download}${words.saveBill}</a></p>
${
  isPaying &&
  html`
<section>
<h2>${words.howTo}</h2>
<ol class="steps">
<li>${way}</li>
<li>${steps.check}</li>
<li>${withWholeNames(steps.claim)}</li>
</ol>
</section>`
}
<section>
<h2>${words.questions}</h2>
<details><summary>${words.closeAsk}</summary><p>${words.closeAnswer}</p></details>
<details><summary>${words.lateAsk}</summary><p>${words.lateAnswer(clockTime(deposit.lateUntil, deposit.currency, language))}</p></details>
<details><summary>${words.twiceAsk}</summary><p>${words.twiceAnswer}</p></details>
</section>`
}

/** A sentence that quotes a button: the button's name, with attached punctuation, stays on one line if it fits. */
const withWholeNames = (sentence: string): Markup =>
  html`${sentence.split(/(\S*[«“][^»”]+[»”]\S*)/).map((part, place) => (place % 2 ? html`<span class="button-name">${part}</span>` : part))}`

/** What a customer may still have to quote after the requisites are hidden, and the next step. */
function receiptAndBar(view: PayView, words: Messages, language: Language): Markup {
  return html`${view.deposit.shown && receipt(view, words, language)}${bar(view, words)}${view.screen === 'expired' && secondStep(view, words)}`
}

/** The summary says what we never ask for. The folded part says how to recognise our page. */
function safety({ host }: PayView, { safety: words }: Messages): Markup {
  return html`
<details class="safety">
<summary>${icons.shield}${words.neverAsk}</summary>
<p>${words.transferOnly} ${words.ourAddress} <bdi>${host}</bdi></p>
</details>`
}

type Weight = 'primary' | 'plain'

const claimForm = ({ deposit }: PayView, words: Messages, weight: Weight): Markup =>
  html`<form method="post" action="${payPath('/:token/claim', deposit.pageToken)}"><button class="button ${weight}" type="submit">${words.claim}</button></form>`

const refreshLink = ({ deposit }: PayView, words: Messages): Markup =>
  html`<a class="button primary" href="${payPath('/:token', deposit.pageToken)}">${words.refresh}</a>`

const shopLink = ({ returnTo }: PayView, words: Messages, weight: Weight): Markup | null =>
  returnTo === null
    ? null
    : html`<a class="button ${weight}" id="return" href="${returnTo}" rel="noreferrer">${words.toShop}</a>`

/** The next step, within reach of the thumb: under the requisites, or at the lower edge if they are longer than the screen. */
function bar(view: PayView, words: Messages): Markup | null {
  const { screen, deposit, offers, returnTo } = view
  const claim = claimForm(view, words, 'primary')
  const refresh = refreshLink(view, words)
  const toShop = shopLink(view, words, 'primary')
  const next: Record<Screen, Markup | null> = {
    choose: offers.some((offer) => offer.isFree)
      ? html`<button class="button primary" type="submit" form="choose">${words.choose.next}</button>`
      : refresh,
    pay: claim,
    checking: refresh,
    short: claim,
    success: toShop,
    rejected: toShop,
    expired: deposit.claimedAt ? refresh : (toShop ?? claim),
    closed: toShop,
    canceled: toShop,
    reversed: toShop,
  }
  const returns = (screen === 'success' || screen === 'rejected') && returnTo
  return (
    next[screen] &&
    html`
<div class="bar">
${returns && html`<p class="auto" id="auto" hidden><span>${words.returnsIn} <span id="auto-left">20</span>\u00a0${words.seconds}</span> <button class="button plain" type="button" id="stay">${words.stay}</button></p>`}
${next[screen]}
</div>`
  )
}

/** A customer who has not paid in time returns to the shop; one who has reports it. Both are buttons, one of them in the bar. */
function secondStep(view: PayView, words: Messages): Markup | null {
  const toShop = shopLink(view, words, 'plain')
  return (
    toShop &&
    html`<div class="tools">${view.deposit.claimedAt ? toShop : claimForm(view, words, 'plain')}</div>`
  )
}

function minorLinks({ screen, deposit }: PayView, words: Messages): Markup {
  const { pageToken, claimedAt } = deposit
  // If the bar has another next step, and the page may still change.
  const hasRefresh = ['choose', 'pay', 'short'].includes(screen) || (screen === 'expired' && !claimedAt)
  const mayGiveUp = (screen === 'choose' || screen === 'pay') && deposit.receivedCents === 0n
  return html`
<div class="minor">
${hasRefresh && html`<a href="${payPath('/:token', pageToken)}">${words.refresh}</a>`}
${mayGiveUp && html`<a href="${payPath('/:token/give-up', pageToken)}">${words.giveUp}</a>`}
${screen === 'success' && html`<button class="link" type="button" id="print" hidden>${words.print}</button>`}
<details class="help"><summary>${words.help}</summary><p>${words.helpText} <bdi class="whole">${quotedReference(deposit)}</bdi></p></details>
</div>`
}

/** Test mode only: buttons that simulate the bank. */
function panel({ deposit, screen }: PayView, { panel: words }: Messages): Markup | null {
  if (!['pay', 'checking', 'short', 'expired'].includes(screen)) return null
  return html`
<form class="panel" method="post" action="${payPath('/:token/play', deposit.pageToken)}">
<h2>${words.head}</h2>
<p>${words.text}</p>
<p class="plays">${plays.map((play) => html`<button class="button plain" type="submit" name="play" value="${play}">${words[play]}</button>`)}</p>
</form>`
}

/** Without an address, the links lead to the current page. */
const languageLinks = (address: string, current: Language): Markup => html`
<nav class="languages" aria-label="${messages[current].languages}">
${languages.map((language) =>
  language === current
    ? html`<span lang="${language}" aria-current="true">${messages[language].ownName}</span>`
    : html`<a lang="${language}" hreflang="${language}" href="${`${address}?lang=${language}`}">${messages[language].ownName}</a>`,
)}
</nav>`
