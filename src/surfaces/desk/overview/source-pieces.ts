/** A source as the reader of the desk calls it. */
import type { Source } from '../../../domain/transfers/source.ts'
import { caseWords } from '../case-words.ts'
import type { DeskContext } from '../frame.ts'

/** A push by the name that the operator gave it; files by their format, tables also by the name of theirs. */
export function sourceText(
  { language }: Pick<DeskContext, 'language'>,
  { kind, name, channel }: Pick<Source, 'kind' | 'name' | 'channel'>,
): string {
  if (kind === 'push') return name
  const format = caseWords[language].channels[channel]
  return kind !== 'file' || name === channel ? format : `${format} (${name})`
}
