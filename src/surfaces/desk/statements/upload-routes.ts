/** HTTP routes of uploads: a file is uploaded, previewed and imported. */

import { mayImport } from '../../../domain/approvals/guard.ts'
import { importRight, refuseImport, type UploadedFile } from '../../../domain/approvals/import-right.ts'
import { appendAudit, listAudit } from '../../../domain/audit/store.ts'
import { type Mode, modes } from '../../../domain/merchants/merchant.ts'
import { findPerson } from '../../../domain/people/store.ts'
import { csvRow } from '../../../domain/reports/csv.ts'
import { maskedNumber } from '../../../domain/requisites/requisite.ts'
import { statementBounds } from '../../../domain/statements/formats/bounds.ts'
import {
  type CsvMapping,
  isMappingName,
  type NumberedAccount,
} from '../../../domain/statements/formats/csv-mapping.ts'
import { type ImportReport, ImportStopped } from '../../../domain/statements/import-report.ts'
import { type KeptMapping, keepMapping } from '../../../domain/statements/keep-mapping.ts'
import { findMapping, listMappings, listNumberedAccounts } from '../../../domain/statements/store.ts'
import type { Db } from '../../../platform/db.ts'
import { isRefusal, Refusal } from '../../../platform/refusals.ts'
import { maskedMapping } from '../../../sections/mappings.ts'
import { dangerous, read, work } from '../../../sections/roles.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import type { OfficeContext } from '../../office/context.ts'
import { handRoutes } from '../../office/hand-routes.ts'
import { type OfficeTools, officeOf } from '../../office/routes.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { show } from '../../staff/routes.ts'
import { sendCsv } from '../../staff/send-csv.ts'
import { translate } from '../../staff/sentences/translate.ts'
import { auditLine, idOf } from '../../staff/visit.ts'
import type { DeskTools } from '../desk.ts'
import { deskPath } from '../paths.ts'
import {
  type Editor,
  editorFor,
  mappingIn,
  readingIn,
  readingText,
  splitAgain,
  valuesIn,
  wrongFields,
} from './mappings/mapping-values.ts'
import type { Upload } from './rows.ts'
import {
  type UploadEditor,
  type UploadView,
  uploadGonePage,
  uploadPage,
  uploadsPage,
} from './upload-pages.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { uploadWords } from './words.ts'

const uploadAt = (id: string): string => deskPath('/statements/uploads/:id', id)

