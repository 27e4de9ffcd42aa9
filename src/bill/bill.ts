/**
 * The bill as a picture: what to transfer, to whom, until when, and how it ended. Plain SVG with the fonts of the
 * reader's system; every text is a text, so it can be searched and read aloud. Names and order ids come from other
 * people: they pass through the `html` tag, which escapes for XML as well, and never become markup.
 */
import type { Deposit } from '../deposits/deposit.ts'
import { readable } from '../money.ts'
import { maskedNumber, type RequisiteKind } from '../requisites/requisite.ts'
import { clockTime, foreignText, type Language, numberGroups } from '../web/format.ts'
import { html, type Markup } from '../web/html.ts'

export type Situation =
  | 'choose'
  | 'pay'
  | 'late'
  | 'closed'
  | 'confirmed'
  | 'rejected'
  | 'canceled'
  | 'reversed'

/** What is true for the customer at this moment. The deadline counts, not when the sweep notices it. */
export function situationOf(
  { state, expiresAt, lateUntil }: Pick<Deposit, 'state' | 'expiresAt' | 'lateUntil'>,
  now: Date,
): Situation {
  if (state !== 'builded' && state !== 'created' && state !== 'expired') return state
  if (state === 'expired' || now >= expiresAt) return now < lateUntil ? 'late' : 'closed'
  return state === 'builded' ? 'choose' : 'pay'
}

export type BillView = { deposit: Deposit; now: Date; merchantName: string; testMode: boolean }

