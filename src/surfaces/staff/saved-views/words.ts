/** The words of saved views, the same in both consoles. */
const en = {
  views: 'Views of this list',
  all: 'All',
  manage: 'Edit views',
  name: 'Name of the view',
  nameHint: 'Only you see it. A view with the same name is replaced.',
  save: 'Save view',
  remove: 'Delete',
  nothing: 'Filter the list first: then the filter can be saved here under a name.',
  wrongName: (most: number) => `The name of a view has 1 to ${most} characters.`,
}

type ViewWords = typeof en

const ru: ViewWords = {
  views: 'Виды списка',
  all: 'Все',
  manage: 'Изменить фильтры',
  name: 'Название фильтра',
  nameHint: 'Видите его только вы. Фильтр с тем же названием заменяется.',
  save: 'Сохранить фильтр',
  remove: 'Удалить',
  nothing: 'Сначала отфильтруйте список: тогда фильтр можно сохранить здесь под названием.',
  wrongName: (most) => `В названии фильтра от 1 до ${most} знаков.`,
}

export const viewWords = { en, ru } as const
