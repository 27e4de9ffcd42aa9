/** What every console page says, in its two languages. */
const en = {
  skip: 'Skip to the page',
  navigation: 'Sections',
  menu: 'Menu',
  workplaces: 'Workplaces',
  testMode: 'Test mode: no real money',
  account: 'Your account',
  zone: (zone: string) => `Times in ${zone}`,
  signOut: 'Sign out',
  help: 'Help',
  live: 'Live',
  keys: 'Keyboard shortcuts',
  /** The heading above the shortcuts of the page itself, which the script collects. */
  ownKeys: 'On this page',
  close: 'Close',
  palette: 'Go to',
  paletteHint: 'Type a part of a section’s name',
  shortcuts: [
    ['?', 'these shortcuts'],
    ['/', 'to the search box'],
    ['Ctrl K', 'go to a section'],
    ['J', 'next row'],
    ['K', 'previous row'],
    ['Enter', 'open the row'],
    ['X', 'select the row'],
  ] as [keys: string, text: string][],
}

export type FrameWords = typeof en

const ru: FrameWords = {
  skip: 'К содержанию страницы',
  navigation: 'Разделы',
  menu: 'Меню',
  workplaces: 'Рабочие места',
  testMode: 'Тестовый режим: деньги не настоящие',
  account: 'Ваш профиль',
  zone: (zone) => `Время: ${zone}`,
  signOut: 'Выйти',
  help: 'Справка',
  live: 'Обновляется',
  keys: 'Горячие клавиши',
  ownKeys: 'На этой странице',
  close: 'Закрыть',
  palette: 'Перейти',
  paletteHint: 'Часть названия раздела',
  shortcuts: [
    ['?', 'этот список'],
    ['/', 'в строку поиска'],
    ['Ctrl K', 'перейти в раздел'],
    ['J', 'следующая строка'],
    ['K', 'предыдущая строка'],
    ['Enter', 'открыть строку'],
    ['X', 'выбрать строку'],
  ],
}

export const frameWords = { en, ru } as const
