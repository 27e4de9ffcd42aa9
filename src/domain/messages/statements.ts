/** What is wrong with a bank’s file: why it is refused, why a row cannot be read, where its totals differ. */
export const statementsEn = {
  file_refused: 'Line {line}: {why} Nothing was imported.',
  lines_read_as_one_row: '{why} Lines {from} to {to} were read as one row.',

  not_a_statement:
    'This file is not a statement in a supported format: 1C exchange, camt.053/.054, MT940, CSV or Excel (.xlsx). Unpack an archive, and save a workbook without a password.',
  file_is_empty: 'The file is empty.',
  line_in_another_encoding:
    'This line cannot be read as {encoding}: the file has another encoding than it began with, or than was set.',
  line_holds_zero_byte: 'This line holds a zero byte: the file is not a text, or it was damaged on its way.',
  line_too_long: 'This line is longer than 64 KB: the file is not a statement, or its line breaks were lost.',
  line_holds_foreign_break:
    "This line holds a line break of another kind than the file's own: a payer's text may be made to look like the bank's.",
  account_not_ours:
    'The account {account} is not one of your receiving accounts in this mode: choose the other mode, set this number on one of them, or export the statement without it.',
  file_reads_otherwise:
    'The file reads differently than when it was checked. Nothing was imported: upload it again.',
  entries_in_two_statements:
    'The file repeats an entry of one of its statements in another one ({count} in all, the first in line {line}), and the bank gives it no number: imported, it counts as a further payment.',

  of_account: 'Account …{account}: {why}',
  totals_missing: 'the file has no total of incoming payments, so its rows cannot be verified.',
  day_in_two_sections: 'the file contains {day} in two sections.',
  balances_do_not_follow:
    'the section that ends on {day} closes with {closing}, and the next one opens with {opening}.',
  too_many_sections: 'The file has more than 10,000 account sections or statements.',
  credits_differ: 'the file states {told} incoming, but its rows add up to {seen}.',
  debits_differ: 'the file states {told} outgoing, but its rows add up to {seen}.',
  balances_differ: 'its balances change by {told}, but incoming minus outgoing is {moved}.',

  field_empty: '{field} is empty.',
  field_zero: '{field} is zero.',
  amount_expected: '{field} is {text}: an amount above zero is expected here.',
  amount_digits_expected:
    '{field} is {text}: digits are expected, with at most two decimals and no thousands mark.',
  amount_too_large: '{field} is {text}: no amount is above {most}.',
  currency_expected: '{field} is {text}: RUB, UZS, KZT or TJS is expected.',
  day_expected: '{field} is {text}: a day written as {format} is expected.',
  iso_time_expected: '{field} is {text}: an ISO 8601 day or time is expected.',
  field_too_long: '{field} is longer than {most} characters: it begins with {text}.',

  mt_type_not_read: 'MT{type} is not supported: ask the bank for MT940.',
  file_holds_no_statement: 'The file holds no statement: none begins with :20:.',
  line_belongs_to_no_statement: 'This line belongs to no statement: each begins with :20:.',
  line_belongs_to_no_field: 'This line belongs to no field.',
  field_out_of_place:
    'This field cannot stand here: another one is missing before it, or it is part of a text that is written to look like a field.',
  closing_balance_missing: 'The statement that starts here has no closing balance (:62F:): it is cut off.',
  entry_too_long: 'The entry that starts here is longer than 256 KB or 1,000 lines.',
  balances_in_two_currencies: 'The balances of the statement are in two currencies.',
  balance_shape: 'The balance is {text}: C or D, a day, a currency and an amount are expected.',
  entry_line_shape:
    'The line is {text}: a value date, C or D, an amount and a type of four signs are expected.',
  entry_line_day: 'The line is {text}: it does not begin with days that a calendar has.',
  message_does_not_add_up: 'The message that starts in line {line} does not agree with its own balances.',

  row_too_long: 'The row that starts here is longer than 64 KB: a quote is not closed.',
  text_follows_quote: 'Text follows a closing quote in this row.',
  file_ends_before_header: 'The file ends before its header, expected in line {line}.',
  quote_never_closed: 'A quote opens in this row and is never closed.',
  row_cut_off: 'The row that starts here is cut off inside a quoted field.',
  file_has_no_rows: 'The file holds a header and no rows.',
  header_column_changed:
    'The header has changed: column {place} was {was} and is now {is}. Check the mapping and save it again.',
  row_width_differs: 'The row has {fields} fields, the header {columns}.',
  last_line_may_be_cut:
    'The file ends in {field}, without a line end: the amount may be cut off. If it is whole, end the line.',
  one_amount_expected: 'One of {credit} and {debit} is expected to be above zero, and only one.',

  file_holds_header_only: 'The file holds a header only: no account section, no document.',
  first_line_wrong: 'The first line is not exactly {first}: this is no 1C statement.',
  section_behind_document:
    "An account section stands behind a document: a bank writes them all before the first one, and a payer's text may hold one.",
  document_never_began: "A document ends here that never began: a payer's text may hold the end of one.",
  line_between_documents:
    "This line stands between two documents: a payer's text may hold the end of one, or two files of different encodings were joined.",
  document_too_long: 'The document that starts here is longer than 256 KB.',
  section_names_no_account: 'The account section names no account.',
  section_cut_off: 'What starts here has no {end}: it is cut off.',
  document_field_twice: 'The document has {field} twice, with different values.',
  document_names_no_account: 'The document does not say which account of ours it is for.',
  both_sums_filled: 'СуммаПриход and СуммаРасход are both filled.',
  sums_differ: 'Сумма differs from СуммаПриход or СуммаРасход, which it repeats.',
  document_has_no_date: 'The document has no date.',

  xml_holds_no_statement: 'The XML holds no statement: camt.053, camt.054 or camt.052 is expected.',
  statement_names_no_account: 'The statement does not name its account.',
  entry_too_large: 'What starts here is longer than 8 MB, or has more than 10,000 transactions.',
  entries_without_status:
    'Entries of this camt.053 do not say whether they are booked (Ntry/Sts is missing): a camt.053 holds booked entries by definition, so they are read as booked.',
  entry_status_unknown: 'Ntry/Sts is missing, or not BOOK, PDNG, INFO or FUTR.',
  entry_direction_unknown: 'CdtDbtInd is neither CRDT nor DBIT.',
  entry_has_no_date: 'The entry has no date.',
  transaction_in_another_currency: 'A transaction of the entry is in another currency than the entry.',
  transaction_goes_other_way: 'A transaction of the entry goes the other way than the entry.',
  transactions_do_not_add_up: 'The transactions of the entry do not add up to its amount.',
  xml_encoding: 'The XML is declared in an encoding other than UTF-8 and windows-1251.',
  xml_document_type: 'The XML has a document type or an entity declaration: such files are refused.',
  xml_cut_off: 'The file ends inside <{tag}>: it is cut off.',
  xml_not_well_formed: 'This is not well-formed XML: the file is damaged, or no bank wrote it.',
  xml_too_large:
    'The XML holds a text or a tag that is longer than 64 KB, or elements deeper than 64 levels.',
  xml_entity_unknown: 'The XML uses an entity or a character other than XML itself allows.',

  import_is_being_undone: 'The import of this file is being undone.',

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
