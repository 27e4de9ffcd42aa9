/** The words of saved views, the same in both consoles. */
const en = {
  views: 'Saved views',
  all: 'All',
  manage: 'Edit views',
  name: 'View name',
  nameHint: 'Only you can see it. A view with the same name is replaced.',
  save: 'Save view',
  remove: 'Delete',
  nothing: 'Filter the list first, then save the filter here.',
  wrongName: (most: number) => `Use 1 to ${most} characters for the name.`,
}

type ViewWords = typeof en

const ru: ViewWords = {
  views: 'Сохранённые фильтры',
  all: 'Все',
  manage: 'Изменить фильтры',
  name: 'Название фильтра',
  nameHint: 'Его видите только вы. Фильтр с тем же названием будет заменён.',
  save: 'Сохранить фильтр',
  remove: 'Удалить',
  nothing: 'Сначала отфильтруйте список, затем сохраните фильтр здесь.',
  wrongName: (most) => `Название фильтра: от 1 до ${most} символов.`,
}

export const viewWords = { en, ru } as const
