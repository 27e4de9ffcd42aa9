/** Imported statements: what came of each file, and the undo of its import. */
import { needsSecondPerson } from '../domain/approvals/proposal.ts'
import { readApprovalSettings } from '../domain/approvals/store.ts'
import { readable } from '../domain/money.ts'
import { placeOf } from '../domain/statements/entry.ts'
import type {
  ImportReport,
  ListedStatement,
  UndoCounts,
  UndoSum,
} from '../domain/statements/import-report.ts'
import { listStatementRows, sumParked, sumStatement } from '../domain/statements/row-store.ts'
import { listStatements, readStatement } from '../domain/statements/store.ts'
import type { TotalsState } from '../domain/statements/totals.ts'
import { sumUndo } from '../domain/statements/undo/store.ts'
import { beginUndo, refuseRefunded, undoStatement } from '../domain/statements/undo/undo-statement.ts'
import { foreign, modeOf, money, number, person, said, state, text, time, words } from './cells.ts'
import { act, section } from './declare.ts'
import { facts, note, table } from './parts.ts'
import { dangerous, read, work } from './roles.ts'
import type { Cell, Context, Part, Section, Tone, Two } from './section.ts'
import { rowTable } from './statement-rows.ts'
import { channelWords, transferState, transferStateWords } from './states.ts'

type Statement = ListedStatement & {
  report?: ImportReport | null
  /** What an undo would revoke now. */
  back?: readonly UndoSum[]
}

const stages = {
  taken: [['Imported', 'Загружена'], 'ok'],
  unfinished: [['Incomplete', 'Не завершена'], 'warn'],
  undoing: [['Undoing', 'Отменяется'], 'warn'],
  undone: [['Undone', 'Отменена'], 'plain'],
} as const satisfies Record<string, readonly [Two, Tone]>

function stageOf({ finishedAt, undoStartedAt, undoneAt }: Statement): keyof typeof stages {
  if (undoneAt) return 'undone'
  if (undoStartedAt) return 'undoing'
  return finishedAt ? 'taken' : 'unfinished'
}

function stageCell(row: Statement): Cell {
  const stage = stageOf(row)
  const [words, tone] = stages[stage]
  return state(stage, words, tone)
}

const totals: Record<TotalsState, Cell> = {
  agree: state('agree', ['Agree', 'Сходятся'], 'ok'),
  differ: state('differ', ['Totals differ', 'Итоги не сходятся'], 'warn'),
  none: state('none', ['No totals', 'Без итогов'], 'warn'),
}

const counts: Readonly<Record<string, Two>> = {
  rows: ['Rows', 'Строки'],
  taken: ['New', 'Новые'],
  matched: transferStateWords.matched[0],
  ambiguous: transferStateWords.ambiguous[0],
  unmatched: transferStateWords.unmatched[0],
  held: transferStateWords.held[0],
  paired: ['Told early', 'Сообщены заранее'],
  seen: ['Already imported', 'Уже загружены'],
  parked: ['Parked: their day is open', 'В ожидании: их день не закрыт'],
  debit: ['Outgoing', 'Списания'],
  set_aside: ['Between own accounts', 'Между своими счетами'],
  reversal: ['Reversals', 'Сторно'],
  revoked: transferStateWords.revoked[0],
  undone: ['Earlier payments revoked', 'Отозваны прежние платежи'],
  pending: ['Pending at the bank', 'Ещё не проведено'],
  not_booked: ['Declined by the bank', 'Отклонено банком'],
  other_account: ['Other accounts', 'Другие счета'],
  badRows: ['Unreadable', 'Не прочитаны'],
}
const always = ['rows', 'taken', 'matched']

/** What a row of a file becomes, in one word. */
export const countWords = (name: 'seen' | 'paired' | 'parked'): Two => counts[name]!

/** What came of the rows of a file. Counts of zero are left out. */
export function countsOf({ rows, taken, skipped, badRows }: ImportReport): (readonly [Two, number])[] {
  const known: Record<string, number> = { rows, ...taken, ...skipped, badRows }
  return Object.entries(counts)
    .filter(([name]) => always.includes(name) || known[name])
    .map(([name, words]) => [words, known[name] ?? 0])
}

const undoCounts: Record<keyof UndoCounts, Two> = {
  rows: ['Rows that tell nothing now', 'Строк, которые больше не учитываются'],
  transfers: ['Revoked', 'Отозвано'],
  early: ['Told early, not booked any more', 'Сообщены заранее, больше не проведены'],
  reversed: ['Deposits reversed', 'Возвращено депозитов'],
}

const onStatement = act<Statement>()
const shownRows = 50
const shownBad = 100

