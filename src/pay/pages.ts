/**
 * The payment page, plain: what to transfer, to whom, until when, and where the deposit stands. It must never show
 * whole requisites when nobody should pay by them, nor ask for anything but a transfer. Shop text is text.
 */
import { bicLabel, numberLabels, type Situation, situationOf } from '../bill/bill.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { decimal, readable } from '../money.ts'
import { maskedNumber } from '../requisites/requisite.ts'
import { amountGroups, clockTime, foreignText, type Language, numberGroups } from '../web/format.ts'
import { html, type Markup } from '../web/html.ts'
import { page, type Stylesheet } from '../web/page.ts'

export type PayView = {
  deposit: Deposit
  now: Date
  merchantName: string
  testMode: boolean
  /** Where this page lives, printed so that the customer can compare it with the address bar. */
  host: string
}

export function payPage(view: PayView, language: Language, styles: Stylesheet) {
  const { deposit, now, testMode, host } = view
  const words = messages[language]
  const situation = situationOf(deposit, now)
  const shop = foreignText(view.merchantName, 80)
  // It never wraps, so a very long one is set smaller to fit 320 px.
  const amount = readable(deposit.amountCents, deposit.currency)
  const body = html`
${testMode && html`<p class="test-mode">${words.testMode}</p>`}
<main class="pay">
<h1>${words.payTo} <bdi>${shop}</bdi></h1>
<p class="amount ${amount.length > 16 && 'long'}">${amount}</p>
<p class="order-id">${words.order} <bdi>${foreignText(deposit.orderId, 128)}</bdi></p>
${statusOf(deposit, situation, language)}
${situation === 'pay' ? requisites(deposit, language) : leftOver(deposit, situation, language)}
<p class="links">${situation === 'pay' && html`<a href="/bill/${deposit.pageToken}.svg">${words.bill}</a> · `}<a href="/pay/${deposit.pageToken}">${words.refresh}</a></p>
<ul class="safety">
${situation === 'pay' && [html`<li>${words.bankShows} <bdi>${foreignText(deposit.shown?.name ?? '', 160)}</bdi>. ${words.otherwiseStop}</li>`, html`<li>${words.transferOnly}</li>`, html`<li>${words.mayClose}</li>`]}
<li>${words.neverAsk}</li>
<li>${words.ourAddress} <bdi>${host}</bdi>.</li>
</ul>
</main>`
  return page({ title: words.title, lang: language, body, styles })
}

/** One page for every token that leads nowhere: unknown and malformed look alike. */
export function gonePage(language: Language, styles: Stylesheet) {
  const words = messages[language]
  const body = html`
<main class="pay">
<h1>${words.goneTitle}</h1>
<p>${words.gone}</p>
<ul class="safety"><li>${words.neverAsk}</li></ul>
</main>`
  return page({ title: words.goneTitle, lang: language, body, styles })
}

function statusOf(deposit: Deposit, situation: Situation, language: Language): Markup {
  const words = messages[language]
  const { tone, head, text } = words.status[situation]
  const { currency, expiresAt, lateUntil, receivedCents } = deposit
  const isPart = situation === 'pay' && receivedCents > 0n
  return html`<p class="status ${tone}" role="status"><strong>${head}</strong> ${text}
${situation === 'pay' && html`<br>${words.until} <time datetime="${expiresAt.toISOString()}">${clockTime(expiresAt, currency, language)}</time>.`}
${situation === 'late' && html`<br>${words.lateUntil} <time datetime="${lateUntil.toISOString()}">${clockTime(lateUntil, currency, language)}</time>.`}
${isPart && html`<br>${words.received} ${readable(receivedCents, currency)}. ${words.askFirst}`}
${situation === 'confirmed' && deposit.labels.includes('overpaid') && html`<br>${words.overpaid}`}</p>`
}

function requisites(deposit: Deposit, language: Language): Markup | null {
  const words = messages[language]
  const { shown } = deposit
  if (!shown) return null
  return html`
<dl class="bill">
<div class="sum"><dt>${words.amount}, ${deposit.currency}</dt><dd>${grouped(amountGroups(decimal(deposit.amountCents)))}</dd></div>
<div><dt>${numberLabels[language][shown.kind]}</dt><dd>${grouped(numberGroups(shown.number, shown.kind))}</dd></div>
<div><dt>${words.name}</dt><dd><bdi>${foreignText(shown.name, 160)}</bdi></dd></div>
<div><dt>${words.bank}</dt><dd><bdi>${foreignText(shown.bank_name, 100)}</bdi></dd></div>
${shown.bic && html`<div><dt>${bicLabel(shown.kind, language)}</dt><dd>${shown.bic}</dd></div>`}
${shown.payment_reason && html`<div><dt>${words.reason}</dt><dd><bdi>${foreignText(shown.payment_reason, 210)}</bdi><small>${words.keep}</small></dd></div>`}
</dl>`
}

/** What a customer may still have to quote once nobody should pay by the requisites. */
function leftOver({ shown, reference }: Deposit, situation: Situation, language: Language): Markup | null {
  const words = messages[language]
  if (!shown || situation === 'choose') return null
  return html`
<dl class="bill">
<div><dt>${numberLabels[language][shown.kind]}</dt><dd>${maskedNumber(shown.number)}</dd></div>
<div><dt>${words.name}</dt><dd><bdi>${foreignText(shown.name, 160)}</bdi></dd></div>
${shown.payment_reason && reference && html`<div><dt>${words.reference}</dt><dd>${reference}</dd></div>`}
</dl>`
}

