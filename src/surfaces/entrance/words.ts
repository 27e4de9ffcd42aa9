/** The words of the front page, and of what a browser asks for wrongly. */
const en = {
  lead: 'Accept bank transfers: payment details, a payment page, signed callbacks.',
  ways: {
    shop: [
      'Demo shop',
      'Place an order, simulate the bank on the payment page and watch the callback arrive.',
    ],
    console: ['Merchant console', 'Deposits, callbacks, keys and settings of a merchant.'],
    desk: ['Operator’s desk', 'Work queue, bank statements, receiving accounts and people.'],
    signIn: ['Sign in', 'For merchants and operators.'],
    docs: ['Documentation', 'API reference, error codes and guides for merchants and operators.'],
  },
  demoLinks: 'One-time links to the console and the desk are in the terminal where Inlet was started.',
  refused: {
    notFound: ['Page not found', 'Check the address for typos, or choose a section below.'],
    forPrograms: [
      'This address is part of the API',
      'It is called by programs, usually with a signed request. See the API reference.',
    ],
    forForms: ['This page cannot be opened directly', 'Go back to the form and send it again.'],
    busy: ['Too many requests', 'Wait a moment, then reload the page.'],
    fault: [
      'Something went wrong on our side',
      'Reload the page. If the error persists, send the number below to the operator.',
    ],
    other: ['Bad request', 'Check the address and try again.'],
  },
  onward: 'Where to go next',
  request: 'Request',
}

type EntranceWords = typeof en
export type Way = keyof EntranceWords['ways']
export type RefusedKind = keyof EntranceWords['refused']

const ru: EntranceWords = {
  lead: 'Приём оплаты переводами: реквизиты, платёжная страница, колбэки.',
  ways: {
    shop: [
      'Демо-магазин',
      'Оформите заказ, оплатите его через тестовый банк на платёжной странице и посмотрите, как придёт колбэк.',
    ],
    console: ['Кабинет мерчанта', 'Депозиты, колбэки, ключи и настройки мерчанта.'],
    desk: ['Рабочее место оператора', 'Очередь задач, выписки, счета для приёма и сотрудники.'],
    signIn: ['Вход', 'Для мерчантов и операторов.'],
    docs: ['Документация', 'Справочник API, коды ошибок и руководства (на английском).'],
  },
  demoLinks: 'Одноразовые ссылки для входа — в терминале, где запущен Inlet.',
  refused: {
    notFound: ['Страница не найдена', 'Проверьте, нет ли опечатки в адресе, или выберите раздел ниже.'],
    forPrograms: [
      'Это адрес API',
      'К нему обращаются программы, обычно с подписанным запросом. См. справочник API.',
    ],
    forForms: ['Эту страницу нельзя открыть напрямую', 'Вернитесь к форме и отправьте её снова.'],
    busy: ['Слишком много запросов', 'Подождите немного и обновите страницу.'],
    fault: [
      'Ошибка на нашей стороне',
      'Обновите страницу. Если ошибка повторится, сообщите оператору номер ниже.',
    ],
    other: ['Неверный запрос', 'Проверьте адрес и попробуйте снова.'],
  },
  onward: 'Куда дальше?',
  request: 'Запрос',
}

export const entranceWords = { en, ru } as const
