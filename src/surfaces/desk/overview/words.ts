/** The words of the operator's overview. */
import type { Two } from '../../../sections/section.ts'

export const overviewWords = {
  inQueue: ['In the queue', 'В очереди'],
  toApprove: ['Pending approval', 'На согласовании'],
  mode: ['Mode', 'Режим'],
  modes: { live: ['Live', 'Боевой'], test: ['Test', 'Тестовый'] },
  kind: ['Kind', 'Вид'],
  waiting: ['Waiting', 'Ждут'],
  oldest: ['Oldest', 'Самая старая'],
  silentSource: (name: string): Two => [`${name} is not sending data`, `${name} не присылает данные`],
  silentAccount: (name: string): Two => [`No bank data for ${name}`, `Нет данных банка: ${name}`],
  openDays: (name: string): Two => [`Days of ${name} are not closed`, `Дни не закрыты: ${name}`],
  openSince: (source: string): Two => [`no file (${source}) since`, `нет файла (${source}) с`],
  since: (age: string): Two => [`for ${age}`, `уже ${age}`],
  never: ['never received', 'данных ещё не было'],
  loaded: (name: string, used: string): Two => [
    `${name}: ${used} of a limit used`,
    `${name}: занято ${used} лимита`,
  ],
  openNow: ['Open now', 'Открыто сейчас'],
  paused: (name: string): Two => [`Callbacks of ${name} are paused`, `Колбэки приостановлены: ${name}`],
  fails: (name: string): Two => [`Callbacks of ${name} are failing`, `Колбэки не доставляются: ${name}`],
  steps: {
    requisite: {
      text: ['Add a requisite', 'Добавьте реквизит'],
      hint: [
        'A card, phone or account that customers pay to, with its owner.',
        'Карта, телефон или счёт для оплаты и его владелец.',
      ],
    },
    merchant: {
      text: ['Create a merchant', 'Создайте мерчанта'],
      hint: [
        'A merchant creates deposits through the API with its own keys.',
        'Мерчант создаёт депозиты через API со своими ключами.',
      ],
    },
    source: {
      text: ['Connect a bank', 'Подключите банк'],
      hint: [
        'Connect a bank source that pushes transfers, or upload a statement.',
        'Подключите источник данных или загрузите выписку.',
      ],
    },
    people: {
      text: ['Invite a colleague', 'Пригласите коллегу'],
      hint: [
        'Changes that could divert money need a second person.',
        'Изменения, через которые можно увести деньги, согласует второй сотрудник.',
      ],
    },
    deposit: {
      text: ['Wait for the first deposit', 'Дождитесь первого депозита'],
      hint: [
        'The merchant creates it with one signed request.',
        'Мерчант создаёт его одним подписанным запросом.',
      ],
    },
  },
} as const
