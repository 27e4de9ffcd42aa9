/**
 * A language that nobody speaks: every sentence of a real one, two fifths longer. A layout that holds with it
 * has the room that translations need. Letters are repeated inside the words, because a long word is harder to
 * place than one word more; what the caller fills in (amounts, times, names) stays as it is.
 */
import type { Messages } from '../../src/surfaces/web/messages/ru.ts'

export const lengthening = 0.4

export const pseudoLocale = (source: Messages): Messages => stretched(source) as Messages

type Sentence = (...values: unknown[]) => string

function stretched(part: unknown): unknown {
  if (typeof part === 'string') return longer(part)
  if (typeof part === 'function') return (...values: unknown[]) => filledIn(part as Sentence, values)
  return Object.fromEntries(Object.entries(part as object).map(([key, value]) => [key, stretched(value)]))
}

/** Values stand as private characters while the sentence grows; a number stays, to pick its plural form. */
function filledIn(sentence: Sentence, values: unknown[]): string {
  const marks = values.map((value, place) =>
    typeof value === 'string' ? String.fromCharCode(0xe000 + place) : value,
  )
  return longer(sentence(...marks)).replace(/[\ue000-\ue00f]/g, (mark) =>
    String(values[mark.charCodeAt(0) - 0xe000]),
  )
}

/** Spread evenly over the letters and rounded up, so that the shortest label grows too. */
function longer(text: string): string {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const more = Math.ceil(text.length * lengthening)
  let seen = 0
  return text.replace(/\p{L}/gu, (letter) => {
    const before = Math.ceil((more * seen) / letters)
    seen += 1
    return letter.repeat(1 + Math.ceil((more * seen) / letters) - before)
  })
}
