/** Which passwords are refused as easy to guess, and which are not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'
import { isEasyToGuess } from './password-strength.ts'

const about = ['ivan.petrov@shop-berry.example', 'Иван Петров', 'Blue Kettle', 'pay.gateway.example']

for (const [password, why] of [
  ['passwordpassword', 'one common password twice'],
  ['PasswordPassword', 'case does not matter'],
  ['p@ssw0rdp@ssw0rd', 'signs that stand for letters'],
  ['Password2026!', 'a common password, a year, a sign'],
  ['abcabcabcabc', 'one short piece again and again'],
  ['123412341234', 'digits again and again'],
  ['qwertyqwerty', 'a row of the keyboard twice'],
  ['qwertyuiop123', 'two rows'],
  ['йцукенгшщзхъ', 'a row of the Russian keyboard'],
  ['парольпароль', 'a Russian word, typed on its own keyboard'],
  ['aaaaaaaaaaaaaaaa', 'one letter'],
  ['987654321000', 'digits downwards'],
  ['1qaz2wsx3edc', 'columns of the keyboard'],
  ['inlet-inlet-2026', 'the product’s name'],
  ['ivan.petrov1985', 'the address of its owner'],
  ['Иван Петров 1985', 'the name of its owner'],
  ['blue-kettle-2026', 'the merchant’s name'],
  ['gateway.example1', 'the host'],
  ['shop-berry-shop-berry', 'the domain of the address'],
  ['ｐａｓｓｗｏｒｄ１２３４', 'wide letters'],
  ['iloveyou1234', 'a common password and digits'],
  ['ivan.petrov@shop-berry.example-26', 'the whole address'],
  ['!@#$%^&*()_+', 'nothing but signs'],
  ['summer2026winter', 'two words and a year'],
] as const)
  test(`${password} is easy to guess: ${why}`, () => {
    assert.equal(isEasyToGuess(password, about, isCommonPassword), true)
  })

for (const password of [
  'correct horse battery',
  'another long password',
  'correcthorsebattery',
  'x7$kQ-vv2Lp9',
  'vT3pq8ZrLm1w',
  'мама мыла раму утром',
  'синий чайник поёт',
  '7e2f90b1c4d8a6035e7f',
  'Two kettles, one ivan',
])
  test(`${password} may be chosen`, () => {
    assert.equal(isEasyToGuess(password, about, isCommonPassword), false)
  })

test('letters written in two ways are one password', () => {
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
    assert.equal(isEasyToGuess('Иван Петров йцукен'.normalize(form), about, isCommonPassword), true, form)
})

test('the longest password that a form can send is judged', () => {
  assert.equal(isEasyToGuess('ab1 '.repeat(50), about, isCommonPassword), true)
  assert.equal(isEasyToGuess('кот'.repeat(66), about, isCommonPassword), true)
})
