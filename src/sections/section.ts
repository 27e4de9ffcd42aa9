/**
 * What people work with, declared once: its list, its filters, one thing of it, and what may be done to it. The desk, the
 * merchant's console, CSV, the command line, `npm run permissions` and the test that walks all routes read the declaration
 * and nothing else, so an act has one permission, one second person and one audit line wherever it is done.
 */
import type { DepositContext } from '../domain/deposits/change-deposit.ts'
import type { MerchantId } from '../domain/merchants/merchant.ts'
import type { Message, MessageCode, MessageOrText } from '../domain/messages/message.ts'
import type { Cents, Currency } from '../domain/money.ts'
import type { Policy } from '../domain/people/access.ts'
import type { ConsoleLanguage } from '../domain/people/person.ts'
import type { Queryable, Tx } from '../platform/db.ts'
import type { Outbound } from '../platform/outbound.ts'
import type { Vault } from '../platform/vault.ts'

/** A text in both languages of the consoles. */
export type Two = readonly [en: string, ru: string]

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain'

/** A value as the domain has it; each surface writes it in its own way. `of` and `value` name a state for programs. */
export type Cell =
  | { is: 'text'; text: string; detail?: string }
  /** What a bank, a payer or a merchant wrote. */
  | { is: 'foreign'; text: string; detail?: string }
  | { is: 'message'; text: MessageOrText }
  | { is: 'words'; words: Two }
  | { is: 'code'; text: string }
  | { is: 'number'; number: number }
  | { is: 'money'; cents: Cents; currency: Currency }
  | { is: 'share'; cents: Cents; of: Cents | null; currency: Currency }
  | { is: 'time' | 'age' | 'since'; at: Date | null }
  | { is: 'day'; day: string }
  | { is: 'state'; value: string; words: Two; tone: Tone }
  /** A row of another section; without one, of this one. */
  | { is: 'link'; to?: string; id: string; text: Two | MessageOrText; filter?: string }
  /** A person of the desk or a merchant, by the address that histories store. */
  | { is: 'person'; actor: string }
  | readonly Cell[]
  | null

export type Column<Row> = {
  head: Two
  /** 1 stays on a phone as the head of the card, 2 below it, 3 gives way first. */
  rank: 1 | 2 | 3
  /** Figures stand at the right; money has its currency in a column of its own in files. */
  is?: 'number' | 'money'
  /** Only in files, and at the command line with --json. */
  isExtra?: true
  cell: (row: Row) => Cell
}

export type Choice<Value extends string = string> = { value: Value; words: Two }

export type Filter = { name: string; head: Two } & (
  | { is: 'choice'; of: readonly Choice[] | ((context: Context) => Promise<readonly Choice[]>) }
  /** The search box above the list. */
  | { is: 'search'; hint: Two }
  | { is: 'text' | 'id' | 'day' }
  | { is: 'tick' }
)
/** The filters of a list by their names, checked: an unknown choice or a broken day is empty. */
export type Chosen = Readonly<Record<string, string>>

/** One page of a list. `after` and `next` are places that only the section can read. */
export type Asked<Values = Chosen> = { chosen: Values; after: string | null; limit: number }
export type Page<Row> = { rows: readonly Row[]; next: string | null }

/** What sections read from and act through. */
export type Context = DepositContext & {
  vault: Vault
  outbound: Pick<Outbound, 'post'>
  /** The merchant whose console it is; null at the desk. */
  merchantId: MerchantId | null
  /** Who looks or acts; null where nobody is named. */
  personId: string | null
  now: Date
  timeZone: string
  language: ConsoleLanguage
  /** Hosts that may be called although they are private: see domain/deposits/address.ts. */
  isTrustedHost: (host: string) => boolean
  /** Tells processes that keep what merchants and lists say in memory. */
  merchantsChanged: (merchantId?: MerchantId) => void | Promise<void>
  /** Every section: an approved request is an act of one of them. */
  sections: readonly Section[]
  /** Long work of many transactions, once the act is done: the desk goes on without it, a command waits for its end. */
  begin: (key: string, work: (context: DepositContext) => Promise<unknown>) => void | Promise<void>
}

