/** What Inlet says is said in Russian as a whole, whatever the sentence holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { findingTable } from '../../../domain/requisites/finding.ts'
import { findingsRu } from '../../../domain/requisites/finding-ru.ts'
import { actorsRu, moneyRu, moneyWordsRu } from './ru-money.ts'
import { officeRu } from './ru-office.ts'
import { statementsRu } from './ru-statements.ts'
import { translate, translateActor, translateFileText } from './translate.ts'

const holesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()

test('every Russian sentence is Russian, and holds what the English one holds', () => {
  const tables = { ...moneyRu, ...moneyWordsRu, ...officeRu, ...statementsRu, ...actorsRu }
  for (const [english, russian] of [...Object.entries(tables), ...Object.entries(findingsRu)])
    assert.match(russian, /\p{Script=Cyrillic}/u, english)
  for (const [english, russian] of Object.entries(tables))
    assert.deepEqual(holesOf(russian), holesOf(english), english)
})

test('every finding about a requisite is said in Russian by its sentence', () => {
  for (const [code, { detail }] of Object.entries(findingTable))
    assert.equal(translate(detail, 'ru'), findingsRu[code as keyof typeof findingsRu])
})

test('a sentence keeps its values, and what it holds of ours is Russian too', () => {
  for (const [english, russian] of [
    ['This has been decided already.', 'Это уже решено.'],
    ['2 deposits wait for this amount.', 'Депозитов, которые ждут такую сумму: 2.'],
    [
      'A deposit that is created cannot be reversed.',
      'Состояние депозита — «ждёт денег»: отметить возврат банком нельзя.',
    ],
    ['The money arrived, overpaid, late', 'Деньги пришли: переплата, с опозданием'],
    [
      'The payer is on the watch list: Two chargebacks. Otherwise: Only this deposit waits for this amount.',
      'В списке «наблюдение» — плательщик: Two chargebacks. Если бы не это: Такую сумму ждёт только этот депозит.',
    ],
  ] as const)
    assert.equal(translate(english, 'ru'), russian)
  for (const [english, russian] of [
    ['Line 7: The file is empty. Nothing was taken.', 'Строка 7: Файл пуст. Ничего не принято.'],
    [
      '«Сумма» is «1.5.0 $&»: an amount above zero is expected here. Lines 3 to 5 were read as one row.',
      'В поле «Сумма» стоит «1.5.0 $&»: здесь нужна сумма больше нуля. Строки с 3 по 5 прочитаны как одна.',
    ],
    [
      '«What is paid» is «5 is paid»: an amount above zero is expected here.',
      'В поле «What is paid» стоит «5 is paid»: здесь нужна сумма больше нуля.',
    ],
    [
      'Account …0042: the file says it has 5 entries, and 3 to 4 are in it.',
      'Счёт …0042: по словам файла записей 5, а в нём их от 3 до 4.',
    ],
  ] as const)
    assert.equal(translateFileText(english, 'ru'), russian)
  assert.equal(translateActor('operator:anna@example.com', 'ru'), 'оператор anna@example.com')
})

test('English stays English, and what a person wrote stays as it was written', () => {
  for (const text of ['This has been decided already.', 'Seen at the bank', 'constructor', ''])
    assert.equal(translate(text, 'en'), text)
  for (const text of ['Seen at the bank', 'The account is empty.', 'Позвонили в банк', 'constructor', ''])
    assert.equal(translate(text, 'ru'), text)
})

test('a text that only begins like a sentence of ours stays as it is', () => {
  const hostile = `${' is '.repeat(60)}: an amount above zero is expected here`
  assert.equal(translateFileText(hostile, 'ru'), hostile)
})

test('however long a text is and whatever it repeats of a sentence, looking for it ends', () => {
  // Strangers choose parts of what is refused. Tried in every way, these would take days.
  const [on, list] = [' is on the '.repeat(5_000), ' list: '.repeat(5_000)]
  for (const hostile of [
    `The  Otherwise: ${on}${list}`,
    'The payer is on the watch list: x Otherwise: '.repeat(5_000),
    `${'«x» is '.repeat(10_000)}: an amount above zero is expected here`,
  ])
    for (const say of [translate, translateFileText, translateActor])
      assert.ok(runInNewContext('say(hostile, "ru")', { say, hostile }, { timeout: 20_000 }))
})
