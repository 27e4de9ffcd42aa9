/** Commands of declared sections: the list, one row, and each act, by a named person and under the rules of the desk. */

import { allowsRoles } from '../../domain/people/access.ts'
import { takeClaim } from '../../domain/people/claim-store.ts'
import { emailOf } from '../../domain/people/person.ts'
import { findPersonByEmail } from '../../domain/people/store.ts'
import { cachedDatabaseTime } from '../../platform/db.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { Refusal } from '../../platform/refusals.ts'
import { jsonOf, plainOf } from '../../sections/cell-values.ts'
import { performAct } from '../../sections/perform-act.ts'
import {
  type AnyAct,
  both,
  type Cell,
  type Context,
  type Fields,
  type Filter,
  type Section,
} from '../../sections/section.ts'
import { allSections } from '../../sections/sections.ts'
import type { Command, Output, Values } from './command.ts'
import { integer, optional, required, table, UsageProblem, uuid } from './options.ts'

const merchantOption = ({ read }: Section): string => (read.for === 'merchant' ? ' --merchant ID' : '')

async function contextOf(
  { db, vault }: Foundation,
  publicUrl: string,
  section: Section,
  values: Values,
): Promise<Context> {
  const merchantId = section.read.for === 'merchant' ? uuid(required(values, 'merchant'), '--merchant') : null
  return {
    ...{ db, vault, publicUrl, merchantId, sections: allSections },
    ...{ timeZone: 'UTC', language: 'en', now: await cachedDatabaseTime(db)() },
    // Running processes notice by themselves, within a second.
    ...{ changed: () => {}, merchantsChanged: () => {} },
    begin: async (_key, work) => {
      await work({ db, publicUrl, changed: () => {} })
    },
  }
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

const filterUsage = (filter: Filter): string => {
  if (filter.is === 'tick') return `[--${filter.name}]`
  if (filter.is === 'choice' && typeof filter.of !== 'function')
    return `[--${filter.name} ${filter.of.map(({ value }) => value).join('|')}]`
  return `[--${filter.name} ${filter.is === 'day' ? 'YYYY-MM-DD' : 'TEXT'}]`
}

function listCommand(section: Section): Command {
  const options = [...section.filters.map(filterUsage), '[--after PLACE]', '[--limit 1..200]']
  return {
    usage: `inlet ${section.one} list${merchantOption(section)} ${options.join(' ')}`,
    summary: `${section.name[0].toLowerCase()}: the list`,
    async run(foundation, values, _words, { publicUrl }) {
      const context = await contextOf(foundation, publicUrl, section, values)
      const chosen = Object.fromEntries(
        section.filters.map((filter) => [filter.name, chosenIn(filter, values)]),
      )
      const asked = {
        chosen,
        after: optional(values, 'after'),
        limit: integer(values, 'limit', 1, 200) ?? 50,
      }
      const { rows, next } = await section.list(context, asked)
      const totals = (await section.totals?.(context, chosen)) ?? []
      const columns = Object.entries(section.columns).filter(([, { isExtra }]) => !isExtra)
      const ids = rows.map((row) => section.idOf(row))
      return {
        json: {
          [section.path.slice(1)]: rows.map((row, place) => ({ id: ids[place], ...jsonOfRow(section, row) })),
          ...(totals.length > 0 && { totals: totals.map(([, cell]) => jsonOf(cell)) }),
          next,
        },
        text: [
          table(
            ['id', ...columns.map(([name]) => name)],
            rows.map((row, place) => [
              ids[place] ?? null,
              ...columns.map(([, { cell }]) => plainOf(cell(row))),
            ]),
          ),
          ...totals.map(([[head], cell]) => `${head}, ${plainOf(cell)}`),
          ...(next ? [`--after ${next}`] : []),
        ].join('\n'),
      }
    },
  }
}

function chosenIn(filter: Filter, values: Values): string {
  if (filter.is === 'tick') return values[filter.name] === true ? 'on' : ''
  const text = optional(values, filter.name) ?? ''
  if (filter.is !== 'choice' || typeof filter.of === 'function' || text === '') return text
  const choices = filter.of.map(({ value }) => value)
  if (choices.includes(text)) return text
  throw new UsageProblem(`--${filter.name} must be one of ${choices.join(', ')}.`)
}

const jsonOfRow = (section: Section, row: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...section.columns, ...section.facts }).map(([name, { cell }]) => [
      name,
      jsonOf(cell(row)),
    ]),
  )

