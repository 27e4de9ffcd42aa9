/** Слова внутри предложений, по имени того, что в них подставляют; и кто это сделал, если не человек по имени. */
import { stateWords } from '../state-words.ts'

const { depositStates, transferStates, labels } = stateWords.ru

/** Inside a sentence the name of a state begins with a small letter. */
const lower = (words: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(words).map(([code, word]) => [code, word.toLowerCase()]))

export const valuesRu: Record<string, Readonly<Record<string, string>>> = {
  state: lower({ ...depositStates, ...transferStates }),
  labels: lower(labels),
  list: { block: 'блокировка', watch: 'наблюдение' },
  kind: { customer: 'покупатель', "customer's phone": 'телефон покупателя', payer: 'плательщик' },
}

export const actorsRu: Record<string, string> = {
  clock: 'часы',
  matcher: 'автоматически',
  customer: 'покупатель',
  merchant: 'мерчант',
  sandbox: 'тестовый банк',
  'command line': 'командная строка',
  operator: 'оператор',
  bank: 'банк',
}
