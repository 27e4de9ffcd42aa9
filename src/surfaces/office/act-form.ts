/** The form of an act: its fields, the reason, and every fault beside its field with all that was typed. */
import {
  type AnyAct,
  type Choice,
  type Field,
  type Fields,
  inLanguage,
  type Two,
} from '../../sections/section.ts'
import type { Problems, Texts } from '../../sections/typed.ts'
import { shownAmount } from '../staff/amount.ts'
import { flag, html, type Markup } from '../web/html.ts'
import { area, button, callout, checkbox, field, form, select } from '../web/pieces.ts'
import type { OfficeContext } from './context.ts'

/** What was sent and refused. */
export type RefusedAct = { texts: Texts; problems: Problems; detail: string | null; code: string }

export type FormView = {
  name: string
  act: AnyAct
  row: unknown
  action: string
  choices: ReadonlyMap<string, readonly Choice[]>
  /** What the address fills in. */
  typed?: Texts
  refused: RefusedAct | null
  /** What it would do now. */
  foreseen?: Two | null
  /** The reason that the field begins with. */
  reason?: string
}

export function actForm(office: OfficeContext, view: FormView): Markup {
  const { act, action, refused } = view
  const say = (words: Two) => inLanguage(words, office.language)
  const warns = refused?.code === 'confirmation_required'
  const texts = refused?.texts ?? view.typed ?? {}
  const fields = Object.entries(act.fields as Fields<unknown>).filter(
    ([name, { asks }]) => !asks || asks(texts) || refused?.problems[name],
  )
  const ticks = fields.filter(([, one]) => one.is === 'tick' && one.isForWarnings)
  const folds = Map.groupBy(
    fields.filter(([, { isFolded }]) => isFolded),
    ([, { isFolded }]) => say(isFolded === true || !isFolded ? more : isFolded),
  )
  const draw = (some: typeof fields) =>
    html`<div class="grid">${some.map(([name, one]) => fieldMarkup(office, view, name, one))}</div>`
  const isOpen = (some: typeof fields) =>
    some.some(([name]) => refused?.problems[name] || (refused?.texts[name] ?? '') !== '')
  return html`${act.effect && html`<p class="quiet">${say(act.effect)}</p>`}
${view.foreseen && callout('info', say(view.foreseen))}
${act.first && html`<p><a href="${office.place.pathOf(act.first.to)}">${say(act.first.text)}</a></p>`}
${refused && html`<div role="alert">${callout(warns ? 'warn' : 'bad', html`${refused.detail ?? say(warns ? checkWarnings : someInvalid)}${elsewhere(office, refused, act)}`)}</div>`}
${form(office.visitor, {
  action,
  body: html`${draw(fields.filter((field) => !field[1].isFolded && !ticks.includes(field)))}
${[...folds].map(([name, some]) => html`<details ${flag('open', isOpen(some))}><summary>${name}</summary>${draw(some)}</details>`)}
${warns && draw(ticks)}
${
  !act.isPlain &&
  field({
    ...{ name: 'reason', id: idIn(view, 'reason'), label: say(reason), hint: say(reasonHint) },
    ...{ value: refused?.texts.reason ?? view.reason ?? '', error: errorOf(office, view, 'reason') },
    ...{ isRequired: true, maxLength: 500, offers: act.reasons?.map(say) },
  })
}
${button(say(act.name), act.kind ?? 'plain')}`,
})}`
}

/** What is refused of things that have no field here. */
function elsewhere({ language }: OfficeContext, { problems }: RefusedAct, act: AnyAct): Markup | null {
  const others = Object.entries(problems).filter(([name]) => name !== 'reason' && !(name in act.fields))
  if (others.length === 0) return null
  return html`<ul>${others.map(([name, text]) => html`<li>${name}: ${inLanguage(text, language)}</li>`)}</ul>`
}

const someInvalid: Two = ['Some values are not valid.', 'Некоторые значения недопустимы.']
const checkWarnings: Two = [
  'Check the warnings beside the fields, then tick the box.',
  'Проверьте предупреждения у полей и поставьте отметку.',
]
const more: Two = ['More', 'Дополнительно']
const reason: Two = ['Reason', 'Причина']
const reasonHint: Two = [
  'Saved in the audit log with your name.',
  'Сохранится в журнале вместе с вашим именем.',
]

/** A page may have several forms: an act's is known by the end of its path. */
const idIn = ({ action }: FormView, name: string): string =>
  `${/[^/]+$/.exec(action.split('?')[0]!)![0]}-${name}`

const errorOf = ({ language }: OfficeContext, { refused }: FormView, name: string): string | undefined => {
  const problem = refused?.problems[name]
  return problem && inLanguage(problem, language)
}

function fieldMarkup(office: OfficeContext, view: FormView, name: string, one: Field<unknown>): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const { refused, row, choices } = view
  const value = refused ? (refused.texts[name] ?? '') : (view.typed?.[name] ?? one.value?.(row) ?? '')
  const isRequired = !one.isOptional
  const said = {
    ...{ name, id: idIn(view, name), label: say(one.head), value },
    ...{ error: errorOf(office, view, name), isRequired },
    ...(one.hint && { hint: say(one.hint) }),
  }
  switch (one.is) {
    case 'seen':
      return html`<input type="hidden" name="${name}" value="${one.value(row)}">`
    case 'tick':
      return checkbox({ name, label: say(one.head), isOn: value === 'on' })
    case 'choice': {
      const of = (choices.get(name) ?? []).map((choice) => ({ value: choice.value, text: say(choice.words) }))
      return select({
        ...said,
        choices: of,
        ...((value === '' || one.isOptional) && { none: say(one.isOptional ? none : choose) }),
      })
    }
    case 'lines':
      return area({ ...said, maxLength: one.most })
    case 'day':
      return field({ ...said, type: 'date' })
    case 'email':
      return field({ ...said, type: 'email', maxLength: 254 })
    case 'cents':
      // What was refused stays as it was typed.
      return field({
        ...{ ...said, value: refused ? value : shownAmount(value, office.language) },
        ...{ inputmode: 'decimal', maxLength: 25 },
      })
    case 'count':
      return field({ ...said, inputmode: 'numeric', maxLength: 15 })
    case 'id':
      return field({ ...said, maxLength: 36 })
    default:
      return field({ ...said, maxLength: one.most })
  }
}

const choose: Two = ['Choose…', 'Выберите…']
const none: Two = ['Not set', 'Не задано']
