/** Account numbers as banks write them. */

/** Digits or IBAN, without the spaces, dashes and invisible marks that banks group them with. */
export const normalizeAccountNumber = (text: string): string =>
  /^[\dA-Z]*$/.test(text) ? text : text.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toUpperCase()

/** Whether it is an account in full: 20 digits, or an IBAN. Cards have 19 digits at most, and a masked number may be that of a card. */
export const isWholeAccount = (text: string): boolean =>
  /^(?:\d{20}|[A-Z]{2}\d{2}[A-Z\d]{11,30})$/.test(normalizeAccountNumber(text))
