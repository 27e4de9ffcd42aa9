/** What a proposal or an audit entry is about: its kind and name, as a link to its page. */

import { kindWords } from '../../../domain/requisites/kind-words.ts'
import { maskedNumber } from '../../../domain/requisites/requisite.ts'
import { isUuid } from '../../../platform/request-fields.ts'
import { shortId, shortText } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'
import { deskPath } from '../paths.ts'
import type { SubjectNames } from './rows.ts'

type Reader = Pick<DeskContext, 'language'>

/** The name has its subject, such as `merchant:…`, as title. A subject without a page is plain text. */
export function subjectLink({ language }: Reader, names: SubjectNames, subject: string): Markup {
  const [kind = '', id = ''] = [subject.split(':', 1)[0], subject.slice(subject.indexOf(':') + 1)]
  const name = subjectName({ language }, names, subject)
  // The name of a requisite begins with its own kind.
  const isKindNamed = name !== undefined && kind === 'requisite'
  const kindName = isKindNamed ? '' : `${caseWords[language].subjects[kind] ?? kind.replaceAll('_', ' ')} `
  const text = subject.includes(':')
    ? html`${kindName}${name === undefined ? idText(id) : html`<bdi title="${subject}">${name}</bdi>`}`
    : html`${kindName.trim()}`
  if (kind === 'installation') return html`<a href="${deskPath('/settings')}">${text}</a>`
  if (!isUuid(id)) return text
  if (kind === 'deposit') return html`<a href="${deskPath('/deposits/:id', id)}">${text}</a>`
  if (kind === 'transfer') return html`<a href="${deskPath('/transfers/:id', id)}">${text}</a>`
  if (kind === 'account') return html`<a href="${deskPath('/accounts/:id', id)}">${text}</a>`
  if (kind === 'requisite' && name) return html`<a href="${deskPath('/requisites/:id', id)}">${text}</a>`
  if (kind === 'merchant') return html`<a href="${deskPath('/merchants/:id', id)}">${text}</a>`
  if (kind === 'source' && name) return html`<a href="${deskPath('/sources/:id', id)}">${text}</a>`
  if (kind === 'person') return html`<a href="${deskPath('/people')}">${text}</a>`
  if (kind === 'statement') return html`<a href="${deskPath('/statements/:id', id)}">${text}</a>`
  return text
}

/** `Card •••• 0186, Bank X`, or the name alone. */
export function subjectName({ language }: Reader, names: SubjectNames, subject: string): string | undefined {
  const found = names.get(subject)
  if (!found?.requisite) return found?.name
  const { kind, number } = found.requisite
  return `${kindWords[kind][language === 'ru' ? 1 : 0]} ${maskedNumber(number)}, ${found.name}`
}

/** A code, such as that of a payment type, is short enough to be shown. */
const idText = (id: string): Markup => (isUuid(id) ? shortId(id) : shortText(id))
