/** Account numbers as banks write them. */

/** Digits or IBAN, without the spaces, dashes and invisible marks that banks group them with. */
export const normalizeAccountNumber = (text: string): string =>
  /^[\dA-Z]*$/.test(text) ? text : text.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toUpperCase()
