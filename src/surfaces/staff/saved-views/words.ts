/** The words of saved views, the same in both consoles. */
const en = {
  views: 'Saved views',
  manage: 'Save or delete views',
  name: 'Name of the view',
  nameHint:
    'Keeps the filter of this list under a name. Only you see it. A name that you have already is replaced.',
  save: 'Save this view',
  remove: 'Delete',
  nothing: 'Filter the list first: then the filter can be saved here under a name.',
  wrongName: (most: number) => `The name of a view has 1 to ${most} characters.`,
}

type ViewWords = typeof en

const ru: ViewWords = {
  views: 'Сохранённые фильтры',
  manage: 'Сохранить или удалить фильтр',
  name: 'Название фильтра',
  nameHint:
    'Сохраняет фильтр этого списка под названием. Видите его только вы. Фильтр с тем же названием заменяется.',
  save: 'Сохранить этот фильтр',
  remove: 'Удалить',
  nothing: 'Сначала отфильтруйте список: тогда фильтр можно сохранить здесь под названием.',
  wrongName: (most) => `В названии фильтра от 1 до ${most} знаков.`,
}

export const viewWords = { en, ru } as const
