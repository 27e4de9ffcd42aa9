/** The page of an act that needs no row, and the page that shows a secret once. */
import { doneText } from '../../sections/perform-act.ts'
import { type Acted, type AnyAct, inLanguage, type Section, type Two } from '../../sections/section.ts'
import { html } from '../web/html.ts'
import { callout, panel } from '../web/pieces.ts'
import { actForm, type FormView } from './act-form.ts'
import type { OfficeContext } from './context.ts'

export const actPage = (office: OfficeContext, view: Omit<FormView, 'row'> & { section: Section }) =>
  office.place.page({
    title: inLanguage(view.act.name, office.language),
    path: view.section.path,
    body: html`<div class="panel">${actForm(office, { ...view, row: undefined })}</div>`,
  })

type Secret = { section: Section; act: AnyAct; to: string } & {
  secret: NonNullable<Acted['secret']>
  secretText: Two | undefined
}

/** It is shown in the answer to the form itself, and nowhere else. */
export const secretPage = (
  office: Omit<OfficeContext, 'isOpen'>,
  { section, act, secret, secretText, to }: Secret,
) => {
  const say = (words: Two) => inLanguage(words, office.language)
  return office.place.page({
    title: say(act.name),
    path: section.path,
    notice: say(doneText(act, 0)),
    body: html`${callout('warn', say(secretText ?? ['This is shown only once. Keep it in a safe place.', 'Показывается один раз. Сохраните в надёжном месте.']))}
${secret.map(({ head, text }) =>
  panel(
    say(head),
    html`<p class="copied-id"><code class="anywhere" translate="no">${text}</code> <button type="button" class="link" data-copy="${text}" data-copied="${say(['Copied', 'Скопировано'])}" hidden>${say(['Copy', 'Копировать'])}</button></p>`,
  ),
)}
<p><a class="button" href="${to}">${say(['Back', 'Назад'])}</a></p>`,
  })
}
