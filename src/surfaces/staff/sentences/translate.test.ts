/** What Inlet says is said in Russian as a whole, whatever the sentence holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  english,
  type MessageCode,
  message,
  messageJson,
  readMessage,
} from '../../../domain/messages/message.ts'
import { actorsRu, valuesRu } from './ru-words.ts'
import { russian, translate, translateActor } from './translate.ts'

const holesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()

const codes = Object.keys(english) as MessageCode[]

test('every Russian sentence is Russian, and holds what the English one holds', () => {
  for (const code of codes) assert.deepEqual(holesOf(russian[code]), holesOf(english[code]), code)
  for (const words of [russian, actorsRu, ...Object.values(valuesRu)])
    for (const [code, text] of Object.entries(words))
      assert.match(text, /\p{Script=Cyrillic}|^\{rest\} \{why\}$/u, code)
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

test('who did something is said in the language of the reader', () => {
  for (const [actor, russian, english] of [
    ['operator:anna@example.com', 'оператор anna@example.com', 'operator anna@example.com'],
    ['operator:command line', 'командная строка', 'command line'],
    ['bank:Test Bank', 'банк Test Bank', 'bank Test Bank'],
    ['matcher', 'автоматически', 'automatic matching'],
    ['anna@example.com', 'anna@example.com', 'anna@example.com'],
  ] as const)
    assert.deepEqual([translateActor(actor, 'ru'), translateActor(actor, 'en')], [russian, english])
})

test('what a person wrote stays as it was written', () => {
  for (const text of ['Seen at the bank', 'This has already been decided.', 'constructor', ''])
    assert.deepEqual([translate(text, 'ru'), translate(text, 'en')], [text, text])
})
