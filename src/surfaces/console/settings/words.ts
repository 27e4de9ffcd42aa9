/** The words of the branding. */
import type { Two } from '../../../sections/section.ts'

export const brandingWords = {
  title: ['Branding', 'Оформление'],
  text: [
    'Your logo and colour on the payment page show customers that they are paying you.',
    'Логотип и цвет на платёжной странице показывают покупателю, что он платит именно вам.',
  ],
  form: ['Colour and logo', 'Цвет и логотип'],
  logo: ['Logo', 'Логотип'],
  logoHint: (kilobytes: number, side: number): Two => [
    `PNG, at most ${kilobytes} KB and ${side} × ${side} pixels. We redraw it to fit the page.`,
    `PNG, не больше ${kilobytes} КБ и ${side} × ${side} пикселей. Мы перерисуем его под размер страницы.`,
  ],
  remove: ['Remove logo', 'Удалить логотип'],
  colour: ['Colour', 'Цвет'],
  colourHint: [
    'For example #d6336c. Empty means our default.',
    'Например, #d6336c. Пусто — цвет по умолчанию.',
  ],
  picker: ['Choose colour', 'Выбрать цвет'],
  preview: ['Preview', 'Предпросмотр'],
  previewText: [
    'Updates as you choose; customers see it after you save. Text on the colour is white or black. A colour that would be hard to see is outlined or lightened.',
    'Меняется вместе с вашим выбором; покупатели увидят его после сохранения. Текст на цвете — белый или чёрный. Слишком бледный цвет мы обведём, слишком тёмный осветлим.',
  ],
  themes: { light: ['Light theme', 'Светлая тема'], dark: ['Dark theme', 'Тёмная тема'] },
  order: ['Order 1024', 'Заказ 1024'],
  inLive: [
    'This merchant is live: customers see the change immediately. It is saved in the audit log, and the operator is notified.',
    'Мерчант боевой: покупатели увидят новое оформление сразу. Изменение попадёт в журнал, оператор получит уведомление.',
  ],
  save: ['Save', 'Сохранить'],
  back: ['Back', 'Назад'],
  notices: {
    saved: [
      'Branding saved. The payment page has the new look.',
      'Оформление сохранено. Платёжная страница выглядит по-новому.',
    ],
    removed: ['Logo removed from the payment page.', 'Логотип удалён с платёжной страницы.'],
  },
} as const
