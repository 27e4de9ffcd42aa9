/** The words of the front page, and of what a browser asks for wrongly. */
const en = {
  lead: 'Deposits for merchants: requisites, a payment page, callbacks.',
  ways: {
    shop: ['Demo shop', 'Buy something, play the bank on the payment page, see the callback arrive.'],
    console: ['Console', 'What a merchant works with: deposits, callbacks, keys, settings.'],
    desk: ['Operator’s desk', 'What waits for a decision, bank statements, receiving accounts, people.'],
    signIn: ['Sign in', 'For people of a merchant and of this installation.'],
    docs: ['Reference', 'The API and its errors, guides for merchants and operators.'],
  },
  demoLinks: 'The terminal where Inlet was started shows one-time links into console and desk.',
  refused: {
    notFound: ['There is nothing at this address', 'Look for a slip in it, or go on from here.'],
    forPrograms: [
      'This address is for programs',
      'A program calls it with a request of its own, mostly signed. The reference says how.',
    ],
    forForms: ['This address takes forms only', 'Go back to the page with the form, and send it again.'],
    busy: ['Too many requests', 'Wait a moment, then reload the page.'],
    fault: [
      'Something went wrong on our side',
      'Reload the page. If it goes on, tell whoever runs this installation the number below.',
    ],
    other: ['This request cannot be answered', 'The address, or what came with it, is not right.'],
  },
  onward: 'Where to?',
  request: 'Request',
}

type EntranceWords = typeof en
export type Way = keyof EntranceWords['ways']
export type RefusedKind = keyof EntranceWords['refused']

const ru: EntranceWords = {
  lead: 'Пополнения для мерчантов: реквизиты, страница оплаты, колбэки.',
  ways: {
    shop: [
      'Демо-магазин',
      'Купите что-нибудь, сыграйте за банк на странице оплаты, увидите, как придёт колбэк.',
    ],
    console: ['Кабинет', 'С чем работает мерчант: депозиты, колбэки, ключи, настройки.'],
    desk: ['Рабочее место оператора', 'Что ждёт решения, выписки банков, счета для приёма, люди.'],
    signIn: ['Вход', 'Для людей мерчанта и этой установки.'],
    docs: ['Справочник', 'API и его ошибки, руководства для мерчантов и операторов (на английском).'],
  },
  demoLinks:
    'В терминале, где запущен Inlet, показаны одноразовые ссылки в кабинет и на рабочее место оператора.',
  refused: {
    notFound: ['По этому адресу ничего нет', 'Проверьте, нет ли в нём опечатки, или идите дальше отсюда.'],
    forPrograms: [
      'Этот адрес для программ',
      'Программа обращается к нему своим запросом, чаще всего подписанным. Как — сказано в справочнике.',
    ],
    forForms: ['Этот адрес принимает только формы', 'Вернитесь на страницу с формой и отправьте её снова.'],
    busy: ['Слишком много запросов', 'Подождите немного и обновите страницу.'],
    fault: [
      'Что-то пошло не так на нашей стороне',
      'Обновите страницу. Если не поможет, сообщите номер ниже тому, кто ведёт эту установку.',
    ],
    other: ['На этот запрос ответить нельзя', 'Адрес или то, что пришло вместе с ним, неверны.'],
  },
  onward: 'Куда дальше?',
  request: 'Запрос',
}

export const entranceWords = { en, ru } as const
