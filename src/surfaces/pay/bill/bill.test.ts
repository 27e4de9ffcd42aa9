import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { at, depositWith } from '../../../../test/support/deposit.ts'
import type { Deposit } from '../../../domain/deposits/deposit.ts'
import { render } from '../../web/html.ts'
import { type Language, languages, messages } from '../../web/messages/languages.ts'
import { bill } from './bill.ts'
import { ruler } from './font.ts'

const deposit = depositWith({
  shown: {
    kind: 'account_ru',
    number: '40702810300000000042',
    name: 'ООО "Пример"',
    bank_name: 'Банк "Тест"',
    bic: '044525999',
    corr_account: '30101810600000000999',
    tax_id: '7700000009',
    kpp: '770001001',
    payment_reason: 'Пополнение KT48219034',
    seller: 'ООО "Пример"',
  },
})

const pageUrl = 'https://pay.example.com/pay/q1LhJ0x2mS9nV4tYc7Bz3A'
const draw = (
  changes: Partial<Deposit> = {},
  merchantName = 'Shop',
  now = at('09:10'),
  language: Language = 'ru',
) =>
  render(
    bill(
      { deposit: { ...deposit, ...changes }, now, merchantName, testMode: false, pageUrl },
      language,
      ruler,
    ),
  )

