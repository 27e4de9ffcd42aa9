/** How much of a bank's text about one payment is stored. */
export const bankTextBounds = {
  rawCharacters: 4_000,
  numberCharacters: 64,
  bankIdCharacters: 128,
} as const
