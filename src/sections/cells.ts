/** Makes the values of columns and facts. What is missing is null, and is not shown. */
import type { Mode } from '../domain/merchants/merchant.ts'
import type { MessageOrText } from '../domain/messages/message.ts'
import type { Cents, Currency } from '../domain/money.ts'
import type { Cell, Choice, Tone, Two } from './section.ts'

export const text = (text: string | null, detail?: string): Cell =>
  text ? { is: 'text', text, ...(detail && { detail }) } : null
/** What a bank, a payer or a merchant wrote. */
export const foreign = (text: string | null, detail?: string): Cell =>
  text || detail ? { is: 'foreign', text: text ?? '', ...(detail && { detail }) } : null
export const said = (text: MessageOrText): Cell => (`${text}` === '' ? null : { is: 'message', text })
export const words = (words: Two): Cell => ({ is: 'words', words })
export const code = (text: string | null): Cell => (text ? { is: 'code', text } : null)
export const number = (number: number): Cell => ({ is: 'number', number })
export const money = (cents: Cents | null, currency: Currency): Cell =>
  cents === null ? null : { is: 'money', cents, currency }
export const modeOf = (mode: Mode): Cell =>
  state(mode, mode === 'test' ? ['Test', 'Тест'] : ['Live', 'Боевой'], mode === 'test' ? 'warn' : 'plain')
export const share = (cents: Cents, of: Cents | null, currency: Currency): Cell => ({
  is: 'share',
  cents,
  of,
  currency,
})
export const time = (at: Date | null): Cell => at && { is: 'time', at }
/** How long it has waited: `3 minutes`. */
export const age = (at: Date | null): Cell => at && { is: 'age', at }
/** When it last happened: `3 minutes ago`, or never. */
export const since = (at: Date | null): Cell => ({ is: 'since', at })
export const day = (day: string | null): Cell => (day ? { is: 'day', day } : null)
export const state = (value: string, words: Two, tone: Tone = 'plain'): Cell => ({
  is: 'state',
  value,
  words,
  tone,
})
export const link = (to: string, id: string | null, text: string | MessageOrText | null): Cell =>
  id ? { is: 'link', to, id, text: text ?? id } : null
export const person = (actor: string | null): Cell => (actor ? { is: 'person', actor } : null)
export const onOff = (isOn: boolean): Cell =>
  isOn ? state('on', ['On', 'Включён'], 'ok') : state('off', ['Off', 'Выключен'], 'bad')

/** The words of one of these choices. */
export const wordsOf = (choices: readonly Choice[], value: string): Two =>
  choices.find((choice) => choice.value === value)?.words ?? [value, value]
