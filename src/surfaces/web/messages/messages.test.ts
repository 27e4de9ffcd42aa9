import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lengthening, pseudoLocale } from '../../../../test/support/pseudo-locale.ts'
import { type Language, languageFrom, languages, messages } from './languages.ts'
import type { Messages } from './ru.ts'

/** What a sentence is given in these tests: letters of no script, so that no rule about letters minds. */
const samples = ['⟨1⟩', '⟨2⟩']

/** Every sentence under its path, functions called: `rows.card`, `steps.phone`. */
function sentences(part: unknown, path = ''): Map<string, string> {
  if (typeof part === 'string') return new Map([[path, part]])
  if (typeof part === 'function') {
    const text: unknown = path === 'minutesLeft' ? part(5) : part(...samples)
    assert.ok(typeof text === 'string', path)
    return new Map([[path, text]])
  }
  return new Map(
    Object.entries(part as object).flatMap(([key, value]) => [
      ...sentences(value, path ? `${path}.${key}` : key),
    ]),
  )
}

const texts = Object.fromEntries(
  languages.map((language) => [language, sentences(messages[language])]),
) as Record<Language, Map<string, string>>
const translations = languages.filter((language) => language !== 'ru')

/** The shape: keys in their order, with the number of arguments of each sentence that takes some. */
function shapeOf(part: unknown): unknown {
  if (typeof part === 'string') return 'text'
  if (typeof part === 'function') return part.length
  return Object.entries(part as object).map(([key, value]) => [key, shapeOf(value)])
}