type FieldOf<Row> = {
  head: Two
  hint?: Two
  isOptional?: true
  /** Folded away in the form, under this name or with the others that are: a limit, a detail that is seldom given. */
  isFolded?: true | Two
  /** Whether the form asks for it, by what is typed so far. */
  asks?: (texts: Texts) => boolean
  /**
   * What the form begins with, as a person types it. The second person approves the change of this value, so it must not
   * have changed meanwhile.
   */
  value?: (row: Row) => string
}
/** Texts are trimmed and at most `most` characters long. An amount is typed in units, and given in cents. */
export type Field<Row> = FieldOf<Row> &
  (
    | { is: 'text' | 'lines'; most: number }
    /** Compared with a paper by the second person, in groups. */
    | { is: 'digits'; most: number }
    | { is: 'id' | 'email' | 'day' }
    | { is: 'cents'; least?: bigint }
    | { is: 'count'; least: number; most: number }
    | {
        is: 'choice'
        of: readonly Choice[] | ((context: Reads, row: Row, texts: Texts) => Promise<readonly Choice[]>)
      }
    /** `isForWarnings`: it confirms the warnings of a refusal, and stands in the form with them only. */
    | { is: 'tick'; isForWarnings?: true }
    /** Hidden: what the person saw. The act is refused where it has changed since. */
    | { is: 'seen'; value: (row: Row) => string }
  )
/** Texts by the names of the fields, as typed. A tick that is set is `on`. */
export type Texts = Readonly<Record<string, string>>
export type Fields<Row> = Readonly<Record<string, Field<Row>>>

type GivenOf<Kind> = Kind extends 'cents'
  ? bigint
  : Kind extends 'count'
    ? number
    : Kind extends 'tick'
      ? boolean
      : string
type ValueOf<One extends Field<never>> = One extends { is: 'choice'; of: readonly Choice<infer Value>[] }
  ? Value
  : GivenOf<One['is']>
export type Given<F extends Fields<never>> = {
  readonly [Name in keyof F]: F[Name] extends { is: 'tick' }
    ? boolean
    : ValueOf<F[Name]> | (F[Name] extends { isOptional: true } ? null : never)
}

/** A context that reads, in a transaction too. */
export type Reads = Omit<Context, 'db'> & { db: Queryable }

/** Who acts, and what surrounds the act. */
export type By = {
  personId: string | null
  email: string
  /** As histories store it: `operator:anna@…`. */
  actor: string
  reason: string
  requestId: string | null
  /** The request that a second person approved, with the names of both. */
  approved: { proposal: string; proposedBy: string; isSingleOperator: boolean } | null
  /** The person proved a factor a moment ago. */
  isFresh: boolean
  /** Called once the act is committed, with the context outside of its transaction. */
  after: (then: (outer: Context) => void | Promise<void>) => void
}

/** What an act hands back: to the audit log, and to the person who acted. */
export type Acted = {
  before?: unknown
  after?: unknown
  /** What the audit entry is about, where it is not the row. */
  subject?: string
  merchantId?: MerchantId | null
  /** The thing to show next; without one, the same. */
  show?: { section?: string; id: string }
  /** The list is shown next, with these filters. */
  listed?: Chosen
  /** How many it has changed, for `done`. */
  count?: number
  /** The row is no more: the list is shown next. */
  isGone?: true
  /** A secret that is shown once. */
  secret?: readonly { head: Two; text: string }[]
  secretText?: Two
  /** No audit entry: nothing was changed, or the verb has written its own. */
  isUnchanged?: boolean
}

type ActOf<Row> = {
  name: Two
  /** What it does, in one sentence. */
  effect?: Two
  /** Where people go first if what they need is not there yet. */
  first?: { to: string; text: Two }
  done?: Two | ((count: number) => Two)
  /** What it would do now, read when its form is opened. */
  foresee?: (context: Context, row: Row) => Promise<Two>
  policy: Policy
  /** Code of the audit entry. */
  audit: string
  kind?: 'primary' | 'danger'
  /** Why it is not possible now; false hides the act, true allows it. */
  from?: (row: Row) => boolean | Two | Message
  /** Whether the page offers it. A stop is possible anyhow: it must win over a person who turns on at the same moment. */
  isOffered?: (row: Row) => boolean
  /** The person must have taken the row before, and lets it go by acting. */
  holds?: true
  /** Asks for no reason. */
  isPlain?: true
  /** Reasons that are often given: the field offers them. */
  reasons?: readonly Two[]
  /** The people who decide and how many of them: approved by the rules of guard.ts. */
  isGuard?: true
}

/** Facts by their names; a list holds codes of messages. */
export type Seen = Readonly<Record<string, string | readonly MessageCode[]>>

