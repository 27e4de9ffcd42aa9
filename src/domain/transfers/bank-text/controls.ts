/**
 * Control characters, and the line ends of Unicode: a bank's text reaches a database, a page and a terminal, and none of
 * them wants any.
 */

/** As spaces, so that words stay apart. Done before cards are masked: digits come together by it. */
export const withoutControls = (text: string): string =>
  control.test(text) ? text.replace(everyControl, ' ') : text

/** The same for a text of several lines, which keep their breaks and their tabs. */
export const linesWithoutControls = (text: string): string => text.replace(everyOther, ' ')

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const everyControl = new RegExp(control, 'g')
const everyOther = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g
