/**
 * Makes JSON safe to print on a terminal. JSON escapes only the control characters below U+0020. Terminals also obey those
 * from U+007F to U+009F, and direction marks change the order in which a line is shown. Here these are escaped as `\u…`
 * too: a program that parses the JSON reads the same values.
 */
export const terminalJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
