/**
 * JSON that is safe to print on a terminal. JSON itself escapes only control characters below U+0020; terminals obey
 * those of U+0080 too, and marks of direction show a line in another order than it is written in. Escaped, they are
 * the same document for every program.
 */
export const terminalJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