export function bill({ deposit, now, merchantName, testMode }: BillView, language: Language): Markup {
  const words = messages[language]
  const situation = situationOf(deposit, now)
  const rows = rowsOf(deposit, situation, language)
  let y = 216
  const drawn = rows.map(({ label, value, note }) => {
    const lines = wrapped(value)
    const top = y
    y += 28 + lines.length * 24 + (note ? 20 : 0)
    return html`
<text x="32" y="${top}" font-size="13" fill="#4E5A55">${label}</text>
${lines.map(
  (line, place) =>
    html`<text x="32" y="${top + 22 + place * 24}" font-size="17" font-weight="600" fill="#1B2421">${line}</text>
`,
)}${note && html`<text x="32" y="${top + 20 + lines.length * 24}" font-size="13" fill="#8A5300">${note}</text>`}`
  })
  const height = y + 24
  const stamp = words.stamps[situation]
  const shop = foreignText(merchantName, testMode ? 30 : 44)
  const amount = readable(deposit.amountCents, deposit.currency)
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 ${height}" width="480" height="${height}" role="img" aria-labelledby="bill-title" font-family="${fonts}" xml:lang="${language}">
<title id="bill-title">${words.title(amount, shop)}</title>
<rect width="480" height="${height}" fill="#F6F4EF"/>
<rect x="8.5" y="8.5" width="463" height="${height - 17}" rx="16" fill="#FFFFFF" stroke="#85867D"/>
<text x="32" y="52" font-size="15" fill="#4E5A55">${shop}</text>
<text x="32" y="104" font-size="${amount.length > 19 ? 26 : 38}" font-weight="650" fill="#1B2421">${amount}</text>
<text x="32" y="138" font-size="14" fill="#4E5A55">${words.leads[situation]}</text>
${(situation === 'pay' || situation === 'choose') && html`<text x="32" y="160" font-size="14" font-weight="600" fill="#0A5C55">${words.until(clockTime(deposit.expiresAt, deposit.currency, language))}</text>`}
<path d="M32 182h416" stroke="#85867D" stroke-dasharray="5 5" fill="none"/>
${drawn}
${stamp && stampOf(stamp, situation === 'confirmed' ? '#1A6B3C' : '#A8281E')}
${testMode && html`<g><rect x="344" y="32" width="104" height="28" rx="6" fill="#FBF0DC" stroke="#8A5300"/><text x="396" y="51" font-size="13" font-weight="650" fill="#8A5300" text-anchor="middle">${words.test}</text></g>`}
</svg>
`
}

const fonts = 'system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif'

const stampOf = (text: string, colour: string): Markup => {
  const width = 36 + text.length * 17
  return html`<g transform="translate(${446 - width / 2} 226) rotate(-8)" fill="none" stroke="${colour}">
<rect x="${-width / 2}" y="-24" width="${width}" height="48" rx="6" stroke-width="3" fill="#FFFFFF" fill-opacity="0.85"/>
<text y="8" font-size="22" font-weight="650" letter-spacing="1" text-anchor="middle" fill="${colour}" stroke="none">${text}</text>
</g>`
}

type Row = { label: string; value: string; note?: string }

/** Whole numbers only while somebody may still pay by them. */
function rowsOf(deposit: Deposit, situation: Situation, language: Language): Row[] {
  const words = messages[language]
  const { shown, orderId, reference } = deposit
  const rows: Row[] = []
  if (shown && situation === 'pay') {
    rows.push(
      { label: numberLabels[language][shown.kind], value: spaced(shown.number, shown.kind) },
      { label: words.name, value: foreignText(shown.name, 160) },
      { label: words.bank, value: foreignText(shown.bank_name, 100) },
    )
    if (shown.bic) rows.push({ label: bicLabel(shown.kind, language), value: shown.bic })
    if (shown.payment_reason) {
      rows.push({ label: words.reason, value: foreignText(shown.payment_reason, 210), note: words.keep })
    }
  } else if (shown) {
    rows.push(
      { label: numberLabels[language][shown.kind], value: maskedNumber(shown.number) },
      { label: words.name, value: foreignText(shown.name, 160) },
    )
    if (reference && shown.payment_reason) rows.push({ label: words.reference, value: reference })
  }
  rows.push({ label: words.order, value: foreignText(orderId, 128) })
  return rows
}

/** A picture is not copied from: here the groups may be parted by spaces. */
const spaced = (number: string, kind: RequisiteKind) => numberGroups(number, kind).join(' ')

/** SVG does not break lines and we have no font to measure with: a word too long for a line is cut. */
function wrapped(text: string): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  const breakLine = () => {
    lines.push(line.trimEnd())
    line = ''
    used = 0
  }
  for (const word of text.split(/(?<= )/)) {
    const letters = [...graphemes.segment(word)].map(({ segment }) => segment)
    const width = letters.reduce((sum, letter) => sum + widthOf(letter), 0)
    if (used > 0 && used + width > lineWidth) breakLine()
    for (const letter of letters) {
      if (used + widthOf(letter) > lineWidth) breakLine()
      line += letter
      used += widthOf(letter)
    }
  }
  return [...lines, line.trimEnd()].slice(0, 8)
}

const lineWidth = 416

/** In the units of the picture, at 17 bold; rather too wide than over the edge. */
function widthOf(letter: string): number {
  if (letter.codePointAt(0)! >= 0x1100) return 19
  if (/[il.,:;'|! ]/.test(letter)) return 7
  if (/[mwMW@%шщжюфыШЩЖЮФЫ]/.test(letter)) return 17
  return /\p{Lu}/u.test(letter) ? 13.5 : 11
}

const graphemes = new Intl.Segmenter('ru', { granularity: 'grapheme' })

export const bicLabel = (kind: RequisiteKind, language: Language): string =>
  kind === 'account_uz' ? (language === 'ru' ? 'МФО' : 'MFO') : language === 'ru' ? 'БИК' : 'BIC'

export const numberLabels: Record<Language, Record<RequisiteKind, string>> = {
  ru: {
    card: 'Номер карты',
    phone: 'Номер телефона',
    account_ru: 'Номер счёта',
    account_kz: 'Номер счёта (IBAN)',
    account_uz: 'Номер счёта',
    account_tj: 'Номер счёта',
  },
  en: {
    card: 'Card number',
    phone: 'Phone number',
    account_ru: 'Account number',
    account_kz: 'Account number (IBAN)',
    account_uz: 'Account number',
    account_tj: 'Account number',
  },
}

const ru = {
  title: (amount: string, shop: string) => `Счёт: ${amount}, ${shop}`,
  until: (time: string) => `до ${time}`,
  name: 'Получатель',
  bank: 'Банк',
  reason: 'Назначение платежа',
  keep: 'Сохраните этот текст: по нему узнают ваш платёж.',
  reference: 'Номер для обращения',
  order: 'Заказ',
  test: 'ТЕСТ',
  leads: {
    choose: 'Способ оплаты ещё не выбран.',
    pay: 'Переведите ровно эту сумму, одним платежом,',
    late: 'Время оплаты вышло. Не переводите.',
    closed: 'Время оплаты вышло. Не переводите.',
    confirmed: 'Платёж получен.',
    rejected: 'Заявка отклонена. Не переводите.',
    canceled: 'Магазин отменил заявку. Не переводите.',
    reversed: 'Банк отозвал платёж.',
  } satisfies Record<Situation, string>,
  stamps: {
    choose: null,
    pay: null,
    late: 'ВРЕМЯ ВЫШЛО',
    closed: 'ВРЕМЯ ВЫШЛО',
    confirmed: 'ОПЛАЧЕНО',
    rejected: 'ОТКЛОНЕНО',
    canceled: 'ОТМЕНЕНО',
    reversed: 'ОТОЗВАНО',
  } as Record<Situation, string | null>,
}

const en: typeof ru = {
  title: (amount, shop) => `Bill: ${amount}, ${shop}`,
  until: (time) => `until ${time}`,
  name: 'Recipient',
  bank: 'Bank',
  reason: 'Payment purpose',
  keep: 'Keep this text: your payment is recognised by it.',
  reference: 'Reference to quote',
  order: 'Order',
  test: 'TEST',
  leads: {
    choose: 'No payment method has been chosen yet.',
    pay: 'Transfer exactly this amount, in one payment,',
    late: 'The time to pay is over. Do not transfer.',
    closed: 'The time to pay is over. Do not transfer.',
    confirmed: 'The payment has arrived.',
    rejected: 'The request was rejected. Do not transfer.',
    canceled: 'The shop withdrew the request. Do not transfer.',
    reversed: 'The bank took the payment back.',
  },
  stamps: {
    choose: null,
    pay: null,
    late: 'EXPIRED',
    closed: 'EXPIRED',
    confirmed: 'PAID',
    rejected: 'REJECTED',
    canceled: 'CANCELED',
    reversed: 'REVERSED',
  },
}

const messages: Record<Language, typeof ru> = { ru, en }
