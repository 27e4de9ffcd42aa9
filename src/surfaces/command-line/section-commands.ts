/** Commands of declared sections: the list, one row, and each act, by a named person and under the rules of the desk. */

import type { Config } from '../../config.ts'
import { allowsRoles } from '../../domain/people/access.ts'
import { takeClaim } from '../../domain/people/claim-store.ts'
import { emailOf } from '../../domain/people/person.ts'
import { findPersonByEmail } from '../../domain/people/store.ts'
import { updateDemoKeys } from '../../domain/sandbox/update-demo-keys.ts'
import { cachedDatabaseTime } from '../../platform/db.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { reasonOf } from '../../platform/operator-problem.ts'
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
import { FieldsRefused } from '../../sections/typed.ts'
import type { Command, Output, Terminal, Values } from './command.ts'
import { integer, optional, required, table, UsageProblem, uuid } from './options.ts'

export const sectionCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  allSections.flatMap((section) => [
    ...(section.only ? [] : [[`${section.one} list`, listCommand(section)]]),
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

function idWord({ only }: Section): string {
  return only ? '' : ' ID'
}

function merchantOption({ read }: Section): string {
  return read.for === 'merchant' ? ' --merchant ID' : ''
}

async function contextOf(
  { db, vault }: Foundation,
  { publicUrl, isTrustedHost, dataDir }: Config,
  section: Section,
  values: Values,
  { stderr }: Pick<Terminal, 'stderr'>,
): Promise<Context> {
  const merchantId = section.read.for === 'merchant' ? uuid(required(values, 'merchant'), '--merchant') : null
  return {
    ...{ db, vault, publicUrl, isTrustedHost, merchantId, personId: null, sections: allSections },
    ...{ timeZone: 'UTC', language: 'en', now: await cachedDatabaseTime(db)() },
    // Running processes notice by themselves, within a second; the demo shop reads its keys from a file.
    changed: () => {},
    // What is done is done, and a new secret not yet printed: a problem here must not end the command.
    merchantsChanged: () =>
      updateDemoKeys(dataDir, { db, vault }).then(
        () => {},
        (error) =>
          void stderr.write(`demo.json cannot be written (${reasonOf(error)}): it still has the old key.\n`),
      ),
  }
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

function filterUsage(filter: Filter): string {
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
    async run(foundation, values, _words, config, terminal) {
      const context = await contextOf(foundation, config, section, values, terminal)
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
    usage: `inlet ${section.one} show${idWord(section)}${merchantOption(section)}`,
    summary: `${section.name[0].toLowerCase()}: ${section.only ? 'as they are' : 'one of them'}`,
    ...(!section.only && { words: 1 }),
    async run(foundation, values, [word], config, terminal) {
      const context = await contextOf(foundation, config, section, values, terminal)
      const id = section.only?.(context) ?? required({ id: word }, 'id')
      const row = await section.find?.(context, id)
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

function optionOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function actCommand(section: Section, name: string, act: AnyAct, hasRow: boolean): Command {
  const fields = Object.entries(act.fields as Fields<unknown>)
  const options = fields.map(([field, one]) => {
    if (one.is === 'tick') return `[--${optionOf(field)}${one.value ? ' on|off' : ''}]`
    const of =
      one.is === 'choice' && typeof one.of !== 'function' ? one.of.map(({ value }) => value).join('|') : null
    const text = `--${optionOf(field)} ${of ?? (one.is === 'cents' ? 'AMOUNT' : one.is === 'count' ? 'N' : 'TEXT')}`
    return one.isOptional || one.value ? `[${text}]` : text
  })
  const who = act.isPlain ? ['--by EMAIL'] : ['--by EMAIL', '--reason TEXT']
  return {
    usage: [
      `inlet ${section.one} ${name}${hasRow ? idWord(section) : ''}${merchantOption(section)}`,
      ...options,
      ...who,
    ].join(' '),
    summary: (act.effect ?? both(`${act.name[0].toLowerCase()}`))[0],
    ...(hasRow && !section.only && { words: 1 }),
    async run(foundation, values, [word], config, terminal) {
      const context = await contextOf(foundation, config, section, values, terminal)
      const id = hasRow ? (section.only?.(context) ?? required({ id: word }, 'id')) : null
      // An option that is not given keeps the value that there is.
      const texts = Object.fromEntries(
        fields.flatMap(([field, one]) => {
          const given = values[optionOf(field)]
          if (one.is === 'tick' && !one.value) return [[field, given === true ? 'on' : '']]
          return typeof given === 'string' ? [[field, given]] : []
        }),
      )
      const person = await personNamed(context, act, required(values, 'by'))
      const reason = act.isPlain ? '' : required(values, 'reason')
      if (act.holds && section.claim && id !== null) {
        const row = await section.find?.(context, id)
        if (row === undefined) throw new Refusal('not_found')
        await takeClaim(context.db, section.claim.item(row), person.personId, 1)
      }
      const known = { ...context, personId: person.personId }
      const wanted = { section, name, id, texts }
      const performed = await performAct(known, wanted, { ...person, reason }).catch(refusedFields)
      return performed.is === 'proposed' ? waiting(performed.id) : doneOutput(act, id, performed.acted)
    },
  }
}

/** What is wrong with a value is said with its option. */
function refusedFields(error: unknown): never {
  if (!(error instanceof FieldsRefused)) throw error
  const problems = Object.entries(error.problems).map(([field, [text]]) => `--${optionOf(field)}: ${text}`)
  throw new UsageProblem(problems.join('\n'))
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
