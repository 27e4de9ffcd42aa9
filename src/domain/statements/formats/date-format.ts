/** The orders in which banks write a day. */
export const dateFormats = [
  'dd.mm.yyyy',
  'dd/mm/yyyy',
  'dd-mm-yyyy',
  'yyyy-mm-dd',
  'yyyy.mm.dd',
  'dd.mm.yy',
] as const
export type DateFormat = (typeof dateFormats)[number]
