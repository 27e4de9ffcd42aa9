/**
 * A text as a regular expression of PostgreSQL. Each letter is written in both cases, because a database without a
 * locale knows no cases of Cyrillic, and Ё also as Е, as banks write it.
 */
export const textPattern = (text: string): string => [...text].map(letterPattern).join('')

function letterPattern(letter: string): string {
  if (letter === ' ') return '\\s+'
  const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()])
  if (/[её]/i.test(letter)) for (const spelling of 'еЕёЁ') cases.add(spelling)
  const all = [...cases].filter((spelling) => [...spelling].length === 1)
  if (all.length > 1) return `[${all.join('')}]`
  // Only ASCII characters are special in a pattern; PostgreSQL refuses a backslash before a letter.
  return /[!-/:-@[-`{-~]/.test(letter) ? `\\${letter}` : letter
}

/** A search box: every word of it as a pattern. */
export const wordPatterns = (text: string): string[] =>
  text.normalize('NFC').slice(0, 100).split(/\s+/).filter(Boolean).map(textPattern)