export function uploadRoutes({ context, log }: DeskTools, tools: OfficeTools): Pick<Uploads, 'close'> {
  const { get, post, upload } = handRoutes(tools)
  const { db } = context
  const uploads = createUploads(context, log)

  get(deskPath.route('/statements/upload'), read, async (office) => {
    const [mappings, listed] = await Promise.all([listMappings(db), uploads.list()])
    return uploadsPage(office, { mappings: mappings.map(({ name }) => name), uploads: listed })
  })

  upload(deskPath.route('/statements/upload'), work, uploads.files, async (visit) => {
    const { file } = visit
    try {
      const mode = modeOf(visit)
      const name = visit.field('mapping')
      const mapping = isMappingName(name) ? await findMapping(db, name) : undefined
      if (name !== '' && !mapping) throw new Refusal('invalid_value')
      const keeper = mapping ? await mappingKeptBy(db, name) : null
      const broughtBy = [...new Set([visit.visitor.person.id, ...(keeper ? [keeper] : [])])]
      const isComplete = visit.field('complete') === 'on'
      const how = { by: actorOf(visit), mode, mapping, mappingName: name, isComplete }
      const { id } = await uploads.add({ file, broughtBy, ...how }, (tx, { id }) => {
        const after = {
          file: file.name,
          mode,
          ...(name && { mapping: name }),
          ...(isComplete && { complete: true }),
        }
        return appendAudit(tx, auditLine(visit, { act: 'statement_upload', subject: `upload:${id}`, after }))
      })
      return uploadAt(id)
    } catch (error) {
      await uploads.files.drop(file)
      throw error
    }
  })

  tools.routes.get(deskPath.route('/statements/uploads/:id'), read, async (visit) => {
    const [upload, office] = await Promise.all([uploads.find(idOf(visit)), officeOf(tools, visit)])
    if (!upload) return show(visit, uploadGonePage(office), 404)
    const head = office.isOpen(work) ? await uploads.head(upload.id) : undefined
    const accounts = await listNumberedAccounts(db, upload.mode)
    const editor = head && editorFor(head, upload.mapping, accounts)
    if (!editor || editor.sample.header.length > statementBounds.columns)
      return show(visit, await pageOf(visit, office, { upload, accounts, editor: null }))
    const named = {
      name: upload.mappingName,
      // The box that stores the mapping is ticked only while there is none, so that none is replaced by accident.
      isKept: upload.mapping === undefined,
    }
    return show(
      visit,
      await pageOf(visit, office, { upload, accounts, editor: shown(editor, accounts, named) }),
    )
  })

  const pageOf = async (visit: KnownVisit, office: OfficeContext, view: Omit<UploadView, 'right'>) =>
    uploadPage(office, {
      ...view,
      right: await importRight(db, brought(view.upload), visit.visitor.person),
    })

  post(deskPath.route('/statements/uploads/:id/again'), work, async (visit) => {
    const id = idOf(visit)
    const upload = await uploads.find(id)
    if (!upload) throw new Refusal('not_found')
    const accountId = visit.field('only')
    const accounts = await listNumberedAccounts(db, upload.mode)
    const only = accounts.find((account) => account.id === accountId)?.number
    if (accountId !== '' && only === undefined) throw new Refusal('invalid_value')
    const isComplete = visit.field('complete') === 'on'
    await uploads.readAgain(id, visit.visitor.person.id, { isComplete, only })
    return uploadAt(id)
  })

  post(deskPath.route('/statements/uploads/:id/read'), work, async (visit) => {
    const id = idOf(visit)
    const upload = await uploads.find(id)
    const head = await uploads.head(id)
    if (!upload || !head) throw new Refusal(upload ? 'state_conflict' : 'not_found')
    const accounts = await listNumberedAccounts(db, upload.mode)
    const values = valuesIn(visit.field)
    const named = { name: visit.field('name'), isKept: visit.field('keep') === 'on' }
    const again = async (editor: Editor, more: Partial<UploadEditor>) =>
      show(
        visit,
        await pageOf(visit, await officeOf(tools, visit), {
          ...{ upload, accounts },
          editor: { ...shown(editor, accounts, named), ...more },
        }),
        422,
      )

    const reading = readingIn(values)
    if (reading && readingText(values) !== visit.field('seen'))
      return again(splitAgain(head, reading, values), { isSplitAgain: true })
    const { sample } = reading ? splitAgain(head, reading, values) : editorFor(head, upload.mapping, accounts)
    const mapping = mappingIn(values, sample.header, accounts)
    const wrong = [...wrongFields(mapping), ...(named.isKept && !isMappingName(named.name) ? ['name'] : [])]
    if (wrong.length > 0) return again({ values, sample }, { wrong })
    if (named.isKept && !(await keep(visit, upload, named.name, mapping as CsvMapping)))
      return again({ values, sample }, { wrong: ['taken'] })
    await uploads.readAgain(id, visit.visitor.person.id, {
      mapping: mapping as CsvMapping,
      mappingName: named.isKept ? named.name : upload.mappingName,
    })
    return uploadAt(id)
  })

  /** Returns false if another mapping has the name. The mapping that this upload was read by may be replaced. */
  async function keep(
    visit: KnownVisit,
    upload: Upload,
    name: string,
    mapping: CsvMapping,
  ): Promise<boolean> {
    const isNew = name !== upload.mappingName
    try {
      await keepMapping(db, { name, mapping, isNew }, { audit: mappingLine(visit, name) })
      return true
    } catch (error) {
      if (isRefusal(error, 'already_exists')) return false
      throw error
    }
  }

  tools.routes.get(deskPath.route('/statements/uploads/:id/bad.csv'), read, async (visit) => {
    const id = idOf(visit)
    const report = (await uploads.find(id))?.report
    if (!report) throw new Refusal('not_found')
    const say = (words: Two) => inLanguage(words, visit.language)
    async function* rows() {
      yield csvRow([say(uploadWords.line), say(uploadWords.badRows), say(uploadWords.place)], ';')
      for (const { line, at, detail } of report!.bad)
        yield csvRow([line, translate(detail, visit.language), at ?? ''], ';')
    }
    // The page shows these rows too, so the download gets no audit entry.
    return sendCsv(visit.reply, 'bad-rows', rows())
  })

  post(deskPath.route('/statements/uploads/:id/take'), dangerous, async (visit) => {
    const id = idOf(visit)
    const upload = await uploads.find(id)
    if (!upload) throw new Refusal('not_found')
    const { person } = visit.visitor
    refuseImport(await importRight(db, brought(upload), person))
    const anyway = visit.field('anyway') === 'on'
    const { name: file, mode } = upload
    const others = upload.broughtBy.filter((id) => id !== person.id)
    await uploads.take(upload, {
      by: actorOf(visit),
      reading: Number(visit.field('reading')),
      anyway,
      begin,
      done: (report) =>
        note('statement_taken', `statement:${report.statement}`, {
          statement: report.statement,
          ...countsOf(report),
        }),
    })
    return uploadAt(id)

    /**
     * Other files may have been imported since the check. If this file exceeds the limit together with them, it waits
     * for a second person. It waits for another one too if this person may not work at the desk any more.
     */
    async function begin(): Promise<void> {
      const taker = await findPerson(db, person.id)
      const isAtWork = taker && !taker.disabledAt && work.roles.some((role) => role === taker.operatorRole)
      const now = isAtWork ? await importRight(db, brought(upload!), taker) : null
      if (!now || !mayImport(now)) throw new ImportStopped()
      await note('statement_take', `upload:${id}`, {
        file,
        mode,
        anyway,
        ...(upload!.isComplete && { complete: true }),
        ...(upload!.only && { only: maskedNumber(upload!.only) }),
        brought_by: others,
        right: now.is,
      })
    }

    /** An import is many transactions, so its beginning and its end are written to the audit record. */
    function note(act: string, subject: string, after: unknown): Promise<void> {
      return db.transaction((tx) => appendAudit(tx, auditLine(visit, { act, subject, after })))
    }
  })

  post(deskPath.route('/statements/uploads/:id/stop'), work, async (visit) => {
    const id = idOf(visit)
    // A file that is stopped while it is only read is thrown away.
    await uploads.stop(id, (tx, { wasTaking, name: file }) => {
      const act = wasTaking ? 'statement_stop' : 'statement_drop'
      return appendAudit(tx, auditLine(visit, { act, subject: `upload:${id}`, after: { file } }))
    })
    return uploadAt(id)
  })

  post(deskPath.route('/statements/uploads/:id/drop'), work, async (visit) => {
    const id = idOf(visit)
    await uploads.drop(id, (tx, { name: file }) =>
      appendAudit(tx, auditLine(visit, { act: 'statement_drop', subject: `upload:${id}`, after: { file } })),
    )
    return deskPath('/statements/upload')
  })
  return uploads
}