for (const language of translations) {
  test(`${language} fills every key in the order of Russian, and every sentence says something`, () => {
    assert.deepEqual(shapeOf(messages[language]), shapeOf(messages.ru))
    for (const [path, text] of texts[language]) {
      assert.ok(text.length > 0, path)
      assert.equal(text, text.trim().normalize('NFC'), path)
    }
  })

  test(`${language} says every value that it is given, and ends a sentence where Russian does`, () => {
    for (const [path, russian] of texts.ru) {
      const text = texts[language].get(path)!
      for (const sample of samples)
        assert.equal(text.split(sample).length, russian.split(sample).length, path)
      assert.equal(text.match(/[.?…]$/)?.[0], russian.match(/[.?…]$/)?.[0], path)
      assert.doesNotMatch(text, /undefined|\[object|\s\s|!/, path)
    }
  })
}

test('the step quotes the button as it is written', () => {
  for (const language of languages) {
    const { steps, claim } = messages[language]
    assert.equal(/[«“]([^»”]+)[»”]/.exec(steps.claim)?.[1], claim, language)
  }
})

/** Names and abbreviations that are the same word in both languages. */
const sameAsRussian: Record<(typeof translations)[number], string[]> = {
  uz: ['signs.RUB', 'signs.KZT'],
  kk: [
    'rows.bank',
    'rows.mfo',
    'rows.taxId',
    'rows.kpp',
    'seconds',
    'cities.UZS',
    'cities.KZT',
    'cities.TJS',
    'signs.RUB',
    'signs.UZS',
    'signs.KZT',
    'signs.TJS',
  ],
  tg: [
    'rows.bic',
    'rows.mfo',
    'rows.taxIdKz',
    'rows.kpp',
    'rows.kbe',
    'rows.knp',
    'cities.TJS',
    'signs.RUB',
    'signs.KZT',
  ],
  en: ['signs.RUB', 'signs.KZT'],
}

test('nothing is left in Russian', () => {
  for (const language of translations) {
    const same = [...texts.ru].filter(([path, text]) => texts[language].get(path) === text)
    assert.deepEqual(
      same.map(([path]) => path),
      sameAsRussian[language],
      language,
    )
  }
})

test('every language is written in its own letters', () => {
  for (const [path, text] of [...texts.uz, ...texts.en])
    assert.doesNotMatch(text, /\p{Script=Cyrillic}/u, path)
  // A text of so many characters has at least one of the letters that Russian lacks.
  const own = [
    ['kk', 24, /[әғқңөұүһі]/i],
    ['tg', 48, /[ғӣқӯҳҷ]/i],
  ] as const
  for (const [language, length, letters] of own)
    for (const [path, text] of texts[language]) {
      if (text.length > length) assert.match(text, letters, `${language} ${path}`)
      // A Latin letter inside a Cyrillic word looks right and is found by no search.
      assert.doesNotMatch(text, /[a-z]\p{Script=Cyrillic}|\p{Script=Cyrillic}[a-z]/iu, `${language} ${path}`)
    }
  // The Tajik alphabet has had none of these since 1998, the Kazakh language needs none of those.
  for (const [path, text] of texts.tg) assert.doesNotMatch(text, /[цщыь]/i, path)
  for (const [path, text] of texts.kk) assert.doesNotMatch(text, /[ёщъ]/i, path)
})

test('Uzbek has its own letter ʻ (U+02BB) after o and g, and no apostrophe in its place', () => {
  const all = [...texts.uz.values()].join('\n')
  assert.match(all, /oʻ/)
  assert.match(all, /gʻ/)
  assert.doesNotMatch(all, /['`‘’´]|[og]ʼ|[^og]ʻ/i)
})

test('a number of minutes takes its form of the word', () => {
  const cases: [language: Language, ...texts: string[]][] = [
    [
      'ru',
      'Осталось: 1 минута.',
      'Осталось: 2 минуты.',
      'Осталось: 5 минут.',
      'Осталось: 11 минут.',
      'Осталось: 21 минута.',
    ],
    ['uz', '1 daqiqa qoldi.', '2 daqiqa qoldi.', '5 daqiqa qoldi.', '11 daqiqa qoldi.', '21 daqiqa qoldi.'],
    ['kk', '1 минут қалды.', '2 минут қалды.', '5 минут қалды.', '11 минут қалды.', '21 минут қалды.'],
    ['tg', '1 дақиқа монд.', '2 дақиқа монд.', '5 дақиқа монд.', '11 дақиқа монд.', '21 дақиқа монд.'],
    ['en', '1 minute left.', '2 minutes left.', '5 minutes left.', '11 minutes left.', '21 minutes left.'],
  ]
  for (const [language, ...expected] of cases)
    assert.deepEqual([1, 2, 5, 11, 21].map(messages[language].minutesLeft), expected)
})

test('the pseudo-locale is two fifths longer everywhere and leaves values alone', () => {
  const longer: Messages = pseudoLocale(messages.ru)
  for (const [path, text] of sentences(longer)) {
    const plain = texts.ru.get(path)!
    // The sign of a currency has no letter to repeat.
    if (!/\p{L}/u.test(plain)) continue
    const values = samples.filter((sample) => plain.includes(sample)).join('').length
    // A value counts as the one character that held its place.
    assert.ok(text.length >= plain.length + Math.ceil((plain.length - values) * lengthening), path)
    for (const sample of samples) assert.equal(text.includes(sample), plain.includes(sample), path)
  }
  assert.equal(longer.minutesLeft(21), 'ООсстаалоосьь: 21 мминнутта.')
  assert.equal(longer.copyOf('12 RUB'), 'ККоопиироовватть: 12 RUB')
})

test('a visitor gets what was chosen, else what the browser prefers, else what the merchant set', () => {
  const cases: [hints: Parameters<typeof languageFrom>[0], language: Language][] = [
    [{}, 'ru'],
    // The order of the hints.
    [{ query: 'uz', cookie: 'kk', acceptLanguage: 'tg', merchant: 'en' }, 'uz'],
    [{ cookie: 'kk', acceptLanguage: 'tg', merchant: 'en' }, 'kk'],
    [{ acceptLanguage: 'tg', merchant: 'en' }, 'tg'],
    [{ merchant: 'en' }, 'en'],
    // What is not ours was not said.
    [{ query: 'de', cookie: 'kk' }, 'kk'],
    [{ query: '', cookie: '', acceptLanguage: '', merchant: null }, 'ru'],
    [{ query: ['en', 'uz'], cookie: { toString: 'x' }, merchant: 7 }, 'ru'],
    [{ query: '__proto__', cookie: 'constructor' }, 'ru'],
    [{ query: '<script>', cookie: 'uz\r\nset-cookie: a=b' }, 'ru'],
    [{ query: 'UZ', cookie: 'kk' }, 'uz'],
    [{ query: 'kk-KZ' }, 'kk'],
    [{ query: `en${'-x'.repeat(5000)}` }, 'en'],
    // Accept-Language.
    [{ acceptLanguage: 'en' }, 'en'],
    [{ acceptLanguage: 'en-US,en;q=0.9' }, 'en'],
    [{ acceptLanguage: 'ru-RU,ru;q=0.9,en;q=0.8' }, 'ru'],
    [{ acceptLanguage: 'kk-KZ,kk;q=0.9' }, 'kk'],
    [{ acceptLanguage: 'uz-Latn-UZ,ru;q=0.5' }, 'uz'],
    [{ acceptLanguage: 'TG-Cyrl' }, 'tg'],
    [{ acceptLanguage: 'en;q=0.1, ru;q=0.2' }, 'ru'],
    [{ acceptLanguage: 'en ; q=0.1 , uz ; Q=0.200' }, 'uz'],
    [{ acceptLanguage: 'uz;q=0.5, kk;q=0.5' }, 'uz'],
    [{ acceptLanguage: 'de, fr;q=0.9, tg;q=0.1' }, 'tg'],
    [{ acceptLanguage: 'ru;q=0, en;q=0.5' }, 'en'],
    [{ acceptLanguage: 'en;q=0' }, 'ru'],
    [{ acceptLanguage: 'en;q=0.000', merchant: 'uz' }, 'uz'],
    [{ acceptLanguage: '*' }, 'ru'],
    [{ acceptLanguage: '*', merchant: 'kk' }, 'kk'],
    [{ acceptLanguage: 'de-DE,*;q=0.5', merchant: 'tg' }, 'tg'],
    // Garbage.
    [{ acceptLanguage: 'en;q=nonsense' }, 'ru'],
    [{ acceptLanguage: 'en;q=' }, 'ru'],
    [{ acceptLanguage: 'en;q=2, uz;q=0.1' }, 'uz'],
    [{ acceptLanguage: 'en;q=1.5, uz;q=-1, kk;q=0x1, tg;q=1e0' }, 'ru'],
    [{ acceptLanguage: 'english, uzbek, enx' }, 'ru'],
    [{ acceptLanguage: ',;;q=,' }, 'ru'],
    [{ acceptLanguage: '\0\uffff ;;;,,,= \ud800' }, 'ru'],
    [{ acceptLanguage: 'e'.repeat(10_000), merchant: 'uz' }, 'uz'],
    [{ acceptLanguage: `kk,${';'.repeat(10_000)}` }, 'kk'],
    [{ acceptLanguage: `${' '.repeat(10_000)}en` }, 'ru'],
    [{ acceptLanguage: `en;q=0.4,${'de,'.repeat(3300)}uz` }, 'en'],
  ]
  for (const [hints, language] of cases) assert.equal(languageFrom(hints), language, JSON.stringify(hints))
})
