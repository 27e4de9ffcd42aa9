/** What Inlet says is said in Russian as a whole, whatever the sentence holds. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import {
  english,
  type MessageCode,
  message,
  messageJson,
  readMessage,
} from '../../../domain/messages/message.ts'
import { actorsRu, valuesRu } from './ru-words.ts'
import { russian, translate, translateActor, translateFileText } from './translate.ts'

const holesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()

const codes = Object.keys(english) as MessageCode[]

test('every Russian sentence is Russian, and holds what the English one holds', () => {
  for (const code of codes) assert.deepEqual(holesOf(russian[code]), holesOf(english[code]), code)
  for (const words of [russian, actorsRu, ...Object.values(valuesRu)])
    for (const [code, text] of Object.entries(words))
      assert.match(text, /\p{Script=Cyrillic}|^\{rest\} \{why\}$/u, code)
})

test('no two messages have one English sentence: a stored text has one meaning', () => {
  assert.equal(new Set(Object.values(english)).size, codes.length)
})

test('a message is said by its code and values, and printed in English', () => {
  const reason = message('listed_otherwise', {
    ...{ kind: 'payer', list: 'watch', why: 'late' },
    rest: message('match_several_candidates', { count: 2 }),
  })
  assert.equal(
    translate(reason, 'ru'),
    'В списке «наблюдение» — плательщик: late Если бы не это: Депозитов, ожидающих такую сумму: 2.',
  )
  const text = 'The payer is on the watch list: late Otherwise: 2 deposits are awaiting this amount.'
  assert.deepEqual(
    [translate(reason, 'en'), `${reason}`, JSON.stringify([reason])],
    [text, text, `["${text}"]`],
  )
  assert.deepEqual(readMessage(JSON.parse(messageJson(reason)!), text), reason)
  assert.equal(readMessage({ code: 'constructor', values: {} }, text), text)
  assert.equal(readMessage(null, text), text)
})

test('a sentence keeps its values, and what it holds of ours is Russian too', () => {
  for (const [english, russian] of [
    ['This has already been decided.', 'Это уже решено.'],
    ['2 deposits are awaiting this amount.', 'Депозитов, ожидающих такую сумму: 2.'],
    [
      'A deposit that is created cannot be reversed.',
      'Состояние депозита — «ожидает оплаты»: отметить возврат банком нельзя.',
    ],
    ['The money arrived, overpaid, late', 'Деньги поступили: переплата, с опозданием'],
    [
      'The payer is on the watch list: Two chargebacks. Otherwise: Only this deposit is awaiting this amount.',
      'В списке «наблюдение» — плательщик: Two chargebacks. Если бы не это: Такую сумму ожидает только этот депозит.',
    ],
  ] as const)
    assert.equal(translate(english, 'ru'), russian)
  for (const [english, russian] of [
    ['Line 7: The file is empty. Nothing was imported.', 'Строка 7: Файл пуст. Ничего не загружено.'],
    [
      '«Сумма» is «1.5.0 $&»: an amount above zero is expected here. Lines 3 to 5 were read as one row.',
      'В поле «Сумма» стоит «1.5.0 $&»: здесь нужна сумма больше нуля. Строки с 3 по 5 прочитаны как одна.',
    ],
    [
      '«What is paid» is «5 is paid»: an amount above zero is expected here.',
      'В поле «What is paid» стоит «5 is paid»: здесь нужна сумма больше нуля.',
    ],
    [
      'Account …0042: the file states 6.00 outgoing, but its rows add up to 5.00.',
      'Счёт …0042: по данным файла списано 6.00, а сумма строк — 5.00.',
    ],
  ] as const)
    assert.equal(translateFileText(english, 'ru'), russian)
  for (const [actor, russian, english] of [
    ['operator:anna@example.com', 'оператор anna@example.com', 'operator anna@example.com'],
    ['operator:command line', 'командная строка', 'command line'],
    ['bank:Test Bank', 'банк Test Bank', 'bank Test Bank'],
    ['matcher', 'автоматически', 'automatic matching'],
    ['anna@example.com', 'anna@example.com', 'anna@example.com'],
  ] as const)
    assert.deepEqual([translateActor(actor, 'ru'), translateActor(actor, 'en')], [russian, english])
})

test('what is wrong with a file is said in Russian', () => {
  const vectors = new URL('../../../../test/vectors/', import.meta.url)
  const read = (name: string) => readFileSync(new URL(name, vectors), 'utf8')
  const complaints = readdirSync(new URL('statements', vectors))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => [...read(`statements/${name}`).matchAll(/"detail": ("(?:[^"\\]|\\.)*")/g)])
    .map(([, text]) => JSON.parse(text!) as string)
  assert.ok(complaints.length > 90, `${complaints.length} found`)
  for (const text of complaints)
    assert.doesNotMatch(translateFileText(text, 'ru').replaceAll(/«.*?»/g, '«»'), /[a-z]+ [a-z]+/, text)
})

test('English stays English, and what a person wrote stays as it was written', () => {
  for (const text of ['This has already been decided.', 'Seen at the bank', 'constructor', ''])
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
