/** Preset reasons for everyday decisions, in both languages. A person may always write their own. */
import type { ConsoleLanguage } from '../../../domain/people/person.ts'

export type PresetAct =
  | 'duplicate'
  | 'genuine'
  | 'match'
  | 'set_aside'
  | 'refund'
  | 'confirm'
  | 'reject'
  | 'reverse'

type Sentence = Record<ConsoleLanguage, string>

const sentences: Record<PresetAct, readonly Sentence[]> = {
  duplicate: [
    { en: 'Same payment in another statement.', ru: 'Тот же платёж из другой выписки.' },
    { en: 'Corrected by the bank.', ru: 'Банк исправил операцию.' },
  ],
  genuine: [
    { en: 'The customer paid twice.', ru: 'Покупатель заплатил дважды.' },
    { en: 'Two orders with the same amount.', ru: 'Два заказа на одинаковую сумму.' },
  ],
  match: [
    { en: 'Confirmed by the customer by email.', ru: 'Покупатель подтвердил по почте.' },
    { en: 'The customer sent a bank receipt.', ru: 'Покупатель прислал чек банка.' },
    { en: 'The merchant specified the order.', ru: 'Мерчант указал заказ.' },
  ],
  set_aside: [
    { en: 'Bank fee or interest.', ru: 'Комиссия или проценты банка.' },
    { en: 'Transfer between own accounts.', ru: 'Перевод между своими счетами.' },
    { en: 'Unknown payer, waiting for them to contact us.', ru: 'Плательщик неизвестен, ждём обращения.' },
    { en: 'Not a deposit payment.', ru: 'Платёж не относится к депозитам.' },
  ],
  refund: [
    { en: 'Refunded at the payer’s request.', ru: 'Возвращено по просьбе плательщика.' },
    { en: 'Sent by mistake.', ru: 'Отправлено по ошибке.' },
  ],
  confirm: [
    { en: 'Credit visible in the bank app.', ru: 'Зачисление видно в приложении банка.' },
    { en: 'Confirmed by a letter from the bank.', ru: 'Банк подтвердил письмом.' },
  ],
  reject: [
    {
      en: 'No money received; the customer has been informed.',
      ru: 'Деньги не поступили, покупатель уведомлён.',
    },
    { en: 'The customer changed their mind.', ru: 'Покупатель отказался от оплаты.' },
    { en: 'The payer is on a list.', ru: 'Плательщик внесён в список.' },
  ],
  reverse: [{ en: 'Reported by a letter from the bank.', ru: 'Банк сообщил письмом.' }],
}

/** Each preset has a digit as its key. */
const presetsMost = 9

type Preset = { name: string; act: PresetAct; key: string; text: string }

/** The presets of these acts in this order, as many as there are keys. */
export const presetsOf = (acts: readonly PresetAct[], language: ConsoleLanguage): Preset[] =>
  acts
    .flatMap((act) =>
      sentences[act].map((sentence, place) => ({
        name: `${act}-${place + 1}`,
        act,
        text: sentence[language],
      })),
    )
    .slice(0, presetsMost)
    .map((preset, place) => ({ ...preset, key: String(place + 1) }))

/** The text of the chosen preset; empty if none was chosen. */
export function presetText(name: string, language: ConsoleLanguage): string {
  const [, act, place] = /^([a-z_]+)-(\d)$/.exec(name) ?? []
  if (!act || !Object.hasOwn(sentences, act)) return ''
  return sentences[act as PresetAct][Number(place) - 1]?.[language] ?? ''
}