export const statements: Section<Statement> = section<Statement>()({
  one: 'statement',
  path: '/statements',
  name: ['Statements', 'Выписки'],
  empty: [
    ['No statements yet', 'Выписок пока нет'],
    [
      'Upload a statement, or connect a bank source that sends transfers itself.',
      'Загрузите выписку или подключите источник данных, который присылает поступления сам.',
    ],
  ],
  read,
  isLive: true,
  columns: {
    file: { head: ['File', 'Файл'], rank: 1, cell: (r) => foreign(r.fileName) },
    stage: { head: ['State', 'Состояние'], rank: 1, cell: stageCell },
    totals: {
      head: ['Totals of the file', 'Итоги файла'],
      rank: 2,
      cell: (r) => r.totals && totals[r.totals],
    },
    entries: {
      head: ['Transfers', 'Операции'],
      rank: 2,
      is: 'number',
      cell: (r) => (r.entries === null ? null : number(r.entries)),
    },
    format: { head: ['Format', 'Формат'], rank: 3, cell: (r) => state(r.format, channelWords[r.format]) },
    mode: { rank: 3, cell: (r) => modeOf(r.mode) },
    taken_at: { head: ['Imported', 'Загружена'], rank: 2, cell: (r) => time(r.takenAt) },
    taken_by: { head: ['By', 'Кто'], rank: 3, cell: (r) => person(r.takenBy) },
  },
  idOf: ({ id }) => id,
  title: ({ fileName }) => fileName,
  list: ({ db }, page) => listStatements(db, page),
  async find({ db }, id) {
    const found = await readStatement(db, id)
    if (!found) return undefined
    const { entries = null, totals = null } = found.report ?? {}
    return { ...found, entries, totals, back: found.undoneAt ? [] : await sumUndo(db, id) }
  },
  facts: {
    finished_at: { head: ['Finished', 'Завершена'], cell: (r) => time(r.finishedAt) },
    undone_by: { head: ['Undone by', 'Отменил'], cell: (r) => person(r.undoneBy) },
    undone_at: { head: ['Undone', 'Отменена'], cell: (r) => time(r.undoneAt) },
    undo_reason: { head: ['Why', 'Почему'], cell: (r) => foreign(r.undoReason) },
  },
  parts,
  links: [
    { to: '/statements/mappings', text: ['CSV and Excel formats', 'Форматы CSV и Excel'], policy: read },
    {
      to: '/statements/upload',
      text: ['Upload statement', 'Загрузить выписку'],
      policy: work,
      kind: 'primary',
    },
  ],
  acts: {
    undo: onStatement({
      name: ['Undo import', 'Отменить загрузку'],
      effect: [
        'Everything this file added is revoked. Deposits it confirmed become reversed, and merchants get callbacks. Payments that another file also tells are kept; those that a bank told early are early again. You can import the file again later.',
        'Всё, что добавил файл, будет отозвано. Подтверждённые им депозиты станут «Возвращён банком», мерчанты получат колбэки. Платежи, которые есть и в другом файле, сохранятся; о которых банк сообщил заранее, снова станут предварительными. Файл можно загрузить снова.',
      ],
      done: ['The undo has begun.', 'Отмена начата.'],
      policy: dangerous,
      audit: 'statement_undo',
      kind: 'danger',
      from: ({ undoStartedAt }) => undoStartedAt === null,
      async second(tx, { row }) {
        await refuseRefunded(tx, row.id)
        const settings = await readApprovalSettings(tx)
        return row.back!.some((sum) => needsSecondPerson(settings, sum))
      },
      seen: ({ fileName, back = [] }) => ({
        file: fileName,
        ...Object.fromEntries(
          back.map(({ currency, transfers, cents }) => [
            currency,
            `${readable(cents, currency)} · ${transfers}`,
          ]),
        ),
      }),
      async run(tx, { row: { id, fileName, back = [] }, by: { actor, reason }, context }) {
        await beginUndo(tx, { statementId: id, reason, by: actor, seen: back })
        await goOn(context, id)
        return { after: { file: fileName } }
      },
    }),
    'go-on': onStatement({
      name: ['Continue', 'Продолжить'],
      effect: [
        'After a restart or an outage of the database the undo stands still; this goes on with it. Until it is finished, the remaining transfers cannot be matched or refunded.',
        'После перезапуска или сбоя базы отмена стоит; это её продолжит. Пока она не завершена, оставшиеся поступления нельзя сопоставить или вернуть.',
      ],
      policy: dangerous,
      audit: 'statement_undo',
      kind: 'primary',
      isPlain: true,
      from: (row) => stageOf(row) === 'undoing',
      async run(_tx, { row, context }) {
        await goOn(context, row.id)
        return { isUnchanged: true }
      },
    }),
  },
})

