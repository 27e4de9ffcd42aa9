/** Saved formats: how a bank writes its CSV or Excel. One is made, and corrected, where a file is uploaded. */
import { maskedNumber } from '../domain/requisites/requisite.ts'
import type { CsvMapping, NumberedAccount } from '../domain/statements/formats/csv-mapping.ts'
import { removeMapping } from '../domain/statements/keep-mapping.ts'
import { listMappings, listNumberedAccounts } from '../domain/statements/store.ts'
import { normalizeAccountNumber } from '../domain/transfers/bank-text/account-number.ts'
import { code, foreign, number, text, time, words } from './cells.ts'
import { act, section } from './declare.ts'
import { table } from './parts.ts'
import { read, work } from './roles.ts'
import type { Part, Reads, Two } from './section.ts'

type Mapping = {
  name: string
  mapping: CsvMapping
  changedAt: Date
  account: NumberedAccount | undefined
}

/** What a column of a bank's table may mean. */
export const columnWords: Readonly<Record<string, Two>> = {
  date: ['Date', 'Дата'],
  amount: ['Amount', 'Сумма'],
  credit: ['Money in', 'Приход'],
  debit: ['Money out', 'Расход'],
  direction: ['Direction', 'Направление'],
  status: ['Status', 'Статус'],
  balance: ['Running balance', 'Остаток после операции'],
  payerName: ['Payer', 'Плательщик'],
  payerAccount: ['Payer’s account', 'Счёт плательщика'],
  payerTaxId: ['Payer’s tax ID', 'ИНН плательщика'],
  documentNumber: ['Document number', 'Номер документа'],
  bankId: ['Bank reference', 'Референс банка'],
  currency: ['Currency', 'Валюта'],
  purpose: ['Purpose', 'Назначение'],
}

/** Writes mappings to the audit record, with a masked account number. */
export const maskedMapping = (mapping: CsvMapping | null) =>
  mapping && { ...mapping, account: maskedNumber(mapping.account) }

export const mappings = section<Mapping>()({
  one: 'mapping',
  path: '/statements/mappings',
  name: ['CSV and Excel formats', 'Форматы CSV и Excel'],
  about: [
    'If the bank changes its columns, upload a new file with this format selected, complete its columns and save it under the same name.',
    'Если банк изменил столбцы, загрузите новый файл с этим форматом, дополните столбцы и сохраните под тем же названием.',
  ],
  empty: [
    ['No saved formats yet', 'Сохранённых форматов пока нет'],
    [
      'Upload a CSV or Excel statement, describe its columns and save them as a format.',
      'Загрузите выписку CSV или Excel, укажите её столбцы и сохраните как формат.',
    ],
  ],
  read,
  columns: {
    name: { rank: 1, cell: (r) => text(r.name) },
    account: {
      head: ['Receiving account', 'Счёт для приёма'],
      rank: 1,
      // If no account has the number any more, only its last digits are shown.
      cell: ({ account, mapping }) =>
        foreign(account?.label ?? '', `…${normalizeAccountNumber(mapping.account).slice(-4)}`),
    },
    columns: {
      head: ['Columns', 'Столбцов'],
      rank: 2,
      is: 'number',
      cell: (r) => number(r.mapping.header.length),
    },
    changed_at: { head: ['Changed', 'Изменён'], rank: 3, cell: (r) => time(r.changedAt) },
  },
  facts: {
    encoding: { head: ['Encoding', 'Кодировка'], cell: (r) => text(r.mapping.encoding) },
    separator: {
      head: ['Column separator', 'Разделитель столбцов'],
      cell: ({ mapping: { separator } }) => code(separator === '\t' ? '\\t' : separator),
    },
    skip_rows: {
      head: ['Rows before the header', 'Строк до заголовка'],
      cell: (r) => number(r.mapping.skipRows),
    },
    date_format: { head: ['Date format', 'Формат даты'], cell: (r) => text(r.mapping.dateFormat) },
    money_in: {
      head: ['Direction: money in', 'Направление: приход'],
      cell: (r) => foreign(r.mapping.directions?.in.join(', ') ?? null),
    },
    money_out: {
      head: ['Direction: money out', 'Направление: расход'],
      cell: (r) => foreign(r.mapping.directions?.out.join(', ') ?? null),
    },
    booked: {
      head: ['Status: booked', 'Статус: проведено'],
      cell: (r) => foreign(r.mapping.booked?.map((word) => word || '–').join(', ') ?? null),
    },
  },
  idOf: ({ name }) => name,
  title: ({ name }) => name,
  all: readMappings,
  parts: async (_context, { mapping }) => [columnsPart(mapping)],
  acts: {
    remove: act<Mapping>()({
      name: ['Delete format', 'Удалить формат'],
      effect: ['Imported statements stay as they are.', 'Загруженные выписки не изменятся.'],
      policy: work,
      audit: 'mapping_remove',
      kind: 'danger',
      isPlain: true,
      async run(_tx, { row: { name }, context }) {
        return { before: maskedMapping(await removeMapping(context.db, name)), isGone: true }
      },
    }),
  },
})

async function readMappings({ db }: Reads): Promise<Mapping[]> {
  const [stored, accounts] = await Promise.all([listMappings(db), listNumberedAccounts(db, null)])
  return stored.map((one) => ({
    ...one,
    account: accounts.find(({ number }) => number === normalizeAccountNumber(one.mapping.account)),
  }))
}

function columnsPart({ columns, header }: CsvMapping): Part {
  const { purpose = [], ...others } = columns
  const places = [...Object.entries(others), ...purpose.map((at) => ['purpose', at] as const)]
  return table(['Columns', 'Столбцы'], places, [
    [['Meaning', 'Значение'], ([name]) => words(columnWords[name]!)],
    [['Column', 'Столбец'], ([, at]) => foreign(header[at] ?? '', `${at + 1}`)],
  ])
}
