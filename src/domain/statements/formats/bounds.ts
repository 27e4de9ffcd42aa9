/** Limits of what is kept in memory. A file may have any size, but no part of it may. */
export const statementBounds = {
  pieceBytes: 64 * 1024,
  /** Characters of one line, of one row of a table, of one run of text or one tag in XML. */
  lineCharacters: 64 * 1024,
  /** Characters of all that one payment says of its payer and its purpose. */
  textCharacters: 10_000,
  /** Characters of one 1C document, or one MT940 entry, with all its lines. */
  documentCharacters: 256 * 1024,
  /** Lines of one MT940 entry with its text. */
  linesPerEntry: 1_000,
  /** Summaries of one file: sections of 1C, statements of camt. One per day is 27 years. */
  summaries: 10_000,
  /** Of a document's number, and of the bank's own id of a payment. */
  numberCharacters: 64,
  bankIdCharacters: 128,
  /** Lines above a CSV header, and columns of it. */
  skippedRows: 1_000,
  columns: 500,
  /** Rows of a sheet in which its header is looked for, and their characters. */
  headerRows: 100,
  headerRowsCharacters: 1024 * 1024,
  /** Words of a direction or a status, and characters of one. */
  words: 50,
  wordCharacters: 100,
  /** A workbook is kept in memory. These are its bytes, the files in it, and the bytes of the name of a file. */
  workbookBytes: 50 * 1024 * 1024,
  workbookFiles: 1_000,
  fileNameBytes: 1_000,
  /** Bytes of all files unpacked. A file of more than the free bytes may be at most so many times as large as packed. */
  inflatedBytes: 1024 * 1024 * 1024,
  inflatedRatio: 300,
  inflatedFreeBytes: 16 * 1024 * 1024,
  sheets: 100,
  sheetNameCharacters: 100,
  /** Names of a bank's columns are shorter. */
  headerCharacters: 200,
  /** Texts that the cells of a workbook share, and the bytes of all of them, which are kept in memory. */
  sharedTexts: 2_000_000,
  sharedBytes: 48 * 1024 * 1024,
  styles: 65_536,
  xmlDepth: 64,
  /** Transactions of one camt entry, and the characters of all that is kept of it. */
  transactionsPerEntry: 10_000,
  charactersPerEntry: 8 * 1024 * 1024,
} as const
