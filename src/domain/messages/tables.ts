/** The same of tables: CSV and Excel workbooks. */
export const tablesEn = {
  row_line_break_differs:
    'The row ends with another line break than the header does: a text was written without quotes.',
  quoted_text_may_hide_rows:
    'A text in quotes holds line breaks and as many separators as a row, in line {lines}: rows may be missing there.',
  rows_have_more_fields:
    'Line {lines} has more fields than other rows: a separator in a text may have moved the columns behind it.',
  running_balance_breaks:
    'The running balance breaks at line {lines}: a row is missing before it, or there is one too many.',
  running_balance_missing: 'The running balance is missing in line {lines}.',
  no_row_is_booked:
    'None of the {count} rows has a status that counts as booked: check the list of booked statuses.',
  all_rows_read_as_credits:
    'All {count} rows are read as incoming: no amount has a sign, and no column shows the direction.',
  document_numbers_count_rows:
    'The column {column} only counts the rows. Another file may count them in another way, and its payments would be taken twice: this is not the number of a document.',
  row_numbers_left_out:
    'The column {column} only counts the rows, so its numbers are not used as numbers of documents.',
  mapped_numbers_count_rows:
    'The column {column} only counts the rows, and another file counts them in another way. Save the format without it as the number of the document.',
  credit_below_zero: '{field} is below zero, but the direction says incoming.',
  direction_unknown: '{field} is {text}: this value means neither money in nor money out.',
  row_must_name_our_account_once:
    'The row must name our account as the payer or as the receiver, and not as both: its direction is not known.',
  header_unknown: 'The header matches no known format: describe the columns and save them as a format.',
  header_fits_several_layouts:
    'The header matches more than one format ({names}): describe the columns and save them as a format.',
  file_names_another_account: 'The file is for account {named}, but {said} was chosen.',
  file_names_no_account:
    'The file has the format {name} but names none of your accounts: choose the account.',

  workbook_has_password: 'This is a workbook with a password: save it without one and upload that.',
  not_a_workbook: 'This is not an Excel workbook: upload the statement as .xlsx.',
  workbook_is_binary: 'This is a binary workbook (.xlsb): save it as .xlsx and upload that.',
  workbook_holds_macros: 'The workbook holds macros: save it without them (.xlsx) and upload that.',
  workbook_has_links: 'The workbook takes values from other files: save it without links and upload that.',
  workbook_holds_other_files:
    'The workbook holds other files inside it: save it without them and upload that.',
  workbook_is_encrypted: 'The workbook is encrypted: save it without a password and upload that.',
  workbook_is_zip_bomb: 'The workbook is a zip bomb: it unpacks to far more than a statement can hold.',
  workbook_packed_strangely: 'The workbook has an unusual structure: it is damaged or malicious.',
  workbook_holds_a_name_twice: 'The workbook contains two files with the same name: it is malicious.',
  workbook_damaged: 'The workbook is cut off or damaged.',
  workbook_checksum_wrong: 'A part of the workbook is damaged: its checksum is wrong.',
  workbook_lacks_a_part: 'A part of the workbook is missing: it is damaged.',
  workbook_too_large: 'The workbook is larger than 50 MB: export a shorter period.',
  workbook_holds_a_long_name:
    'The workbook contains a file with a name longer than 1,000 bytes: it is not a statement.',
  workbook_holds_too_many_files: 'The workbook contains more than 1,000 files: it is not a statement.',
  workbook_has_too_many_sheets: 'The workbook has more than 100 sheets: it is not a statement.',
  workbook_holds_too_much_text: 'The workbook holds more text than a statement can.',
  workbook_has_too_many_styles: 'The workbook has more styles than Excel allows: it is damaged.',
  sheet_rows_out_of_order: 'The rows of the sheet are out of order: it is damaged.',
  cell_in_another_row: 'A cell stands in another row than it says: the sheet is damaged.',
  sheet_row_too_long: 'The row of the cell {cell} holds more than 64 KB of text.',
  cell_too_long: 'The cell {cell} holds more than 64 KB of text.',
  cell_stands_twice: 'The cell {cell} stands twice in the sheet: it is damaged.',
  cell_names_unknown_text: 'The cell {cell} names a text that the workbook does not have.',
  sheet_has_too_many_columns: 'The sheet has more than 500 columns: it is not a statement.',
  no_sheet_has_header:
    'No sheet of the workbook has the header of this format in its first 100 rows. Check the format and save it again.',
  several_sheets_hold_table:
    'More than one sheet holds such a table ({names}): save each as a workbook of its own.',
  cells_hold_formulas:
    'Cells hold formulas ({cells}; {count} in all): their values were computed by some program, not written by the bank.',
} as const