/** Well-formed enough for XML: balanced tags, quoted attributes, no loose "<" and no unknown reference. */
function assertXml(text: string): void {
  const open: string[] = []
  const rest = text.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g,
    (_tag, end, name, _attributes, empty) => {
      if (end) assert.equal(open.pop(), name)
      else if (!empty) open.push(name)
      return ''
    },
  )
  assert.deepEqual(open, [])
  assert.doesNotMatch(rest, /[<>]/)
  assert.doesNotMatch(text, /&(?!(?:lt|gt|quot|amp|#39);)/)
  assert.doesNotMatch(text, /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
  assert.ok(text.isWellFormed())
}

test('the bill says what to transfer, to whom and until when', () => {
  const text = draw()
  assertXml(text)
  for (const part of [
    '1\u00a0500,50\u00a0₽',
    '4070 2810 3000 0000 0042',
    'ООО &quot;Пример&quot;',
    '044525999',
    '3010 1810 6000 0000 0999',
    '7700000009',
    '770001001',
    'Пополнение KT48219034',
    '12:30 (Москва,\u00a0GMT+3)',
    'A-1001',
    'Shop',
    'Отсканируйте в приложении банка',
  ]) {
    assert.ok(text.includes(part), part)
  }
  assert.doesNotMatch(text, /style|script|href/)
})

test('every country’s details stand under their own names', () => {
  const texts = (text: string) =>
    [...text.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, inner]) => inner!)
  const kz = {
    ...deposit.shown!,
    kind: 'account_kz',
    number: 'KZ90999TEST000000001',
    bic: 'TESTKZKA',
    kbe: '17',
    knp: '859',
  } as const
  assert.deepEqual(texts(draw({ currency: 'KZT', shown: kz })).slice(4), [
    ...['Номер счёта (IBAN)', 'KZ90 999T EST0 0000 0001', 'Получатель', 'ООО &quot;Пример&quot;'],
    ...['БИН/ИИН', '7700000009', 'КПП', '770001001', 'КБЕ', '17', 'Банк', 'Банк &quot;Тест&quot;'],
    ...['БИК', 'TESTKZKA', 'КНП', '859', 'Корр. счёт', '3010 1810 6000 0000 0999'],
    ...['Назначение платежа', 'Пополнение KT48219034', messages.ru.keepPurpose],
    ...['Номер для обращения', 'KT48219034', 'Заказ', 'A-1001'],
    'Продолжите на телефоне',
  ])
  const uz = { ...deposit.shown!, kind: 'account_uz', bic: '00999' } as const
  assert.deepEqual(texts(draw({ currency: 'UZS', shown: uz })).includes('МФО'), true)
  const phone = { kind: 'phone', number: '+79123456789', name: 'И', bank_name: 'Б', seller: 'И' } as const
  const rows = texts(draw({ shown: phone }))
  assert.deepEqual(rows.slice(4, 6), ['Номер телефона', '+7 912 345 67 89'])
})

const screens: [changes: Partial<Deposit>, now: Date, whole: boolean, code: boolean, stamp: string | null][] =
  [
    [{ state: 'builded', shown: null }, at('09:29'), false, false, null],
    [{ state: 'builded', shown: null }, at('09:30'), false, false, 'closed'],
    [{ state: 'created' }, at('09:29'), true, true, null],
    [{ state: 'created', claimedAt: at('09:20') }, at('09:29'), true, false, null],
    [{ state: 'created', receivedCents: 100_000n }, at('09:29'), true, true, null],
    [{ state: 'created', receivedCents: 100_000n, labels: ['review'] }, at('23:00'), false, false, null],
    [{ state: 'created' }, at('09:30'), false, false, 'expired'], // the deadline itself, before the sweep
    [{ state: 'created' }, at('19:30'), false, false, 'closed'],
    [{ state: 'expired' }, at('09:31'), false, false, 'expired'],
    [{ state: 'expired' }, at('19:30'), false, false, 'closed'],
    [{ state: 'confirmed', finalAt: at('09:12') }, at('09:29'), false, false, 'success'],
    [{ state: 'rejected' }, at('09:29'), false, false, 'rejected'],
    [{ state: 'canceled' }, at('09:29'), false, false, 'canceled'],
    [{ state: 'reversed' }, at('09:29'), false, false, 'reversed'],
  ]

test('full numbers are shown only while they may be needed, a code only while a payment is expected', () => {
  for (const language of languages) {
    const { stamps } = messages[language].bill
    for (const [changes, now, whole, code, stamp] of screens) {
      const text = draw(changes, 'Shop', now, language)
      const what = `${language} ${changes.state} ${now.toISOString()}`
      assertXml(text)
      assert.equal(text.includes('4070 2810'), whole, what)
      assert.equal(text.includes('40702810'), false, what)
      assert.equal(text.includes('crispEdges'), code, what)
      assert.equal(text.includes('rotate('), stamp !== null, what)
      if (stamp) assert.ok(text.includes(`>${stamps[stamp as keyof typeof stamps]}<`), what)
    }
  }
})

test('the bill of a partly paid deposit asks for the rest', () => {
  const text = draw({ receivedCents: 100_000n, labels: ['underpaid'] })
  assert.match(text, /font-size="40"[^>]*>500,50\u00a0₽</)
  assert.ok(text.includes('>1\u00a0000\u00a0₽<'))
  assert.ok(text.includes(messages.ru.short.exactly))
  const card = { kind: 'card', number: '2200000000000004', name: 'И', bank_name: 'Б', seller: 'И' } as const
  const asked = draw({ shown: card, receivedCents: 100_000n, labels: ['underpaid'] })
  assert.match(asked, /font-size="40"[^>]*>500,50\u00a0₽</)
  // A customer who pays to a card quotes the same short reference.
  assert.ok(asked.includes('>KT48219034<') && !asked.includes(depositWith().id))
})

test('a receipt names the time; the test mode is marked', () => {
  const paid = draw({ state: 'confirmed', receivedCents: 150_050n, finalAt: at('09:12') })
  assert.ok(paid.includes('15\u00a0ноября, 12:12 (Москва,\u00a0GMT+3)'))
  assert.doesNotMatch(paid, /ТЕСТ/)
  const view = { deposit, now: at('09:10'), merchantName: 'Shop', testMode: true, pageUrl }
  assert.match(render(bill(view, 'ru', ruler)), />ТЕСТ</)
})

test('hostile names and order ids stay text', () => {
  const attacks = [
    '</text><script>alert(1)</script>',
    '"/><image href="https://evil.example/x"/>',
    ']]><!ENTITY x SYSTEM "file:///etc/passwd">&x;',
    '&#60;script&#62;',
    '\u202e\0\ud800\uffff',
    '漢'.repeat(200),
    'x'.repeat(500),
    '👩‍👩‍👧‍👦'.repeat(60),
  ]
  for (const attack of attacks) {
    const text = draw(
      {
        orderId: attack,
        shown: { ...deposit.shown!, name: attack, bank_name: attack, payment_reason: attack },
      },
      attack,
    )
    assertXml(text)
    assert.doesNotMatch(text, /<script|<image|<!/)
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (hostile) => {
      assertXml(draw({ orderId: hostile, shown: { ...deposit.shown!, name: hostile } }, hostile))
    }),
  )
})