/** Parted by margins: what a customer copies holds no space. */
const grouped = (groups: readonly string[]): Markup =>
  html`<span class="number">${groups.map((group) => html`<span>${group}</span>`)}</span>`

type Tone = '' | 'ok' | 'warn' | 'bad'
type Status = { tone: Tone; head: string; text: string }

const ru = {
  title: 'Оплата переводом',
  testMode: 'Тестовый режим: настоящие деньги не переводите',
  payTo: 'Оплата:',
  until: 'Оплатите до',
  lateUntil: 'Мы ждём уже отправленный перевод до',
  received: 'Уже получено:',
  askFirst: 'Прежде чем отправлять ещё, спросите магазин.',
  overpaid: 'Пришло больше, чем нужно: о возврате разницы спросите магазин.',
  amount: 'Сумма',
  name: 'Получатель',
  bank: 'Банк',
  reason: 'Назначение платежа',
  keep: 'Сохраните этот текст: по нему узнают ваш платёж.',
  reference: 'Номер для обращения',
  bill: 'Счёт картинкой',
  refresh: 'Обновить статус',
  bankShows: 'Банк покажет имя получателя:',
  otherwiseStop: 'Если имя другое, остановитесь.',
  transferOnly:
    'Это перевод по реквизитам в вашем банке, не оплата картой. Отправьте один перевод ровно на эту сумму.',
  mayClose: 'Страницу можно закрыть: ссылка останется рабочей.',
  neverAsk: 'Мы никогда не спрашиваем CVV, PIN и коды из SMS.',
  ourAddress: 'Адрес этой страницы:',
  order: 'Заказ:',
  goneTitle: 'Такой страницы нет',
  gone: 'Ссылка неполная или неверная. Откройте её ещё раз из магазина.',
  status: {
    choose: { tone: '', head: 'Способ оплаты не выбран.', text: 'Вернитесь в магазин и выберите его.' },
    pay: { tone: '', head: 'Ждём ваш перевод.', text: 'Переведите ровно эту сумму, одним платежом.' },
    late: {
      tone: 'warn',
      head: 'Время оплаты вышло.',
      text: 'Уже отправили? Не отправляйте второй раз. Ещё нет? Не отправляйте, создайте новый заказ в магазине.',
    },
    closed: {
      tone: 'warn',
      head: 'Время оплаты вышло.',
      text: 'Не переводите. Если деньги уже отправлены, обратитесь в магазин.',
    },
    confirmed: { tone: 'ok', head: 'Платёж получен.', text: 'Больше ничего делать не нужно.' },
    rejected: {
      tone: 'bad',
      head: 'Заявка отклонена.',
      text: 'Не переводите. Если деньги уже отправлены, обратитесь в магазин.',
    },
    canceled: {
      tone: 'bad',
      head: 'Магазин отменил заявку.',
      text: 'Не переводите. Если деньги уже отправлены, обратитесь в магазин.',
    },
    reversed: { tone: 'bad', head: 'Банк отозвал платёж.', text: 'Обратитесь в свой банк и в магазин.' },
  } as Record<Situation, Status>,
}

const en: typeof ru = {
  title: 'Payment by transfer',
  testMode: 'Test mode: do not transfer real money',
  payTo: 'Payment to',
  until: 'Pay until',
  lateUntil: 'A transfer that you already sent still counts until',
  received: 'Received so far:',
  askFirst: 'Ask the shop before you send more.',
  overpaid: 'More arrived than was needed: ask the shop about the difference.',
  amount: 'Amount',
  name: 'Recipient',
  bank: 'Bank',
  reason: 'Payment purpose',
  keep: 'Keep this text: your payment is recognised by it.',
  reference: 'Reference to quote',
  bill: 'Bill as a picture',
  refresh: 'Refresh status',
  bankShows: 'Your bank will show this name:',
  otherwiseStop: 'If it does not, stop.',
  transferOnly:
    'This is a transfer in your own bank, not a card payment. Send one transfer of exactly this amount.',
  mayClose: 'You may close this page: the link keeps working.',
  neverAsk: 'We never ask for CVV, PIN or codes from SMS.',
  ourAddress: 'The address of this page:',
  order: 'Order:',
  goneTitle: 'There is no such page',
  gone: 'The link is incomplete or wrong. Open it again from the shop.',
  status: {
    choose: { tone: '', head: 'No payment method is chosen.', text: 'Go back to the shop and choose one.' },
    pay: {
      tone: '',
      head: 'Waiting for your transfer.',
      text: 'Transfer exactly this amount, in one payment.',
    },
    late: {
      tone: 'warn',
      head: 'The time to pay is over.',
      text: 'Already sent? Do not send again. Not yet? Do not send; start a new order in the shop.',
    },
    closed: {
      tone: 'warn',
      head: 'The time to pay is over.',
      text: 'Do not transfer. If money is already on its way, ask the shop.',
    },
    confirmed: { tone: 'ok', head: 'The payment has arrived.', text: 'There is nothing more to do.' },
    rejected: {
      tone: 'bad',
      head: 'The request was rejected.',
      text: 'Do not transfer. If money is already on its way, ask the shop.',
    },
    canceled: {
      tone: 'bad',
      head: 'The shop withdrew the request.',
      text: 'Do not transfer. If money is already on its way, ask the shop.',
    },
    reversed: { tone: 'bad', head: 'The bank took the payment back.', text: 'Ask your bank and the shop.' },
  },
}

const messages: Record<Language, typeof ru> = { ru, en }