const actorOf = ({ visitor }: KnownVisit): string => `operator:${visitor.person.email}`

/** The mode has to be chosen, so that nobody works in live mode by accident. */
function modeOf(visit: KnownVisit): Mode {
  const mode = modes.find((mode) => mode === visit.field('mode'))
  if (mode) return mode
  throw new Refusal('invalid_value', { detail: inLanguage(uploadWords.chooseMode, visit.language) })
}

const brought = ({ mode, broughtBy, report }: Upload): UploadedFile => ({
  mode,
  broughtBy,
  incoming: report?.incoming ?? [],
})

/** The form as it is first shown, without problems. */
const shown = (
  { values, sample }: Editor,
  accounts: readonly NumberedAccount[],
  named: { name: string; isKept: boolean },
): UploadEditor => ({
  ...named,
  values,
  sample,
  accounts,
  header: sample.header,
  wrong: [],
  isSplitAgain: false,
})

const countsOf = ({ rows, entries, badRows, totals, taken }: ImportReport) => ({
  rows,
  entries,
  badRows,
  totals,
  ...taken,
})

/** Writes a saved mapping to the audit record. */
const mappingLine =
  (visit: KnownVisit, name: string) =>
  ({ before, after }: KeptMapping) =>
    auditLine(visit, {
      act: 'mapping_keep',
      subject: `mapping:${name}`,
      before: maskedMapping(before),
      after: maskedMapping(after),
    })

/** The person who last saved the mapping; null if it was not saved at the desk. */
async function mappingKeptBy(db: Db, name: string): Promise<string | null> {
  const filter = { merchantId: null, personId: null, subject: `mapping:${name}`, before: null }
  const [last] = await listAudit(db, { ...filter, limit: 1 })
  return last?.act === 'mapping_keep' ? last.personId : null
}
