/** Words that both consoles use; each adds them to its own. */
const en = {
  desk: 'Operator’s desk',
  save: 'Save',
  back: 'Back',
  all: 'All',
  none: 'None',
  never: 'Never',
  older: 'Older',
  firstRows: 'Back to the start',
  nextRows: 'Next',
  newest: 'Newest',
  refusedTitle: 'This could not be done',
  saved: 'Saved.',

  timeline: {
    title: 'History',
    by: 'by',
    evidence: 'Evidence',
    endpoint: 'Endpoint',
    request: 'Request ID',
    key: 'Signing key',
    scheme: 'Signature',
    schemes: { literal: 'literal (v1)', v2: 'v2' },
  },
}

const ru: typeof en = {
  desk: 'Рабочее место оператора',
  save: 'Сохранить',
  back: 'Назад',
  all: 'Все',
  none: 'Нет',
  never: 'Ни разу',
  older: 'Более ранние',
  firstRows: 'К началу списка',
  nextRows: 'Дальше',
  newest: 'К новым',
  refusedTitle: 'Не получилось',
  saved: 'Сохранено.',

  timeline: {
    title: 'История',
    by: '',
    evidence: 'Основание',
    endpoint: 'Адрес запроса',
    request: 'ID запроса',
    key: 'Ключ подписи',
    scheme: 'Подпись',
    schemes: { literal: 'простая (v1)', v2: 'v2' },
  },
}

export const sharedWords = { en, ru } as const
