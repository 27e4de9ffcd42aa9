/** A source as a person names it: its id, its name, or a kind of file that nobody has imported yet. */
import type { Queryable, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { formatNames } from '../transfers/channel.ts'
import type { Source, SourceChoice } from '../transfers/source.ts'
import { findSource, listSources, sourceOf } from '../transfers/source-store.ts'
import { listMappings } from './store.ts'

/** `1c`, or `csv:kapital`: the files of a format, of tables those of a saved mapping. */
export async function namedSource(tx: Tx, { mode, text }: { mode: Mode; text: string }): Promise<Source> {
  const choices = await listSourceChoices(tx, mode)
  const byText = choices.filter((choice) => choice.text === text || choice.text === text.toLowerCase())
  const [found, second] = byText.length > 0 ? byText : choices.filter(({ source }) => source.name === text)
  if (second) throw new Refusal('invalid_value', { detail: message('several_sources_have_name') })
  if (!found) throw new Refusal('not_found', { detail: message('no_bank_source_named') })
  const { kind, channel, name } = found.source
  return kind === 'file' ? sourceOf(tx, { mode, kind, channel, name }) : (await findSource(tx, found.text))!
}

/** What an account can listen to: the sources of its mode, and kinds of files that nobody has imported yet. */
export async function listSourceChoices(db: Queryable, mode: Mode): Promise<SourceChoice[]> {
  const known = (await listSources(db)).filter((source) => source.mode === mode && source.kind !== 'hand')
  const tables = await listMappings(db)
  const files = [
    ...formatNames.map((channel) => ({ channel, name: channel as string })),
    ...tables.flatMap(({ name }) => (['csv', 'xlsx'] as const).map((channel) => ({ channel, name }))),
  ].map((file) => ({ ...file, kind: 'file' as const }))
  const used = known.map((source) => ({
    ...{ source, isUsed: true },
    text: source.kind === 'file' ? textOf(source) : source.id,
  }))
  const unused = files
    .map((source) => ({ source, isUsed: false, text: textOf(source) }))
    .filter(({ text }) => !used.some((choice) => choice.text === text))
  return [...used, ...unused]
}

const textOf = ({ name, channel }: Pick<Source, 'name' | 'channel'>): string =>
  name === channel ? channel : `${channel}:${name}`