/** An act as it is declared: without fields it asks for nothing but a reason. */
// biome-ignore lint/suspicious/noExplicitAny: each act knows its own fields
export type DeclaredAct<Row, F extends Fields<any>> = ActOf<Row> & {
  fields?: F
  /** Whether a second person has to approve it. Asked in the transaction of the act; may refuse what could not be done. */
  second?: (tx: Tx, doing: Doing<Row, F>) => boolean | Promise<boolean>
  /** What it is about, where that is not the row: `person:…`. Asked in the transaction of the act. */
  subject?: (tx: Tx, doing: Doing<Row, F>) => Promise<string>
  /** Facts that the second person sees besides the fields, and that must not have changed until then. */
  seen?: (row: Row, given: Given<F>, tx: Tx) => Seen | Promise<Seen>
  // biome-ignore lint/suspicious/noConfusingVoidType: most acts hand nothing back
  run: (tx: Tx, doing: Doing<Row, F>) => Promise<Acted | void>
}
/** An act on one row, or on the section (`row` is undefined then). */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Act<Row, F extends Fields<any> = any> = DeclaredAct<Row, F> & { fields: F }
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Doing<Row, F extends Fields<any>> = { row: Row; given: Given<F>; by: By; context: Context }

// biome-ignore lint/suspicious/noExplicitAny: an act of any row
export type AnyAct = Act<any>

/** What stands below the facts of one thing. */
export type Part =
  | { is: 'facts'; head: Two; facts: readonly (readonly [Two, Cell])[] }
  | {
      is: 'table'
      head: Two
      columns: readonly (Two | { head: Two; is: 'number' })[]
      rows: readonly (readonly Cell[])[]
      more?: { to: string; chosen: Chosen }
    }
  | {
      is: 'note'
      tone: Exclude<Tone, 'plain'>
      text: Two | MessageOrText
      /** Within this place, or any address; with a policy, for those who may open it. */
      link?: { text: Two; policy?: Policy } & (
        | { to: string; id?: string }
        | { to: string; chosen: Chosen }
        | { at: string }
      )
      /** An act without fields that helps, for those who may do it. */
      // biome-ignore lint/suspicious/noExplicitAny: a section of any row
      act?: { in: Section<any>; id: string; name: string }
    }
  | { is: 'code'; head: Two; text: string }

// biome-ignore lint/suspicious/noExplicitAny: the registry holds sections of all rows
export type Section<Row = any> = {
  /** Of its address, its commands and its audit subjects: `refund`. The address has the plural: `/refunds`. */
  one: string
  path: string
  name: Two
  /** What the list is for, above it. */
  about?: Two
  empty: readonly [title: Two, text: Two]
  read: Exclude<Policy, { for: 'anyone' }>
  /** Updates by itself while it is open. */
  isLive?: true
  /** By their names in files and in JSON. */
  columns: Readonly<Record<string, Column<Row>>>
  filters: readonly Filter[]
  /** Null where a row has no page and no acts. */
  idOf: (row: Row) => string | null
  merchantOf?: (row: Row) => MerchantId | null
  /** What audit entries and requests about a row are about; without it, `refund:ID`. */
  subjectOf?: (row: Row) => string
  /** The id of its only row: the address of the section is the page of that row. */
  only?: (context: Pick<Context, 'merchantId'>) => string
  list: (context: Context, asked: Asked) => Promise<Page<Row>>
  /** Above the list. */
  notes?: (context: Context, chosen: Chosen) => Promise<readonly Part[]>
  totals?: (context: Context, chosen: Chosen) => Promise<readonly (readonly [Two, Cell])[]>
  /** With it rows have a page of their own, and the list links to them. */
  find?: (context: Reads, id: string) => Promise<Row | undefined>
  title?: (row: Row) => Two | string
  /** Facts of one thing besides its columns. */
  facts?: Readonly<Record<string, Omit<Column<Row>, 'rank'>>>
  parts?: (context: Context, row: Row) => Promise<readonly Part[]>
  /** People take a row before they act on it, for so many minutes. `isOptional`: they may also act on one that is free. */
  claim?: { item: (row: Row) => string; minutes: number; isOptional?: true }
  /** May be downloaded; the audit log notes it. */
  isExported?: true
  acts: Readonly<Record<string, Act<Row>>>
  /** Other pages that this list leads to. */
  links?: readonly { to: string; text: Two; policy: Policy; kind?: 'primary' }[]
  /** Acts that need no row: adding one. */
  sectionActs?: Readonly<Record<string, Act<undefined>>>
}

export const inLanguage = ([en, ru]: Two, language: ConsoleLanguage): string => (language === 'ru' ? ru : en)
export const both = (text: string): Two => [text, text]
export const isTwo = (text: Two | MessageOrText): text is Two => Array.isArray(text)
