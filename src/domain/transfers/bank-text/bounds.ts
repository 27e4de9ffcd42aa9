/** How much is kept of what a bank writes of one payment, in a file or a push. */
export const bankTextBounds = {
  rawCharacters: 4_000,
  numberCharacters: 64,
  bankIdCharacters: 128,
} as const