function showCommand(section: Section): Command {
  return {
    usage: `inlet ${section.one} show ID${merchantOption(section)}`,
    summary: `${section.name[0].toLowerCase()}: one of them`,
    words: 1,
    async run(foundation, values, [id], { publicUrl }) {
      const context = await contextOf(foundation, publicUrl, section, values)
      const row = await section.find?.(context, required({ id }, 'id'))
      if (row === undefined) throw new Refusal('not_found')
      const parts = (await section.parts?.(context, row)) ?? []
      const tables = parts.flatMap((part) => (part.is === 'table' ? [part] : []))
      const facts = Object.entries({ ...section.columns, ...section.facts })
      const line = (name: string, cell: Cell) => (cell === null ? [] : [`${name}: ${plainOf(cell)}`])
      return {
        json: {
          ...{ id, ...jsonOfRow(section, row) },
          ...(tables.length > 0 && {
            parts: Object.fromEntries(
              tables.map(({ head, rows }) => [head[0], rows.map((cells) => cells.map(jsonOf))]),
            ),
          }),
        },
        text: [
          ...facts.flatMap(([name, { cell }]) => line(name, cell(row))),
          ...tables.flatMap(({ head, columns, rows }) => [
            `\n${head[0]}`,
            table(
              columns.map((column) => ('head' in column ? column.head[0] : column[0])),
              rows.map((cells) => cells.map(plainOf)),
            ),
          ]),
        ].join('\n'),
      }
    },
  }
}

// ── Acts ────────────────────────────────────────────────────────────────────────────────────────────────────────

const optionOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function actCommand(section: Section, name: string, act: AnyAct, hasRow: boolean): Command {
  const fields = Object.entries(act.fields as Fields<unknown>)
  const options = fields.map(([field, one]) => {
    if (one.is === 'tick') return `[--${optionOf(field)}]`
    const of =
      one.is === 'choice' && typeof one.of !== 'function' ? one.of.map(({ value }) => value).join('|') : null
    const text = `--${optionOf(field)} ${of ?? (one.is === 'cents' ? 'AMOUNT' : one.is === 'count' ? 'N' : 'TEXT')}`
    return one.isOptional || one.value ? `[${text}]` : text
  })
  const who = act.isPlain ? ['--by EMAIL'] : ['--by EMAIL', '--reason TEXT']
  return {
    usage: [
      `inlet ${section.one} ${name}${hasRow ? ' ID' : ''}${merchantOption(section)}`,
      ...options,
      ...who,
    ].join(' '),
    summary: (act.effect ?? both(`${act.name[0].toLowerCase()}`))[0],
    ...(hasRow && { words: 1 }),
    async run(foundation, values, [word], { publicUrl }) {
      const context = await contextOf(foundation, publicUrl, section, values)
      const id = hasRow ? required({ id: word }, 'id') : null
      const row = id === null ? undefined : await section.find?.(context, id)
      if (id !== null && row === undefined) throw new Refusal('not_found')
      // An option that is not given keeps the value that there is.
      const texts = Object.fromEntries(
        fields.map(([field, one]) => {
          const given = values[optionOf(field)]
          if (one.is === 'tick') return [field, given === true ? 'on' : '']
          return [field, typeof given === 'string' ? given : (one.value?.(row) ?? '')]
        }),
      )
      const person = await personNamed(context, act, required(values, 'by'))
      const reason = act.isPlain ? '' : required(values, 'reason')
      if (act.holds && section.claim) await takeClaim(context.db, section.claim.item(row), person.personId, 1)
      const performed = await performAct(context, { section, name, id, texts }, { ...person, reason })
      return performed.is === 'proposed' ? waiting(performed.id) : doneOutput(act, id, performed.acted)
    },
  }
}

/** The person must exist and have the role; at a terminal of the operator's, admins act for merchants. */
async function personNamed({ db }: Context, { policy }: AnyAct, email: string) {
  const person = await findPersonByEmail(db, emailOf(email))
  if (!person || person.disabledAt)
    throw new UsageProblem('--by must be the email address of a person with access.')
  const isAllowed =
    policy.for === 'merchant'
      ? person.operatorRole === 'admin'
      : allowsRoles(policy, { operatorRole: person.operatorRole, merchantRole: null })
  if (!isAllowed) throw new Refusal('forbidden')
  return { personId: person.id, email: person.email, requestId: null, isFresh: true }
}

const waiting = (id: string): Output => ({
  json: { request: id },
  text: `Sent for approval, nothing has changed yet: ${id}\nA second person approves it at the desk, or with: inlet approval approve ${id} --by EMAIL --reason TEXT`,
})

function doneOutput(
  act: AnyAct,
  id: string | null,
  acted: { show?: { id: string }; secret?: readonly { head: readonly [string, string]; text: string }[] },
): Output {
  const shown = acted.show?.id ?? id
  const secrets = acted.secret ?? []
  return {
    json: {
      id: shown,
      ...Object.fromEntries(
        secrets.map(({ head, text }) => [head[0].toLowerCase().replaceAll(' ', '_'), text]),
      ),
    },
    text: [
      `${(act.done ?? both('Done.'))[0]}${shown ? ` ${shown}` : ''}`,
      ...secrets.map(({ head, text }) => `${head[0]}: ${text}`),
    ].join('\n'),
  }
}

export const sectionCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  allSections.flatMap((section) => [
    [`${section.one} list`, listCommand(section)],
    ...(section.find ? [[`${section.one} show`, showCommand(section)]] : []),
    ...Object.entries(section.sectionActs ?? {}).map(([name, act]) => [
      `${section.one} ${name}`,
      actCommand(section, name, act, false),
    ]),
    ...Object.entries(section.acts).map(([name, act]) => [
      `${section.one} ${name}`,
      actCommand(section, name, act, true),
    ]),
  ]),
)
