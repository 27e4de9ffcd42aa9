/**
 * Removes control characters and Unicode line ends from a bank's text before it reaches the database, a page or a
 * terminal.
 */

/** Replaced by spaces, so that words stay apart. Runs before cards are masked, because it can join groups of digits. */
export const withoutControls = (text: string): string =>
  control.test(text) ? text.replace(everyControl, ' ') : text

/** Like `withoutControls`, but keeps line breaks and tabs. */
export const linesWithoutControls = (text: string): string => text.replace(everyOther, ' ')

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const everyControl = new RegExp(control, 'g')
const everyOther = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g
