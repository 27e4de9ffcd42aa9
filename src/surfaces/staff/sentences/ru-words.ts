/** Слова внутри предложений, по имени того, что в них подставляют; и кто это сделал, если не человек по имени. */
import { depositStateWords, labelWords, transferStateWords } from '../../../sections/states.ts'

/** Inside a sentence the name of a state begins with a small letter. */
const lower = (known: typeof depositStateWords | typeof transferStateWords | typeof labelWords) =>
  Object.fromEntries(Object.entries(known).map(([code, [[, ru]]]) => [code, ru.toLowerCase()]))

export const valuesRu: Record<string, Readonly<Record<string, string>>> = {
  state: { ...lower(depositStateWords), ...lower(transferStateWords) },
  labels: lower(labelWords),
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
