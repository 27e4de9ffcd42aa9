/** Makes sections and acts of what files declare: what several sections share, or what follows from the rest, is not said. */
import { isUuid } from '../platform/request-fields.ts'
import type {
  Act,
  Asked,
  Choice,
  Chosen,
  Column,
  Context,
  DeclaredAct,
  Fields,
  Filter,
  Page,
  Part,
  Reads,
  Section,
  Two,
} from './section.ts'

/** What columns, facts and filters of these names are called, where they do not say otherwise. */
const heads: Readonly<Record<string, Two>> = {
  account: ['Account', 'Счёт'],
  amount: ['Amount', 'Сумма'],
  booked_on: ['Booked', 'Проведено'],
  created_at: ['Created', 'Создан'],
  currency: ['Currency', 'Валюта'],
  customer: ['Customer', 'Покупатель'],
  day: ['Day', 'День'],
  deposit: ['Deposit', 'Депозит'],
  id: ['ID', 'ID'],
  merchant: ['Merchant', 'Мерчант'],
  method: ['Payment type', 'Способ оплаты'],
  mode: ['Mode', 'Режим'],
  name: ['Name', 'Название'],
  open: ['Open now', 'Открыто'],
  order: ['Order', 'Заказ'],
  payer: ['Payer', 'Плательщик'],
  phone: ['Phone', 'Телефон'],
  q: ['Search', 'Найти'],
  received: ['Received', 'Получено'],
  reference: ['Reference', 'Номер для обращения'],
  role: ['Role', 'Роль'],
  shown: ['Shown to the customer', 'Показано покупателю'],
  since: ['Waiting', 'Ожидание'],
  state: ['State', 'Состояние'],
  today: ['Today', 'Сегодня'],
  transfer: ['Transfer', 'Поступление'],
  why: ['Why', 'Почему'],
}

function headOf(name: string, head: Two | undefined): Two {
  const known = head ?? heads[name]
  if (!known) throw new Error(`"${name}" is not called anything: it needs a head.`)
  return known
}

/** `file`: only in files, and at the command line with --json. */
type DeclaredColumn<Row> = Omit<Column<Row>, 'head' | 'rank' | 'isExtra'> & {
  head?: Two
  rank: 1 | 2 | 3 | 'file'
}
type DeclaredFact<Row> = Column<Row>['cell'] | (Pick<Column<Row>, 'cell'> & { head?: Two })
export type Columns<Row> = Readonly<Record<string, DeclaredColumn<Row>>>
export type Facts<Row> = Readonly<Record<string, DeclaredFact<Row>>>

type DeclaredFilter = { head?: Two } & (
  | { is: 'choice'; of: readonly Choice[] }
  /** `isId`: their values are ids. */
  | { is: 'choice'; of: (context: Context) => Promise<readonly Choice[]>; isId?: true }
  | { is: 'search'; hint: Two }
  | { is: 'text' | 'id' | 'day' | 'tick' }
)
type Filters = Readonly<Record<string, DeclaredFilter>>
/** What is chosen, checked; null where nothing is. */
type ValueOf<One> = One extends { is: 'tick' }
  ? boolean
  : One extends { is: 'choice'; of: readonly Choice<infer Value>[] }
    ? Value | null
    : string | null
type Values<F extends Filters> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

type Derived =
  | 'columns'
  | 'facts'
  | 'filters'
  | 'list'
  | 'find'
  | 'totals'
  | 'notes'
  | 'parts'
  | 'acts'
  | 'idOf'
  | 'empty'

type Declared<Row, F extends Filters> = Omit<Section<Row>, Derived> & {
  columns: Columns<Row>
  facts?: Facts<Row>
  filters?: F
  /** Without it rows have no page and no acts. */
  idOf?: Section<Row>['idOf']
  /** How ids and places are written; without it, they are UUIDs. */
  ids?: RegExp
  notes?: (context: Context, chosen: Values<F>) => Promise<readonly Part[]>
  totals?: (context: Context, chosen: Values<F>) => ReturnType<NonNullable<Section['totals']>>
  /** What is false or null is left out. */
  parts?: (context: Context, row: Row) => Promise<readonly (Part | false | null)[]>
  acts?: Section<Row>['acts']
  find?: Section<Row>['find']
} & (
    | {
        empty: Section['empty']
        /** So many rows after a place, which is the id of a row, or what `placeOf` says. */
        list: (context: Context, asked: Asked<Values<F>>) => Promise<readonly Row[]>
        placeOf?: (row: Row) => string
      }
    /** The same, where the places are kept elsewhere. */
    | { empty: Section['empty']; pages: (context: Context, asked: Asked<Values<F>>) => Promise<Page<Row>> }
    /** All rows at once: they are few. */
    | { empty: Section['empty']; all: (context: Reads) => Promise<readonly Row[]> }
    | { only: NonNullable<Section['only']> }
  )

