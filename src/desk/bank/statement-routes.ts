/** Statements over HTTP: a file comes in, is looked at, and is taken. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAudit } from '../../audit/store.ts'
import { modes } from '../../merchants/merchant.ts'
import type { KnownVisit } from '../../people/doors.ts'
import { Refusal } from '../../refusals.ts'
import { byteOrderMark, csvRow } from '../../reports/csv.ts'
import { findMapping } from '../../statements/store.ts'
import { everybody, workers } from '../frame.ts'
import { actorOf, type DeskTools, deskOf, idOf, lineOf, perform, show } from '../visit.ts'
import { statementsPage, uploadGonePage, uploadPage } from './statement-pages.ts'
import { listMappings, listTakenStatements } from './store.ts'
import { createUploads } from './uploads.ts'
import { bankWords } from './words.ts'

const read = { for: 'operator', roles: everybody } as const
const work = { for: 'operator', roles: workers } as const

export function statementRoutes(tools: DeskTools): void {
  const { doors, ledger, dataDir } = tools
  const { db } = ledger
  const folder = join(dataDir, 'uploads')
  const uploads = createUploads(ledger, folder)

  doors.get('/operator/statements', read, async (visit) => {
    const [desk, statements, mappings] = await Promise.all([
      deskOf(tools, visit),
      listTakenStatements(db, 50),
      listMappings(db),
    ])
    return show(visit, statementsPage(desk, { statements, mappings, uploads: uploads.list() }))
  })

  doors.upload('/operator/statements/upload', work, folder, (visit) =>
    perform(tools, visit, 'statements', async () => {
      const { file } = visit
      try {
        const mode = modes.find((one) => one === visit.field('mode'))
        const name = visit.field('mapping')
        const mapping = name === '' ? undefined : await findMapping(db, name)
        if (!mode || (name !== '' && !mapping)) throw new Refusal('invalid_value')
        const personId = visit.visitor.person.id
        const { id } = uploads.add({ file, personId, by: actorOf(visit), mode, mapping })
        return visit.reply.redirect(`/operator/statements/uploads/${id}`, 303)
      } catch (error) {
        await rm(file.path, { force: true })
        throw error
      }
    }),
  )

  doors.get('/operator/statements/uploads/:id', read, async (visit) => {
    const upload = uploads.find(idOf(visit))
    const desk = await deskOf(tools, visit)
    return upload ? show(visit, uploadPage(desk, upload)) : show(visit, uploadGonePage(desk), 404)
  })

  doors.get('/operator/statements/uploads/:id/bad.csv', read, async (visit) => {
    const upload = uploads.find(idOf(visit))
    if (!upload?.report) throw new Refusal('not_found')
    const words = bankWords[visit.language]
    const rows = [
      csvRow([words.line, words.badRows], ';'),
      ...upload.report.bad.map(({ line, detail }) => csvRow([line, detail], ';')),
    ]
    return visit.reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="bad-rows.csv"')
      .send(byteOrderMark + rows.join(''))
  })

  doors.post('/operator/statements/uploads/:id/take', work, (visit) =>
    perform(tools, visit, 'statements', async () => {
      const id = idOf(visit)
      const upload = uploads.find(id)
      if (!upload) throw new Refusal('not_found')
      const anyway = visit.field('anyway') === 'on'
      const { name: file, mode } = upload
      uploads.take(id, {
        anyway,
        begin: () => note('statement_take', id, { file, mode, anyway }),
        done: (report) => note('statement_taken', id, { statement: report.statement, ...countsOf(report) }),
      })
      return visit.reply.redirect(`/operator/statements/uploads/${id}`, 303)

      /** A file is many transactions: its beginning and its end stand in the record. */
      function note(act: string, subject: string, after: unknown): Promise<void> {
        return db.transaction((tx) =>
          appendAudit(tx, lineOf(visit, { act, subject: `statement:${subject}`, after })),
        )
      }
    }),
  )

  doors.post('/operator/statements/uploads/:id/drop', work, (visit: KnownVisit) =>
    perform(tools, visit, 'statements', async () => {
      await uploads.drop(idOf(visit))
      return { to: '/operator/statements', notice: 'done' }
    }),
  )
}

const countsOf = ({ entries, badRows, taken }: { entries: number; badRows: number; taken: object }) => ({
  entries,
  badRows,
  ...taken,
})
