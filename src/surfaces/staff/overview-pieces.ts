/** What the overviews of both consoles are made of: figures that lead to their lists, and what needs somebody. */
import { numberFormat } from '../../platform/intl.ts'
import { html, type Markup, type Value } from '../web/html.ts'
import { icons } from '../web/icons.ts'

type Reader = { language: string }

/** `1,204`; with a plus sign where counting stopped at the maximum. */
export const countOf = ({ language }: Reader, count: number, most = Number.POSITIVE_INFINITY): string =>
  `${numberFormat(language, {}).format(Math.min(count, most))}${count > most ? '+' : ''}`

/** `63 %`; a dash where there is nothing to compare with. */
export const shareOf = ({ language }: Reader, part: number, whole: number): string =>
  whole === 0 ? '–' : numberFormat(language, { style: 'percent' }).format(part / whole)

/** The day above an overview, with a capital letter: some languages write the names of days in lower case. */
export const beginningLine = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A number with its label, as a link to the list that it counts. */
export const figure = (href: string, text: string, note?: Value): Markup =>
  html`<a href="${href}">${text}</a>${note && html`<small>${note}</small>`}`

export type AttentionItem = { tone: 'warn' | 'bad' | 'info'; href: string; text: string; more?: Value }

/** What needs somebody, most urgent first, or that nothing does. */
export const attention = (items: readonly AttentionItem[], nothing: string): Markup =>
  items.length === 0
    ? html`<p class="all-well">${icons.check}${nothing}</p>`
    : html`<ul class="attention">${items.map(
        ({ tone, href, text, more }) =>
          html`<li class="${tone}">${icons.warning}<span><a href="${href}">${text}</a>${more && html`<br><span class="quiet">${more}</span>`}</span></li>`,
      )}</ul>`

export type FirstStep = { isDone: boolean; text: string; hint: string; href: string | null }

/** The first steps of a new installation or merchant, with the finished ones ticked. */
export const firstSteps = (steps: readonly FirstStep[], done: string): Markup =>
  html`<ol class="first-steps">${steps.map(
    ({ isDone, text, hint, href }) =>
      html`<li class="${isDone ? 'done' : ''}"><p>${href === null ? html`<b>${text}</b>` : html`<a href="${href}">${text}</a>`}${
        isDone && html` <span class="badge ok">${done}</span>`
      }</p><p class="quiet">${hint}</p></li>`,
  )}</ol>`

/** A heading with a link to everything behind it. */
export const linkedPanel = (
  title: string,
  link: { href: string; text: string } | null,
  body: Value,
): Markup =>
  html`<section class="panel"><div class="panel-head"><h2>${title}</h2>${link && html`<a href="${link.href}">${link.text}</a>`}</div>${body}</section>`
