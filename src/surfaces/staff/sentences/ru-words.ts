/** Слова внутри предложений, по имени того, что в них подставляют; и кто это сделал, если не человек по имени. */
import { stateWords } from '../state-words.ts'

const { depositStates, transferStates, labels } = stateWords.ru

export const valuesRu: Record<string, Readonly<Record<string, string>>> = {
  state: { ...depositStates, ...transferStates },
  labels,
  list: { block: 'блокировка', watch: 'наблюдение' },
  kind: { customer: 'покупатель', "customer's phone": 'телефон покупателя', payer: 'плательщик' },
}

export const actorsRu: Record<string, string> = {
  clock: 'часы',
  matcher: 'сопоставление',
  customer: 'покупатель',
  merchant: 'мерчант',
  sandbox: 'тестовый банк',
  'command line': 'командная строка',
  operator: 'оператор',
  bank: 'банк',
}
