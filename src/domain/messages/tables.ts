/** The same of tables: CSV and Excel workbooks. */
export const tablesEn = {
  row_line_break_differs:
    'The row ends with another line break than the header does: a text was written without quotes.',
  quoted_text_may_hide_rows:
    'A text in quotes holds line breaks and as many separators as a row, in line {lines}: rows may be missing there.',
  footer_proves_nothing:
    "The totals below the rows prove nothing in CSV, because a payer's text could have written them: compare the incoming payments with the bank.",
  running_balance_breaks:
    'The running balance breaks at line {lines}: a row is missing before it, or there is one too many.',
  running_balance_missing: 'The running balance is missing in line {lines}.',
  no_row_is_booked:
    'None of the {count} rows has a status that counts as booked: check the list of booked statuses.',
  all_rows_read_as_credits:
    'All {count} rows are read as incoming: no amount has a sign, and no column shows the direction.',
  credit_below_zero: '{field} is below zero, but the direction says incoming.',
  direction_unknown: '{field} is {text}: this value means neither money in nor money out.',
  table_needs_mapping: 'Describe the columns of this table and save them as a format.',

  not_a_workbook: 'This is not an Excel workbook: upload the statement as .xlsx.',
  workbook_is_encrypted: 'The workbook is encrypted: save it without a password and upload that.',
  workbook_too_large: 'The workbook is larger than 50 MB: export a shorter period.',
  workbook_damaged: 'The workbook is cut off, damaged or made to be read in two ways.',
  workbook_holds_too_much:
    'The workbook holds more than a statement can: files, names, sheets, columns or text, or it is a zip bomb.',
  sheet_row_too_long: 'The row of the cell {cell} holds more than 64 KB of text.',
  cell_is_wrong:
    'The cell {cell} stands twice in the sheet, or names a text that the workbook does not have: it is damaged.',
  no_sheet_has_header:
    'No sheet of the workbook has the header of this format in its first 100 rows. Check the format and save it again.',
  several_sheets_hold_table:
    'More than one sheet holds such a table ({names}): save each as a workbook of its own.',
} as const
