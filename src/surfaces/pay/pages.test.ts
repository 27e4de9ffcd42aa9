/** Every screen of the payment page in every language, as text: what it shows, what it never shows, and how large it is. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { at, depositWith } from '../../../test/support/deposit.ts'
import { payViewOf } from '../../../test/support/pay-view.ts'
import { faultsOfHtml } from '../../../test/support/valid-html.ts'
import type { Offer } from '../../domain/catalogue/offer.ts'
import type { Deposit, Shown } from '../../domain/deposits/deposit.ts'
import { acceptedAddress, render } from '../web/html.ts'
import { languages, messages } from '../web/messages/languages.ts'
import type { FinishedPage } from '../web/page.ts'
import { packPage } from '../web/send-page.ts'
import { payScript, payStyles } from './assets.ts'
import { failedPage, giveUpPage, gonePage, payPage } from './pages.ts'
import { screens, showsRequisites } from './screen.ts'
import type { PayView } from './view.ts'

const assets = { styles: payStyles, scripts: [payScript.name] }

const card: Shown = {
  kind: 'card',
  number: '8600990000000004',
  name: 'PETROV IVAN',
  bank_name: 'Test Bank',
  seller: 'Petrov',
}
const phone: Shown = { ...card, kind: 'phone', number: '+79001234567', link: 'https://bank.example/pay?id=1' }
const account: Shown = {
  ...card,
  kind: 'account_ru',
  number: '40702810900000000001',
  bic: '044525225',
  corr_account: '30101810400000000225',
  tax_id: '7700000009',
  kpp: '770001001',
  payment_reason: 'Пополнение KT48219034',
}

const deposit = depositWith({
  amountCents: 4_500_000n,
  currency: 'UZS',
  paymentType: 'any_bank',
  successUrl: 'https://shop.example/paid',
  rejectUrl: 'https://shop.example/basket',
  shown: card,
})

const offers: Offer[] = [
  { code: 'any_bank', name: 'Card of any bank', group: 'card', isFree: true },
  { code: 'bankx', name: 'Card of Bank X', group: 'card', isFree: false },
  { code: 'account_number', name: 'Transfer to a bank account', group: 'account', isFree: true },
]

const accepted = (address: string) => acceptedAddress(address, { mode: 'live', isTrustedHost: () => false })

const viewOf = (changes: Partial<Deposit> = {}, more: Partial<PayView> = {}): PayView =>
  payViewOf(
    { ...deposit, ...changes },
    { returnTo: accepted('https://shop.example/paid?a=1&signature=ab'), offers, ...more },
  )

const unchosen = { state: 'builded', shown: null, reference: null, issuedAt: null } as const
const half = { receivedCents: 2_250_000n, labels: ['underpaid'] } satisfies Partial<Deposit>
const paid = {
  state: 'confirmed',
  receivedCents: 4_500_000n,
  finalAt: at('09:12'),
} satisfies Partial<Deposit>

/** Every screen with what can differ on it. */
const views: Record<string, PayView> = {
  choose: viewOf(unchosen),
  'choose with a notice': viewOf(unchosen, { notice: 'ran_out', lastMethod: 'account_number' }),
  'choose without a choice': viewOf(unchosen, { notice: 'pick_one', offers: offers.slice(0, 1) }),
  'choose from nothing': viewOf(unchosen, { offers: offers.slice(1, 2) }),
  'pay by card': viewOf(),
  'pay by phone': viewOf({ shown: phone, currency: 'RUB', paymentType: 'sbp' }),
  'pay to an account': viewOf({ shown: account, currency: 'RUB', paymentType: 'account_number' }),
  'pay to an account in Kazakhstan': viewOf({
    shown: {
      ...account,
      kind: 'account_kz',
      number: 'KZ86125KZT5004100100',
      bic: 'KCJBKZKX',
      kbe: '17',
      knp: '710',
    },
    currency: 'KZT',
  }),
  'pay to an account in Uzbekistan': viewOf({ shown: { ...account, kind: 'account_uz', bic: '00999' } }),
  'pay in test mode': viewOf({}, { testMode: true }),
  checking: viewOf({ claimedAt: at('09:05') }),
  'checking a part': viewOf({ ...half, labels: ['underpaid', 'review'] }),
  'short on a card': viewOf(half),
  'checking by a person': viewOf({ ...half, receivedCents: 4_500_000n, labels: ['review'] }),
  short: viewOf({ ...half, shown: account, currency: 'RUB' }),
  success: viewOf(paid),
  'success with too much': viewOf({ ...paid, receivedCents: 5_000_000n, labels: ['overpaid'] }),
  'success late, by hand': viewOf({ ...paid, labels: ['late', 'manual'] }),
  'success without a way back': viewOf(paid, { returnTo: null }),
  rejected: viewOf({ state: 'rejected', finalAt: at('09:12') }),
  'rejected by the customer': viewOf({ state: 'rejected', finalAt: at('09:12') }, { gaveUp: true }),
  'rejected before a choice': viewOf({ ...unchosen, state: 'rejected' }),
  expired: viewOf({ state: 'expired' }, { now: at('09:40'), testMode: true }),
  'expired, claimed': viewOf({ state: 'expired', claimedAt: at('09:20') }, { now: at('09:40') }),
  closed: viewOf({ state: 'expired', shown: account }, { now: at('20:00') }),
  'closed before a choice': viewOf({ ...unchosen, state: 'expired' }, { now: at('20:00'), returnTo: null }),
  canceled: viewOf({ state: 'canceled', finalAt: at('09:12') }),
  reversed: viewOf({ ...paid, state: 'reversed' }),
  'reversed without a way back': viewOf({ ...paid, state: 'reversed' }, { returnTo: null }),
}

