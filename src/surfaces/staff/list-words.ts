/** Words of the tools of lists and ids, the same in both consoles. */
const en = {
  all: 'All',
  usualFilters: 'Usual filters',
  search: 'Search',
  filter: 'Filter',
  filters: 'Filters',
  apply: 'Apply filters',
  clear: 'Clear all',
  preview: 'Row preview',
  open: 'Open',
  close: 'Close preview',
  copy: 'Copy',
  copied: 'Copied',
  chooseFile: 'Choose file',
  noFile: 'No file chosen',
  remove: (filter: string) => `Remove filter ${filter}`,
}

const ru: typeof en = {
  all: 'Все',
  usualFilters: 'Частые фильтры',
  search: 'Найти',
  filter: 'Фильтр',
  filters: 'Фильтры',
  apply: 'Применить',
  clear: 'Сбросить всё',
  preview: 'Просмотр строки',
  open: 'Открыть',
  close: 'Закрыть просмотр',
  copy: 'Копировать',
  copied: 'Скопировано',
  chooseFile: 'Выбрать файл',
  noFile: 'Файл не выбран',
  remove: (filter) => `Убрать фильтр ${filter}`,
}

export const listWords = { en, ru } as const
