/** Words of the tools above a list, the same in both consoles. */
const en = {
  search: 'Search',
  filter: 'Filter',
  filters: 'Filters',
  apply: 'Apply filters',
  clear: 'Clear all',
  preview: 'Row preview',
  open: 'Open',
  close: 'Close preview',
  remove: (filter: string) => `Remove filter ${filter}`,
}

const ru: typeof en = {
  search: 'Найти',
  filter: 'Фильтр',
  filters: 'Фильтры',
  apply: 'Применить',
  clear: 'Сбросить всё',
  preview: 'Просмотр строки',
  open: 'Открыть',
  close: 'Закрыть просмотр',
  remove: (filter) => `Убрать фильтр ${filter}`,
}

export const listWords = { en, ru } as const
