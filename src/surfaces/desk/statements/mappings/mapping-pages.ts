/** Pages of stored mappings: the list, and the form that corrects or removes one. */

import type { CsvMapping } from '../../../../domain/statements/formats/csv-mapping.ts'
import { normalizeAccountNumber } from '../../../../domain/transfers/bank-text/account-number.ts'
import { html, type Markup } from '../../../web/html.ts'
import { act, button, empty, factsTable, form, panel } from '../../../web/pieces.ts'
import { type DeskContext, deskPage, may, timeAgo, workers } from '../../frame.ts'
import { deskPath } from '../../paths.ts'
import { accountText, type MappingForm, mappingFields } from './mapping-pieces.ts'
import type { NumberedAccount } from './mapping-values.ts'
import { mappingWords } from './words.ts'

type MappingRow = { name: string; mapping: CsvMapping; changedAt: Date }

const toStatements = (desk: DeskContext): Markup =>
  html`<a class="button" href="${deskPath('/statements')}">${mappingWords[desk.language].toUpload}</a>`

export function mappingsPage(
  desk: DeskContext,
  { rows, accounts }: { rows: readonly MappingRow[]; accounts: readonly NumberedAccount[] },
) {
  const words = mappingWords[desk.language]
  return deskPage(desk, {
    title: words.title,
    section: 'statements',
    actions: toStatements(desk),
    body:
      rows.length === 0
        ? empty(words.noneKept, words.noneText)
        : factsTable(
            words.title,
            [
              words.name,
              words.account,
              { head: words.columnCount, is: 'number named' },
              { head: words.changed, is: 'named' },
            ],
            rows.map(({ name, mapping, changedAt }) => [
              html`<a href="${deskPath('/statements/mappings/:name', name)}">${name}</a>`,
              accountOf(desk, mapping, accounts),
              mapping.header.length,
              timeAgo(desk, changedAt),
            ]),
          ),
  })
}

/** If no account has the number any more, only its last digits are shown. */
function accountOf(desk: DeskContext, mapping: CsvMapping, accounts: readonly NumberedAccount[]): Markup {
  const number = normalizeAccountNumber(mapping.account)
  const account = accounts.find((account) => account.number === number)
  return html`<bdi>${account ? accountText(desk, account) : `…${number.slice(-4)}`}</bdi>`
}

/** People who may not change it see the same form, disabled. */
export function mappingPage(desk: DeskContext, { name, form: of }: { name: string; form: MappingForm }) {
  const words = mappingWords[desk.language]
  const fields = mappingFields(desk, of)
  return deskPage(desk, {
    title: name,
    section: 'statements',
    actions: html`<a class="button" href="${deskPath('/statements/mappings')}">${words.title}</a>`,
    body: may(desk, workers)
      ? html`<p>${words.pageText}</p>
${panel(words.editor, form(desk.visitor, { action: deskPath('/statements/mappings/:name/save', name), body: html`${fields}${button(words.save, 'primary')}` }))}
${act(desk.visitor, { action: deskPath('/statements/mappings/:name/remove', name), text: words.remove, kind: 'danger' })}`
      : panel(words.editor, html`<fieldset class="stack" disabled>${fields}</fieldset>`),
  })
}
