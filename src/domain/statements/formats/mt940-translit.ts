/**
 * Russian text as SWIFT-RUR (version 6) writes it in Latin letters: one letter for each, and an apostrophe before and
 * behind what is Latin itself. A reference to the sender that begins with `+` says that a message is written so.
 */

/** The text of one field in its parts: what is Latin may go on from one to the next. */
export function fromTranslit(parts: readonly string[]): string[] {
  let isLatin = false
  return parts.map((part) => {
    let text = ''
    for (const letter of part) {
      if (letter === "'") isLatin = !isLatin
      else text += isLatin ? letter : (letters[letter] ?? letter)
    }
    return text
  })
}

const latin = 'ABVGDEoJZIiKLMNOPRSTUFHCcQqxYXeuanpjm'
const russian = 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ№%\'"'

const letters: Record<string, string> = Object.fromEntries(
  [...latin].map((letter, place) => [letter, [...russian][place]!]),
)
