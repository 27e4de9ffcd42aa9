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
  close: 'Close',
  shortcuts: [
    ['?', 'show shortcuts'],
    ['/', 'search'],
    ['n', 'next page, or next item of the queue'],
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
  close: 'Закрыть',
  shortcuts: [
    ['?', 'показать горячие клавиши'],
    ['/', 'поиск'],
    ['n', 'следующая страница или задача'],
  ],
}

export const frameWords = { en, ru } as const
