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
    { en: 'Told by a second file.', ru: 'Пришло второй выпиской.' },
    { en: 'The bank corrected its row.', ru: 'Банк исправил свою строку.' },
  ],
  genuine: [
    { en: 'The customer paid twice.', ru: 'Покупатель заплатил дважды.' },
    { en: 'Two orders of one amount.', ru: 'Два заказа на одну сумму.' },
  ],
  match: [
    { en: 'The customer confirmed it by e-mail.', ru: 'Покупатель подтвердил письмом.' },
    { en: 'The customer sent the bank’s receipt.', ru: 'Покупатель прислал чек банка.' },
    { en: 'The merchant named the order.', ru: 'Мерчант назвал заказ.' },
  ],
  set_aside: [
    { en: 'Bank fee or interest.', ru: 'Комиссия или проценты банка.' },
    { en: 'Our own transfer between accounts.', ru: 'Свой перевод между счетами.' },
    { en: 'Unknown payer, waiting for contact.', ru: 'Плательщик неизвестен, ждём обращения.' },
    { en: 'No payment for a deposit.', ru: 'Платёж не за депозит.' },
  ],
  refund: [
    { en: 'Given back at the payer’s wish.', ru: 'Возвращено по просьбе плательщика.' },
    { en: 'Sent to us by mistake.', ru: 'Отправлено нам по ошибке.' },
  ],
  confirm: [
    { en: 'Seen in the bank’s app.', ru: 'Видно в приложении банка.' },
    { en: 'The bank confirmed it in a letter.', ru: 'Банк подтвердил письмом.' },
  ],
  reject: [
    { en: 'No money came, the customer knows.', ru: 'Деньги не пришли, покупатель знает.' },
    { en: 'The customer gave it up.', ru: 'Покупатель отказался.' },
    { en: 'The payer is on a list.', ru: 'Плательщик в списке.' },
  ],
  reverse: [{ en: 'The bank told us in a letter.', ru: 'Банк сообщил письмом.' }],
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