/** A large file is undone in many transactions. */
const goOn = (context: Context, statementId: string) =>
  context.begin(`undo:${statementId}`, (after) => undoStatement(after, { statementId }))

async function parts({ db }: Context, row: Statement) {
  const { report, back = [], undoReport } = row
  const [sums, parked, found, settings] = await Promise.all([
    sumStatement(db, row.id),
    sumParked(db, row.id),
    listStatementRows(db, { id: row.id, outcome: null, state: null, after: null, limit: shownRows + 1 }),
    readApprovalSettings(db),
  ])
  const stage = stageOf(row)
  const imported = sums.reduce((all, { rows }) => all + rows, 0)
  const left = back.reduce((all, { transfers }) => all + transfers, 0)
  const needsSecond = back.some((sum) => needsSecondPerson(settings, sum))
  return [
    stage === 'unfinished' && unfinishedNote(imported),
    stage === 'undoing' && undoingNote(undoReport?.transfers ?? 0, left),
    parked.rows > 0 && parkedNote(parked),
    undoReport &&
      facts(
        ['Undo of the import', 'Отмена загрузки'],
        (Object.keys(undoCounts) as (keyof UndoCounts)[]).map((name) => [
          undoCounts[name],
          number(undoReport[name]),
        ]),
      ),
    row.undoStartedAt === null && undoFacts(back, left, needsSecond),
    ...(report ? reportParts(report) : []),
    sums.length > 0 &&
      table(['Current state of the rows', 'Текущее состояние строк'], sums, [
        [['State', 'Состояние'], (sum) => transferState(sum.state)],
        [['Rows', 'Строки'], ({ rows }) => number(rows), 'number'],
        [
          ['Total', 'Сумма'],
          ({ state, cents, currency }) => money(state === 'debit' ? -cents : cents, currency),
          'number',
        ],
      ]),
    rowTable(found.slice(0, shownRows), found.length > shownRows ? { statement: row.id } : null),
  ]
}

const unfinishedNote = (imported: number): Part =>
  note('warn', [
    `The import was interrupted. Rows imported so far: ${imported}; they count. Upload the same file again to continue (nothing is imported twice), or undo the import.`,
    `Загрузка прервалась. Загружено строк: ${imported}; они учтены. Загрузите тот же файл ещё раз, чтобы продолжить (ничего не загрузится дважды), или отмените загрузку.`,
  ])

const undoingNote = (done: number, left: number): Part =>
  note('info', [
    `The import is being undone: ${done} of ${done + left} rows.`,
    `Загрузка отменяется: строк ${done} из ${done + left}.`,
  ])

function parkedNote({ rows, firstDay, lastDay }: Awaited<ReturnType<typeof sumParked>>): Part {
  const days = firstDay === lastDay ? firstDay : `${firstDay} – ${lastDay}`
  return note(
    'info',
    [
      `Parked rows: ${rows}, of ${days}. This file does not close their days. They count once a file that does tells them, or a person takes them.`,
      `Строк в ожидании: ${rows}, за ${days}. Файл не закрывает их дни. Они будут учтены, когда о них сообщит файл, который закрывает день, или когда их примет сотрудник.`,
    ],
    { to: '/parked', text: ['Open', 'Открыть'] },
  )
}

function undoFacts(back: readonly UndoSum[], rows: number, needsSecond: boolean): Part {
  const sums = back.filter(({ cents }) => cents > 0n).map(({ cents, currency }) => money(cents, currency))
  return facts(
    ['If it is undone', 'Если отменить'],
    [
      [['Rows to revoke', 'Будет отозвано строк'], number(rows)],
      [
        ['Incoming money among them', 'Поступления среди них'],
        sums.length > 0 ? sums : words(['None', 'Нет']),
      ],
      [
        ['Approval', 'Согласование'],
        words(
          needsSecond
            ? ['A second person must approve it.', 'Потребуется второй сотрудник.']
            : ['It starts immediately.', 'Начнётся сразу.'],
        ),
      ],
    ],
  )
}

function reportParts(report: ImportReport): (Part | false)[] {
  const { bad, badRows, warnings } = report
  const more: Two =
    badRows > shownBad
      ? [`: the first ${shownBad} of ${badRows}`, `: первые ${shownBad} из ${badRows}`]
      : ['', '']
  return [
    facts(
      ['Import report', 'Отчёт о загрузке'],
      countsOf(report).map(([words, count]) => [words, number(count)]),
    ),
    ...warnings.map((text) => note('warn', text)),
    bad.length > 0 &&
      table([`Unreadable rows${more[0]}`, `Непрочитанные строки${more[1]}`], bad.slice(0, shownBad), [
        [['Place', 'Место'], (row) => text(placeOf(row))],
        [['Why', 'Почему'], (row) => said(row.detail)],
      ]),
  ]
}
