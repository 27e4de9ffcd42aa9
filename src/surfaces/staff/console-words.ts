/** What every console page says, in its two languages. */
const en = {
  skip: 'Skip to content',
  navigation: 'Sections',
  menu: 'Menu',
  workplaces: 'Workplaces',
  testMode: 'Test mode: no real money',
  account: 'Your account',
  zone: (zone: string) => `Time zone: ${zone}`,
  signOut: 'Sign out',
  help: 'Help',
  live: 'Updates by itself',
  keys: 'Keyboard shortcuts',
  /** The heading above the shortcuts of the page itself, which the script collects. */
  ownKeys: 'On this page',
  close: 'Close',
  palette: 'Go to',
  paletteHint: 'Section, order, amount, KT… or deposit ID',
  paletteSearch: 'Find deposit',
  shortcuts: [
    ['?', 'show shortcuts'],
    ['/', 'search'],
    ['Ctrl K', 'go to a section or a deposit'],
    ['J', 'next row'],
    ['K', 'previous row'],
    ['Enter', 'open the row'],
    ['X', 'select the row'],
  ] as [keys: string, text: string][],
}

export type FrameWords = typeof en

const ru: FrameWords = {
  skip: 'Перейти к содержанию',
  navigation: 'Разделы',
  menu: 'Меню',
  workplaces: 'Рабочие места',
  testMode: 'Тестовый режим: деньги не настоящие',
  account: 'Ваш профиль',
  zone: (zone) => `Часовой пояс: ${zone}`,
  signOut: 'Выйти',
  help: 'Справка',
  live: 'Обновляется само',
  keys: 'Горячие клавиши',
  ownKeys: 'На этой странице',
  close: 'Закрыть',
  palette: 'Перейти',
  paletteHint: 'Раздел, заказ, сумма, KT… или ID депозита',
  paletteSearch: 'Найти депозит',
  shortcuts: [
    ['?', 'показать горячие клавиши'],
    ['/', 'поиск'],
    ['Ctrl K', 'перейти в раздел или к депозиту'],
    ['J', 'следующая строка'],
    ['K', 'предыдущая строка'],
    ['Enter', 'открыть строку'],
    ['X', 'выбрать строку'],
  ],
}

export const frameWords = { en, ru } as const
