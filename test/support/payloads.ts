/**
 * Texts that do harm where they are not treated as texts, each with a mark by which it is found again. They are short:
 * most fields take a hundred characters.
 */

/** What a page must never do: run it, hold it as an element, or ask for its address. */
export const payloads = {
  /** Several at once, for a short look. */
  mixed: (mark: string) => `=<img src=x onerror=canary('${mark}')><i data-canary=${mark}>\u202e`,
  image: (mark: string) => `<img src=x onerror=canary('${mark}')><i data-canary=${mark}>`,
  script: (mark: string) => `${mark}"><script>canary('${mark}')</script><i data-canary=${mark}>`,
  foreign: (mark: string) => `'><script src=//canary.invalid/${mark}></script><i data-canary=${mark}>`,
  attribute: (mark: string) => `${mark}" onfocus="canary('${mark}')" autofocus data-canary="${mark}`,
  quote: (mark: string) => `${mark}' onfocus='canary("${mark}")' autofocus data-canary='${mark}`,
  closing: (mark: string) =>
    `</title></style></textarea></script><svg data-canary=${mark} onload=canary('${mark}')>`,
  comment: (mark: string) => `--><i data-canary=${mark}><!--]]><i data-canary=${mark}>`,
  entity: (mark: string) => `&lt;i data-canary=${mark}&gt;&#60;i data-canary=${mark}&#62;`,
  template: (mark: string) => `${mark} {{7*7}} \${7*7} <%= 7*7 %> #{7*7} [[7*7]]`,
  sql: (mark: string) => `${mark}'; drop table deposits; --`,
  pattern: (mark: string) => `${mark}%_\\$1$&`,
  formula: (mark: string) => `=cmd|'/C calc'!A0 ${mark}`,
  plus: (mark: string) => `+1+${mark}`,
  minus: (mark: string) => `-1+${mark}`,
  at: (mark: string) => `@SUM(1+1) ${mark}`,
  tab: (mark: string) => `\t=1+1 ${mark}`,
  hidden: (mark: string) => `\u200b=1+1 ${mark}`,
  wide: (mark: string) => `＝1+1 ${mark}`,
  bidi: (mark: string) => `\u202e${mark}\u2066 txt`,
  zalgo: (mark: string) => `${mark}${'\u0301'.repeat(30)}`,
  terminal: (mark: string) => `\u001b[31m${mark}\u001b]0;x\u0007`,
  eightBit: (mark: string) => `\u009b31m${mark}`,
  lines: (mark: string) => `${mark}\r\nSet-Cookie: canary=${mark}\r\n\r\n<i data-canary=${mark}>`,
  separators: (mark: string) => `${mark}\u2028\u2029\u0085x`,
} as const
export type PayloadName = keyof typeof payloads
export const payloadNames = Object.keys(payloads) as PayloadName[]

/** Markup that was let in: what stands in a page when a text was not escaped. Scripts of ours hold none of it. */
export const injected = (text: string): string | null =>
  /<(?:i|svg) data-canary[^>]*>|<img src=x[^>]*>|<script[^>]*canary[^>]*>|<script>canary[^<]*/i.exec(
    text,
  )?.[0] ?? null

/** Cells that a spreadsheet would calculate. */
export function formulasIn(csv: string, separator: ',' | ';'): string[] {
  const cells: string[] = []
  for (const [, quoted, plain] of csv.matchAll(
    new RegExp(`(?:^|[${separator}\\n])(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n"]*))`, 'g'),
  ))
    cells.push((quoted ?? plain ?? '').replaceAll('""', '"'))
  const starts = /^[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]/u
  // A number, or a day, is ours.
  return cells.filter((cell) => starts.test(cell) && !/^-?\d+([.,]\d+)?$/.test(cell) && cell !== '-')
}

/** What a terminal would obey, and what turns the reading around. */
export const commandsOfTerminals = (text: string): string[] =>
  [...text.matchAll(/[^\P{Cc}\n\r\t]|[\u202a-\u202e\u2066-\u2069]/gu)].map(
    ([character]) => `U+${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