const show = (view: PayView, language: (typeof languages)[number] = 'en') =>
  render(payPage(view, language, assets).markup)
/** What a reader sees, without markup. */
const seen = (text: string) =>
  text
    .replace(/^[\s\S]*<body>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

const failures = ['crossSite', 'tooMany', 'other', 'fault'] as const

const everyFinishedPage = (): [name: string, page: FinishedPage][] =>
  languages.flatMap((language) => [
    ...Object.entries(views).map(([name, view]): [string, FinishedPage] => [
      `${name}, ${language}`,
      payPage(view, language, assets),
    ]),
    [`give up, ${language}`, giveUpPage(viewOf(), language, assets)],
    [`gone, ${language}`, gonePage(language, assets)],
    ...failures.map((reason): [string, FinishedPage] => [
      `${reason}, ${language}`,
      failedPage(reason, reason === 'fault' ? null : deposit.pageToken, language, assets),
    ]),
  ])

const everyPage = () => everyFinishedPage().map(([name, { markup }]) => [name, render(markup)] as const)

test('every screen is among the views of this file', () => {
  assert.deepEqual(new Set(Object.values(views).map((view) => view.screen)), new Set(screens))
})

test('every page is valid HTML, languages in rotation', async () => {
  const wrong: string[] = []
  for (const [place, [name, text]] of [...everyPage()].entries()) {
    // The tags are nearly the same in five languages: each page is read in one or two of them.
    if (place % 3 > 0) continue
    for (const fault of await faultsOfHtml(text)) wrong.push(name + fault)
  }
  assert.deepEqual(wrong, [])
})

test('no page is empty, and status and title are in the page’s language', () => {
  for (const language of languages) {
    for (const [name, view] of Object.entries(views)) {
      const text = show(view, language)
      const words = messages[language]
      assert.ok(text.startsWith(`<!doctype html>\n<html lang="${language}">`), name)
      assert.doesNotMatch(text, /undefined|NaN|\[object|Invalid Date/, name)
      // A customer who gave up reads that, and not that somebody rejected the payment.
      const head = view.gaveUp ? words.rejected.byCustomer : words.status[view.screen]
      assert.ok(text.includes(`<title>${head} · ${words.title}</title>`), name)
      assert.ok(text.includes(`<strong>${head}</strong>`), name)
      assert.equal(text.match(/<h1/g)?.length, 1, name)
    }
  }
})

test('whole requisites stand on pay, checking and short, and nowhere else, not even in an attribute', () => {
  const whole = [account.number, account.bic!, account.corr_account!, account.tax_id!, account.kpp!]
  const states: [Partial<Deposit>, Date][] = [
    [{}, at('09:29')],
    [{ claimedAt: at('09:05') }, at('09:29')],
    [half, at('09:29')],
    [{}, at('09:30')],
    [{ claimedAt: at('09:05') }, at('09:30')],
    [half, at('09:30')],
    [{ state: 'expired' }, at('09:10')],
    [{ state: 'expired' }, at('19:30')],
    [paid, at('09:29')],
    [{ state: 'rejected' }, at('09:29')],
    [{ state: 'canceled' }, at('09:29')],
    [{ ...paid, state: 'reversed' }, at('09:29')],
  ]
  const met = new Set<string>()
  for (const [changes, now] of states) {
    const view = viewOf({ ...changes, shown: account, currency: 'RUB' }, { now })
    met.add(view.screen)
    const text = show(view)
    for (const secret of whole) {
      assert.equal(
        text.includes(secret),
        showsRequisites(view.deposit, view.screen),
        `${view.screen} ${secret}`,
      )
    }
    assert.equal(/\/bill\//.test(text), showsRequisites(view.deposit, view.screen), view.screen)
  }
  assert.equal(met.size, screens.length - 1) // All but the choice, which has no requisites.
})

test('digits are grouped by elements and copied whole: a copy holds no space, no currency, no letter', () => {
  const cases: [view: PayView, copies: string[]][] = [
    [views['pay by card']!, ['45000', '8600990000000004', 'PETROV IVAN']],
    [views['pay by phone']!, ['45000', '+79001234567', 'PETROV IVAN']],
    [
      views['pay to an account']!,
      [
        '45000',
        '40702810900000000001',
        'PETROV IVAN',
        'Test Bank',
        '044525225',
        '30101810400000000225',
        '7700000009',
        '770001001',
        'Пополнение KT48219034',
      ],
    ],
  ]
  for (const [view, copies] of cases) {
    const found = [...show(view).matchAll(/data-copy="([^"]*)"/g)].map(([, copy]) => copy)
    assert.deepEqual(found, copies)
  }
  assert.ok(show(views.short!).includes('data-copy="22500"'))
  const text = show(views['pay by card']!)
  assert.ok(text.includes('<span>8600</span><span>9900</span><span>0000</span><span>0004</span>'))
  assert.ok(text.includes('14:30 (Tashkent,\u00a0GMT+5)'))
})

test('every copy button is hidden until a script runs, and its name holds its field', () => {
  for (const view of Object.values(views)) {
    const buttons = show(view).match(/<button class="copy"[^>]*>/g) ?? []
    assert.equal(buttons.length > 0, showsRequisites(view.deposit, view.screen))
    for (const button of buttons)
      assert.match(button, / hidden .*data-done="Copied" .*aria-label="Copy: [^"]+"/)
  }
})

test('a partly paid deposit asks for the rest: by the same reference, or from the same payer', () => {
  for (const view of [views.short!, views['short on a card']!]) {
    assert.ok(seen(show(view)).includes('22,500'))
    assert.ok(seen(show(view)).includes(messages.en.short.exactly))
  }
  assert.ok(seen(show(views.short!)).includes(messages.en.short.same))
  assert.ok(seen(show(views['short on a card']!)).includes(messages.en.short.samePayer))
  const part = seen(show(views['checking a part']!))
  assert.ok(part.includes('22,500') && part.includes('45,000') && part.includes('Do not send more yet'))
})

test('final screens link back to the shop, and redirect automatically only on success and rejection', () => {
  const address = 'href="https://shop.example/paid?a=1&amp;signature=ab"'
  const withLink = new Set<string>()
  const byItself = new Set<string>()
  for (const [name, view] of Object.entries(views)) {
    const text = show(view)
    if (text.includes(address)) withLink.add(view.screen)
    if (text.includes('id="auto"')) byItself.add(view.screen)
    assert.equal(text.includes('id="auto"') && !text.includes('id="return"'), false, name)
    assert.doesNotMatch(text, /http-equiv/, name)
  }
  assert.deepEqual(withLink, new Set(['success', 'rejected', 'expired', 'closed', 'canceled', 'reversed']))
  assert.deepEqual(byItself, new Set(['success', 'rejected']))
  for (const screen of ['success', 'reversed'])
    assert.ok(!show(views[`${screen} without a way back`]!).includes('id="return"'), screen)
})

test('an expired payment has a button for customers who have paid and one for those who have not', () => {
  const buttons = (view: PayView) =>
    [...show(view).matchAll(/class="button (primary|plain)"[^>]*>([^<]+)</g)]
      .map(([, weight, name]) => `${weight}: ${name}`)
      .filter((button) => /paid|status|shop/.test(button))
  const { claim, refresh, toShop, expired } = messages.en
  assert.deepEqual(buttons(views.expired!), [`primary: ${toShop}`, `plain: ${claim}`])
  assert.deepEqual(buttons({ ...views.expired!, returnTo: null }), [`primary: ${claim}`])
  assert.deepEqual(buttons(views['expired, claimed']!), [`primary: ${refresh}`, `plain: ${toShop}`])
  const [sent, notSent] = /id="status-text">([^<]*)</.exec(show(views.expired!))![1]!.split('\n\n')
  assert.match(sent!, /^Already sent\? /)
  assert.equal(notSent, expired.notSent)
})

test('a person’s decision is never named, and an overpaid or late payment has its sentence', () => {
  const byHand = seen(show(views['success late, by hand']!))
  assert.doesNotMatch(byHand, /manual|by hand/i)
  assert.ok(byHand.includes(messages.en.success.late))
  assert.ok(seen(show(views['success with too much']!)).includes(messages.en.success.overpaid))
  assert.ok(!seen(show(views.success!)).includes(messages.en.success.late))
})

test('every deposit has a short reference to quote, and one without requisites the number of its order', () => {
  for (const [name, view] of Object.entries(views)) {
    const text = seen(show(view))
    assert.ok(!text.includes(deposit.id), name)
    assert.match(
      text,
      view.deposit.shown ? /quote this reference: KT48219034/ : /quote this reference: A-1001/,
      name,
    )
  }
  const open = show(views['pay to an account in Uzbekistan']!)
  assert.ok(
    open.includes(
      `<bdi>Пополнение KT48219034</bdi><small class="important">${messages.en.keepPurpose}</small>`,
    ),
  )
  assert.ok(open.includes('<dt>MFO</dt>'))
})

test('unavailable methods cannot be chosen; the last choice or a single method is preselected', () => {
  const checked = (more: Partial<PayView>) =>
    [...show(viewOf(unchosen, more)).matchAll(/<input [^>]*>/g)].map(([input]) => [
      /value="(\w+)"/.exec(input)![1],
      / checked/.test(input),
      / disabled/.test(input),
    ])
  const free = (chosen: string | null) => [
    ['any_bank', chosen === 'any_bank', false],
    ['bankx', false, true],
    ['account_number', chosen === 'account_number', false],
  ]
  assert.deepEqual(checked({}), free(null))
  assert.deepEqual(checked({ lastMethod: 'account_number' }), free('account_number'))
  assert.deepEqual(checked({ lastMethod: 'bankx' }), free(null))
  assert.deepEqual(checked({ lastMethod: '"><script>' }), free(null))
  assert.deepEqual(checked({ offers: offers.slice(0, 1) }), [['any_bank', true, false]])
  assert.ok(seen(show(views['choose from nothing']!)).includes(messages.en.choose.none))
  assert.doesNotMatch(show(views['choose from nothing']!), /<form/)
  assert.ok(seen(show(views['choose with a notice']!)).includes(messages.en.choose.ranOut))
  assert.ok(seen(show(views['choose without a choice']!)).includes(messages.en.choose.pickOne))
})

test('no page has two notations of money, a fraction of a whole sum, or a limit beside a fixed amount', () => {
  const sums: [cents: bigint, text: string, copy: string][] = [
    [49_000n, '490\u00a0₽', '490'],
    [49_050n, '490,50\u00a0₽', '490.50'],
    [1_234_500n, '12\u00a0345\u00a0₽', '12345'],
  ]
  for (const [amountCents, text, copy] of sums) {
    const page = show(viewOf({ amountCents, currency: 'RUB', shown: account }), 'ru')
    assert.ok(page.includes(`<h1 class="amount  ">${text}</h1>`), text)
    assert.ok(page.includes(`data-copy="${copy}"`), copy)
  }
  for (const [name, text] of everyPage()) {
    assert.doesNotMatch(seen(text), /\b(RUB|UZS|KZT|TJS)\b|\d[.,]00\b/, name)
    if (name.startsWith('choose')) assert.equal(seen(text).match(/45[\s,]000/g)?.length, 1, name)
  }
})

test('a method that came with the installation is named in the reader’s language, another by its operator', () => {
  for (const language of languages) {
    const text = seen(show(views.choose!, language))
    for (const { code, name } of offers) {
      assert.ok(text.includes(messages[language].methods[code as 'bankx']), `${language} ${code}`)
      assert.ok(!text.includes(` ${name} `), `${language} ${name}`)
    }
  }
  const renamed = offers.map((offer) => ({ ...offer, name: `Карта «${offer.code}»` }))
  const text = seen(show(viewOf(unchosen, { offers: renamed })))
  for (const { name } of renamed) assert.ok(text.includes(name), name)
})

test('the choice is checked by us, in our words: the browser’s own bubble never shows', () => {
  for (const [name, text] of everyPage())
    for (const [form, body] of text.matchAll(/<form [^>]*>([\s\S]*?)<\/form>/g))
      if (body!.includes(' required')) assert.match(form, /^<form [^>]* novalidate>/, name)
})

test('the page that asks before giving up says what is given up, and that it is a test', () => {
  for (const language of languages) {
    const words = messages[language]
    const pageIn = (testMode: boolean) =>
      seen(render(giveUpPage(viewOf({ orderId: 'A-1001' }, { testMode }), language, assets).markup))
    for (const part of ['Shop', 'A-1001', words.signs.UZS, words.giveUpPage.head])
      assert.ok(pageIn(false).includes(part), `${language} ${part}`)
    assert.ok(pageIn(true).includes(words.testMode) && !pageIn(false).includes(words.testMode), language)
  }
})

test('a customer may give up while nothing is paid, and is asked once more', () => {
  const offering = Object.entries(views).filter(([, view]) => show(view).includes('/give-up"'))
  assert.deepEqual(new Set(offering.map(([, view]) => view.screen)), new Set(['choose', 'pay']))
  const text = render(giveUpPage(viewOf(), 'en', assets).markup)
  assert.match(text, /<form [^>]*method="post" action="\/pay\/q1LhJ0x2mS9nV4tYc7Bz3A\/give-up">/)
})

test('an error page has its own heading, repeats nothing, and leads back', () => {
  for (const language of languages) {
    const { failed, gone, title } = messages[language]
    const heads = new Set([gone.head, ...failures.map((reason) => failed[reason].head)])
    assert.equal(heads.size, failures.length + 1, language)
    for (const reason of failures) {
      const { head, text } = failed[reason]
      const page = render(failedPage(reason, deposit.pageToken, language, assets).markup)
      assert.ok(page.includes(`<title>${head} · ${title}</title>`), `${language} ${reason}`)
      const main = seen(/<main[\s\S]*<\/main>/.exec(page)![0])
      for (const part of [title, head, text, failed.money, failed.back])
        assert.equal(main.split(part).length, 2, `${language} ${reason}: ${part}`)
      assert.ok(!text.includes(head), `${language} ${reason}`)
      assert.match(page, /<a class="button primary" href="\/pay\/q1LhJ0x2mS9nV4tYc7Bz3A">/)
      assert.equal(page.match(/\/pay\/q1LhJ0x2mS9nV4tYc7Bz3A\?lang=/g)?.length, languages.length - 1)
    }
  }
})

test('a page without a payment has our mark, every language, and no link to a payment', () => {
  for (const { markup } of [gonePage('en', assets), failedPage('tooMany', null, 'en', assets)]) {
    const page = render(markup)
    assert.match(page, /<svg class="logo"/)
    assert.ok(seen(page).includes(messages.en.failed.money))
    assert.equal(page.match(/ href="\?lang=[a-z]{2}"/g)?.length, languages.length - 1)
    assert.doesNotMatch(page, /class="button/)
  }
})

test('the panel of the test bank stands in test mode only, while there is something to pay', () => {
  const modes = Object.values(views).map((view) => [view.testMode, show(view).includes('/play"')])
  for (const [isTest, hasPanel] of modes) assert.ok(isTest || !hasPanel)
  assert.ok(show(views['pay in test mode']!).includes('value="exact"'))
  assert.ok(!show({ ...views.success!, testMode: true }).includes('/play"'))
})

test('no page asks for anything but a choice: no field to type in, no foreign address, no code in markup', () => {
  for (const [name, text] of everyPage()) {
    for (const [input] of text.matchAll(/<(?:input|textarea|select)[^>]*>/g)) {
      assert.match(input, /^<input type="radio" name="method"/, name)
    }
    for (const [, action] of text.matchAll(/<form [^>]*action="([^"]*)"/g)) {
      assert.match(action!, /^\/pay\/q1LhJ0x2mS9nV4tYc7Bz3A\/(choose|claim|give-up|play)$/, name)
    }
    assert.doesNotMatch(text, / style=| on[a-z]+=|javascript:|<iframe|<img/, name)
    assert.deepEqual(
      text.match(/<script[^>]*>/g),
      [`<script type="module" src="/assets/${payScript.name}">`],
      name,
    )
    for (const [, address] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const isOurs = /^\/(?!\/)|^data:image\/svg|^\?lang=[a-z]{2}$/.test(address!)
      assert.ok(isOurs || /^https:\/\/(shop|bank)\.example\//.test(address!), `${name}: ${address}`)
    }
  }
})

test('hostile text stays text: bounded, inside bdi, and without characters that turn the reading around', () => {
  const attacks = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    '\u202egpj.exe\u2066\u200f\u0000\u001b[2J',
    '👩‍👩‍👧‍👦'.repeat(20),
    'я'.repeat(1000),
    `${'W'.repeat(999)}<`,
    '\ud800 lone',
    '&lt;b&gt; &amp;',
    '{{7*7}} <%= 7*7 %>',
  ]
  const known = new Set(
    Object.values(views).flatMap((view) => show(view).match(/<[a-z0-9]+|\s[a-z-]+=/g) ?? []),
  )
  for (const attack of attacks) {
    for (const view of Object.values(views)) {
      const { shown } = view.deposit
      const hostile = {
        ...view.deposit,
        orderId: attack,
        ...(shown && {
          shown: {
            ...shown,
            name: attack,
            bank_name: attack,
            ...(shown.payment_reason && { payment_reason: attack }),
          },
        }),
      }
      const named = view.offers.map((offer) => ({ ...offer, code: `x_${offer.code}`, name: attack }))
      const text = show({ ...view, deposit: hostile, merchantName: attack, offers: named })
      const outside = text.replace(/ data-copy="[^"]*"/g, '')
      assert.doesNotMatch(outside, /[\u202a-\u202e\u2066-\u2069\u200e\u200f\0\x1b]|<img|<script>/)
      assert.ok(outside.isWellFormed())
      for (const markup of text.match(/<[a-z0-9]+|\s[a-z-]+="/g) ?? [])
        assert.ok(known.has(markup.replace('"', '')), markup)
      for (const run of seen(text).match(/[яW]+/g) ?? [])
        assert.ok(run.length <= 210, `${view.screen}: ${run.length}`)
    }
  }
})

test('an amount of any length stands whole, and a long one in smaller type', () => {
  const text = show(viewOf({ amountCents: 999_999_999_999_999n, currency: 'RUB' }), 'ru')
  assert.match(text, /<h1 class="amount long longest">9\s999\s999\s999\s999,99\s₽<\/h1>/)
  assert.match(show(views['pay by card']!), /<h1 class="amount {2}">45,000\ssoʻm<\/h1>/)
})

test('a step keeps the name of its button on one line, together with a suffix and a full stop', () => {
  const named = languages.map(
    (language) =>
      /<span class="button-name">([^<]+)<\/span>/.exec(show(views['pay by card']!, language))?.[1],
  )
  assert.deepEqual(named, [
    '«Деньги отправлены».',
    '“Pul yuborildi”',
    '«Ақша жіберілді»',
    '«Пул фиристода шуд»-ро',
    '“I have paid”.',
  ])
})

test('a step is marked once the money has reached it, and none while a part is missing', () => {
  const steps = (view: PayView) =>
    [...show(view).matchAll(/<li class="(\w*)"( aria-current="step")?>/g)].map(
      ([, mark, isLast]) => `${mark}${isLast ? ', last' : ''}`,
    )
  assert.deepEqual(steps(views.checking!), ['done, last', 'awaited', ''])
  assert.deepEqual(steps(views['checking a part']!), ['done, last', 'awaited', ''])
  assert.deepEqual(steps(views['checking by a person']!), ['done', 'done, last', 'awaited'])
  assert.deepEqual(steps(views.success!), ['done', 'done', 'done, last'])
  for (const name of ['choose', 'pay by card', 'short', 'short on a card', 'rejected', 'expired', 'reversed'])
    assert.doesNotMatch(show(views[name]!), /<ol class="progress">/, name)
})

test('the timer is silent, hidden at load, and never in the title', () => {
  for (const [name, view] of Object.entries(views)) {
    const text = show(view)
    const timer = /<p class="timer"[^>]*>/.exec(text)?.[0]
    assert.equal(timer !== undefined, ['choose', 'pay', 'short'].includes(view.screen), name)
    if (timer) assert.match(timer, /role="timer" aria-live="off" hidden/)
  }
  assert.match(show(views.success!), /<main data-screen="success" class="">/)
})

test('the policy names exactly the styles of the page and our own script', () => {
  for (const { csp } of [payPage(viewOf(), 'en', assets), gonePage('en', assets)]) {
    assert.equal(
      csp,
      `default-src 'none'; style-src ${payStyles.source}; script-src 'self'; connect-src 'self'; ` +
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    )
    assert.match(payStyles.source, /^'sha256-[A-Za-z0-9+/]{43}='$/)
  }
})

test('the page has the styles of a merchant’s colour, and its policy allows only these and ours by their digests', () => {
  const branded = (accent: string) => payPage(viewOf({}, { brand: { accent, logo: null } }), 'en', assets)
  const { csp, markup } = branded('#5b3fd6')
  const [, source] = /style-src (.*?);/.exec(csp)!
  const [ours, theirs, ...others] = source!.split(' ')
  assert.deepEqual([ours, others], [payStyles.source, []])
  const [, css] = [...render(markup).matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text!)
  assert.equal(theirs, `'sha256-${createHash('sha256').update(css!).digest('base64')}'`)
  assert.match(css!, /\.primary\{border-color:#5b3fd6;background:#5b3fd6;color:#ffffff\}/)
  // A text that is no colour never becomes a style, whatever the database contains.
  for (const text of ['#5b3fd6}body{display:none', 'red', '</style><script>', '#5b3fd6;'])
    assert.equal(branded(text).csp, payPage(viewOf(), 'en', assets).csp, text)
})

test('a logo is beside the name on every screen, with its size and an empty alternative text', () => {
  const logo = { digest: 'a'.repeat(22), width: 480, height: 100, tone: 'dark' } as const
  for (const [name, view] of Object.entries(views)) {
    const page = show({ ...view, brand: { accent: '#5b3fd6', logo } })
    assert.match(
      page,
      /<div class="shop"><img class="logo dark" src="\/logo\/a{22}\.png" width="160" height="33" alt=""><p><strong>/,
      name,
    )
    assert.doesNotMatch(page, /class="mark"/, name)
  }
})

test('a page with its styles fits 14 KB, the script 5 KB, all together 30 KB', async (t) => {
  const packed = await payScript.answer.body()
  const script = packed.gzip.length
  assert.ok(script <= 5 * 1024, `${script}`)
  for (const [name, page] of everyFinishedPage()) {
    const gzip = (await packPage(page, 'gzip')).bytes.length
    assert.ok(gzip <= 14 * 1024, `${name}: ${gzip}`)
    assert.ok(gzip + script <= 30 * 1024, name)
    if (/^pay (by card|to an account), (en|ru)$/.test(name))
      t.diagnostic(`${name}: ${gzip} gz; with the script ${gzip + script} gz`)
  }
  t.diagnostic(`script: ${packed.br.length} br, ${script} gz`)
})
