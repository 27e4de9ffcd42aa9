/** A source as a person names it: its id, its name, or a kind of file that nobody has imported yet. */
import type { Queryable, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { type FormatName, formatNames } from '../transfers/channel.ts'
import type { Source, SourceChoice } from '../transfers/source.ts'
import { findSource, listSources, sourceOf } from '../transfers/source-store.ts'
import { layouts } from './formats/layouts.ts'
import { findMapping, listMappings } from './store.ts'

/** `1c`, or `csv:kapital`: the files of a format, of tables those of a saved mapping or a known layout. */
export async function namedSource(tx: Tx, { mode, text }: { mode: Mode; text: string }): Promise<Source> {
  const [word = '', name = ''] = [
    text.split(':', 1)[0],
    text.includes(':') ? text.slice(text.indexOf(':') + 1) : '',
  ]
  const channel = formatNames.find((format) => format === word.toLowerCase())
  if (channel && (await isFileName(tx, channel, name)))
    return sourceOf(tx, { mode, kind: 'file', channel, ...(name && { name }) })
  const found = isUuid(text)
    ? [await findSource(tx, text)].flatMap((source) => source ?? [])
    : (await listSources(tx)).filter((source) => source.name === text && source.mode === mode)
  const [source, second] = found
  if (second) throw new Refusal('invalid_value', { detail: message('several_sources_have_name') })
  if (source?.mode !== mode) throw new Refusal('not_found', { detail: message('no_bank_source_named') })
  return source
}

/** What an account can listen to: the sources of its mode, and kinds of files that nobody has imported yet. */
export async function listSourceChoices(db: Queryable, mode: Mode): Promise<SourceChoice[]> {
  const known = (await listSources(db)).filter((source) => source.mode === mode && source.kind !== 'hand')
  const tables = await listMappings(db)
  const files = [
    ...formatNames.map((channel) => ({ channel, name: channel as string })),
    ...tables.flatMap(({ name }) => (['csv', 'xlsx'] as const).map((channel) => ({ channel, name }))),
    ...layouts.map(({ format: channel, name }) => ({ channel, name })),
  ]
  const unused = files.filter(
    ({ channel, name }) =>
      !known.some((one) => one.kind === 'file' && one.channel === channel && one.name === name),
  )
  return [
    ...known.map((source) => ({ text: source.id, source, isUsed: true })),
    ...unused.map(({ channel, name }) => ({
      text: name === channel ? channel : `${channel}:${name}`,
      source: { kind: 'file' as const, name, channel },
      isUsed: false,
    })),
  ]
}

/** Only tables have names of their own. */
async function isFileName(tx: Tx, channel: FormatName, name: string): Promise<boolean> {
  if (name === '') return true
  const isTable = channel === 'csv' || channel === 'xlsx'
  return (
    isTable && (layouts.some((layout) => layout.name === name) || (await findMapping(tx, name)) !== undefined)
  )
}
