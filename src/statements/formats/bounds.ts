/** What a statement may make us hold at once. A file may be of any size; nothing in it may. */
export const statementBounds = {
  /** Bytes decoded at a time. */
  pieceBytes: 64 * 1024,
  /** Characters of one line, of one CSV row, of one run of text or one tag in XML. */
  lineCharacters: 64 * 1024,
  /** Characters of one 1C document, or one MT940 entry, with all its lines. */
  documentCharacters: 256 * 1024,
  /** Accounts that one 1C header names. */
  accounts: 1_000,
  /** Lines of one MT940 entry with its text. */
  linesPerEntry: 1_000,
  rawCharacters: 4_000,
  /** As a bank's push has them. */
  numberCharacters: 64,
  bankIdCharacters: 128,
  /** Lines above a CSV header, and columns of it. */
  skippedRows: 1_000,
  columns: 500,
  xmlDepth: 64,
  xmlNameCharacters: 256,
  xmlAttributes: 64,
  /** Transactions of one camt entry, what is kept of each, and of all of them. */
  detailsPerEntry: 10_000,
  valuesPerDetail: 200,
  charactersPerEntry: 8 * 1024 * 1024,
} as const