/** Declares a section with the types of its row and of its filters. */
export const section =
  <Row>() =>
  <const F extends Filters>(one: Declared<Row, F>): Section<Row> => {
    const { columns, facts = {}, filters, idOf, ids, notes, totals, parts, find, ...rest } = one
    const isId = (text: string) => (ids ? ids.test(text) : isUuid(text))
    const valuesOf = (chosen: Chosen) => readValues(filters ?? {}, chosen) as Values<F>
    const all = 'all' in one ? one.all : undefined
    const findIn = async (context: Reads, id: string) => {
      if (!find) return (await all?.(context))?.find((row) => idOf?.(row) === id)
      return 'only' in one || isId(id) ? find(context, id) : undefined
    }
    return {
      ...{ empty: nothing, acts: {}, ...rest },
      columns: mapped(columns, ({ rank, ...column }, name) => ({
        ...{ ...column, head: headOf(name, column.head), rank: rank === 'file' ? 3 : rank },
        ...(rank === 'file' && { isExtra: true as const }),
      })),
      facts: mapped(facts, (fact, name) =>
        typeof fact === 'function'
          ? { cell: fact, head: headOf(name, undefined) }
          : { ...fact, head: headOf(name, fact.head) },
      ),
      filters: Object.entries(filters ?? {}).map(
        ([name, filter]) => ({ ...filter, name, head: headOf(name, filter.head) }) as Filter,
      ),
      idOf: idOf ?? (() => null),
      ...(notes && { notes: (context, chosen) => notes(context, valuesOf(chosen)) }),
      ...(totals && { totals: (context, chosen) => totals(context, valuesOf(chosen)) }),
      ...(parts && {
        parts: async (context, row) =>
          (await parts(context, row)).filter((part) => part !== false && part !== null),
      }),
      ...((find || (all && idOf)) && { find: findIn }),
      async list(context, { chosen, after, limit }) {
        const values = valuesOf(chosen)
        if ('pages' in one) return one.pages(context, { chosen: values, after, limit })
        if (!('list' in one)) return { rows: (await all?.(context)) ?? [], next: null }
        const place = after !== null && isId(after) ? after : null
        const found = await one.list(context, { chosen: values, after: place, limit: limit + 1 })
        const rows = found.slice(0, limit)
        const placeOf = one.placeOf ?? idOf!
        return { rows, next: found.length > limit ? placeOf(rows.at(-1)!) : null }
      },
    }
  }

const nothing: Section['empty'] = [
  ['Nothing here', 'Здесь ничего нет'],
  ['', ''],
]

const mapped = <From, To>(record: Readonly<Record<string, From>>, make: (one: From, name: string) => To) =>
  Object.fromEntries(Object.entries(record).map(([name, one]) => [name, make(one, name)]))

function readValues(filters: Filters, chosen: Chosen): Record<string, string | boolean | null> {
  return mapped(filters, (filter, name) => {
    const text = chosen[name] ?? ''
    if (filter.is === 'tick') return text === 'on'
    if (text === '') return null
    if (filter.is === 'choice' && typeof filter.of !== 'function')
      return filter.of.some(({ value }) => value === text) ? text : null
    const isById = filter.is === 'id' || (filter.is === 'choice' && 'isId' in filter)
    return isById && !isUuid(text) ? null : text
  })
}

/** Declares an act with the types of its fields. A merchant's console asks for no reasons. */
export const act =
  <Row>() =>
  <const F extends Fields<Row>>(one: DeclaredAct<Row, F>): Act<Row> => ({
    ...{ ...one, fields: one.fields ?? {} },
    ...(one.policy.for === 'merchant' && { isPlain: true }),
  })
/** An act that needs no row. */
export const sectionAct = act<undefined>()

/** Choices by their values, in their order. */
export const choices = <Value extends string>(
  words: Readonly<Record<Value, Two>>,
): readonly Choice<Value>[] =>
  (Object.entries(words) as [Value, Two][]).map(([value, words]) => ({ value, words }))
