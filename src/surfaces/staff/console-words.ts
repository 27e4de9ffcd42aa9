/** What the frame and the tools of console pages say. */
import type { Two } from '../../sections/section.ts'

export const consoleWords = {
  skip: ['Skip to content', 'Перейти к содержанию'],
  navigation: ['Sections', 'Разделы'],
  menu: ['Menu', 'Меню'],
  workplaces: ['Workplaces', 'Рабочие места'],
  desk: ['Operator’s desk', 'Рабочее место оператора'],
  testMode: ['Test mode: no real money', 'Тестовый режим: деньги не настоящие'],
  zone: (zone: string): Two => [`Time zone: ${zone}`, `Часовой пояс: ${zone}`],
  signOut: ['Sign out', 'Выйти'],
  help: ['Help', 'Справка'],
  live: ['Updates by itself', 'Обновляется само'],
  keys: ['Keyboard shortcuts', 'Горячие клавиши'],
  close: ['Close', 'Закрыть'],
  shortcuts: {
    '?': ['show shortcuts', 'показать горячие клавиши'],
    '/': ['search', 'поиск'],
    n: ['next page, or next item of the queue', 'следующая страница или задача'],
  },
  older: ['Older', 'Более ранние'],
  newest: ['Newest', 'К новым'],
  search: ['Search', 'Найти'],
  filter: ['Filter', 'Фильтр'],
  filters: ['Filters', 'Фильтры'],
  apply: ['Apply filters', 'Применить'],
  clear: ['Clear all', 'Сбросить всё'],
  remove: (filter: string): Two => [`Remove filter ${filter}`, `Убрать фильтр ${filter}`],
  copy: ['Copy', 'Копировать'],
  copied: ['Copied', 'Скопировано'],
  chooseFile: ['Choose file', 'Выбрать файл'],
  noFile: ['No file chosen', 'Файл не выбран'],
} as const
