/** What deposits, transfers, refunds, matching and the test bank say. */
export const moneyEn = {
  deposit_cannot_be_given_method: 'A payment method cannot be chosen for a deposit that is {state}.',
  deposit_cannot_be_claimed: 'A payment cannot be reported for a deposit that is {state}.',
  deposit_cannot_be_paid: 'A deposit that is {state} cannot be paid.',
  deposit_cannot_be_confirmed: 'A deposit that is {state} cannot be confirmed.',
  deposit_cannot_be_rejected: 'A deposit that is {state} cannot be rejected.',
  deposit_cannot_be_canceled: 'A deposit that is {state} cannot be canceled.',
  deposit_cannot_be_expired: 'A deposit that is {state} cannot be expired.',
  deposit_cannot_be_reversed: 'A deposit that is {state} cannot be reversed.',
  time_for_late_money_is_over: 'Late payments are no longer accepted.',
  time_to_choose_method_is_over: 'The time to choose a payment method has expired.',
  money_for_deposit_has_been_seen: 'Money for this deposit has already arrived.',
  payment_on_its_way_cannot_be_given_up: 'A payment that has been sent cannot be canceled.',
  received_sum_must_stay_above_zero: 'The received amount must not be zero or become negative.',
  time_to_pay_is_over: 'The time to pay has expired.',
  customer_gave_up_on_payment_page: 'The customer canceled on the payment page',
  money_arrived: 'The money arrived',
  money_arrived_labeled: 'The money arrived, {labels}',
  no_deposit_with_id: 'There is no deposit with this id.',

  shares_must_add_up:
    'The shares must be of at least two deposits, above zero, and add up to the amount of the transfer.',
  too_many_transfers: 'Name one to {most} transfers.',
  shares_are_of_one_merchant: 'A transfer can be split only over deposits of one merchant.',
  decision_cannot_be_undone:
    'The last decision about this transfer cannot be undone: it is not a person’s, or the bank has done something since.',
  nothing_to_pair: 'No held transfer of this day has the amount of one that was told early and not booked.',
  pairs_have_changed: 'The pairs of this day have changed since you looked: look again.',
  no_parked_rows:
    'There are no such parked rows: a file may have closed their day, or a colleague has taken them.',
  only_files_are_booked: 'Only files can be the source that counts: a push or the test bank tells early.',
  voice_begins_later: 'This account has a later change, from {day}: choose that day or a later one.',
  money_is_known_as: 'This money is known already, as transfer {transfer}.',
  money_noted_by_hand: 'A person noted this money.',
  one_of_its_doubts_is_resolved: 'One of the payments that it may be is resolved; others are left.',
  account_counted_from:
    'Payments of {account} are counted from {source}. Change its source from a day on, on the account’s page or with "inlet account voice", or leave this file.',
  account_told_early_by:
    'Early reports of {account} come from {source}. Change that from a day on, on the account’s page or with "inlet account voice", or send nothing early.',
  may_be_known_payment: 'This may be a payment that is known already: a person decides.',
  told_alone:
    'It came after its day was closed, or near a change of the source of this account, and no other report tells it.',
  another_file_is_importing:
    'Another file, {file}, is being imported into {account}: finish that import, or undo it.',
  another_run_imports_file: 'Another run has taken over the import of this file.',
  day_is_not_closed: 'The file does not close its day: it waits for one that does.',
  early_report_is_never_complete: 'This file tells early and closes no day: leave the tick out.',
  no_bank_source_named:
    'There is no such source in the mode of this account: name it by its id or its name, or a kind of file, such as 1c, camt, mt940 or csv:NAME of a saved format.',
  several_sources_have_name: 'Several bank sources have this name: give the id.',

  transfer_cannot_be_matched: 'A transfer that is {state} cannot be matched.',
  transfer_cannot_be_set_aside: 'A transfer that is {state} cannot be set aside.',
  transfer_cannot_be_told_from_repetition:
    'A transfer that is {state} cannot be marked as a separate payment.',
  transfer_cannot_be_taken_back: 'A transfer that is {state} cannot be revoked.',
  transfer_cannot_be_given_back: 'A transfer that is {state} cannot be refunded.',
  transfer_cannot_be_same_as_another: 'A transfer that is {state} cannot be marked as a duplicate.',
  import_of_its_file_ended: 'The import of its file is being undone or has been undone.',
  import_of_its_file_undone: 'The import of its file was undone: {reason}',
  import_with_its_money_undone: 'The import of the statement with this money was undone.',
  no_other_payment_on_account: 'There is no other transfer with this id on this account.',
  other_payment_has_another_amount:
    'The amounts differ: only an entry that the bank corrected can be marked as a duplicate.',
  other_payment_does_not_count: 'The other transfer is {state}: choose one that counts.',
  no_transfer_with_id: 'There is no transfer with this id.',
  no_deposit_of_account_with_id: 'No deposit with this id uses this account.',
  no_deposit_found_for_transfer: 'No deposit that this transfer may be for is found by this.',
  several_deposits_found: 'Several deposits are found by this. Enter the reference or ID of one.',
  share_line_unreadable:
    'Write one line per deposit: its reference, order or ID, then its share, such as KT12345678 1500.50.',
  transfer_ids_unreadable: 'Enter the IDs of transfers, separated by spaces.',
  purpose_names_another_deposit:
    'The purpose contains the reference {reference}, which is that of another deposit. Confirm that you mean it so.',
  deposit_is_in_another_currency: 'The deposit has a different currency.',
  part_of_transfer_given_back: 'Part of this transfer has already been refunded.',
  give_back_more_than_left: 'You can refund at most what is left of the transfer.',
  rest_would_not_pay_deposit:
    'The rest would no longer cover the deposit. Refund less, or choose to reverse the deposit.',
  pay_back_more_than_owed: 'You can refund at most the amount due.',
  nothing_of_transfer_is_owed: 'No refund is due for this transfer.',

  match_wrong_currency: 'The transfer and its account have different currencies.',
  match_reference_unknown: 'The reference in the purpose belongs to no deposit.',
  match_several_references: 'The purpose contains references of several deposits.',
  match_reference_elsewhere: 'The purpose contains the reference of a deposit on another account.',
  match_reference_not_asked:
    'The purpose contains the reference of a deposit whose customer was not shown one.',
  match_reference_closed:
    'The purpose contains the reference of a deposit that is {state} and no longer accepts money.',
  match_reference_outside_window:
    'The purpose contains the reference of a deposit created after the money was sent.',
  match_reference: 'The purpose contains the reference of this deposit.',
  match_references:
    'The purpose contains the references of these deposits, and their open amounts add up to it.',
  match_settlement_batch: 'This looks like a combined payout for many payments.',
  match_no_candidate: 'No deposit of this amount on this account could be paid when it was sent.',
  match_contradicting_hint: 'The amount matches one deposit, but its customer has another phone number.',
  match_reference_missing: 'Deposits awaiting this amount have references, but the purpose has none.',
  match_has_money: 'The deposit of this amount has already received a part from somebody.',
  match_several_meant: '{count} deposits are possible.',
  match_not_the_rest: 'This payer has paid a part, but this is not the remaining amount.',
  match_maybe_the_rest: 'This payer has paid a part, and this is exactly the remaining amount.',
  match_amount_unique: 'Only this deposit is awaiting this amount.',
  match_may_be_of_ended:
    'It may be the money of a deposit of this amount that has ended, or that a person confirmed.',
  match_several_candidates: '{count} deposits are awaiting this amount.',
  listed_otherwise: 'The {kind} is on the {list} list: {why} Otherwise: {rest}',
  match_of_watched_customer: '{rest} {why}',
  listed: 'The {kind} is on the {list} list: {why}',

  payment_known_already: 'This payment is already known.',
  payment_told_by_another_source: 'Another source already reported this payment.',
  bank_told_of_payment_and_its_end: 'The bank reported the payment and its revocation together.',
  own_money_between_accounts: 'Transfer between own accounts.',
  own_money_names_deposit:
    'It comes from one of our own accounts, and names a deposit: is it a payment, or own money that was moved?',
  money_left_account: 'Outgoing payment.',
  bank_takes_unknown_payment_back: 'The bank took money back, but it is not clear for which payment.',
  bank_took_entry_back: 'The bank revoked this entry.',
  bank_took_money_back: 'The bank took the money back.',
  deposit_of_transfer_is_over: 'The deposit it was for is {state}.',

  no_test_mode_deposit_with_id: 'There is no test-mode deposit with this id.',
  test_clock_cannot_move_in_production: 'The test clock cannot be moved in production.',
  no_test_mode_merchant_with_id: 'There is no test-mode merchant with this id.',
  deposit_has_no_requisites_yet: 'The deposit has no requisites yet: choose a method on its page first.',
  test_deposit_has_too_many_parts: 'This test deposit was already paid in {most} parts: create another one.',
  test_deposit_has_too_many_entries:
    'The history of this test deposit already has {most} entries: create another one.',
  money_of_another_test_merchant:
    'This transfer would match a deposit of another test merchant: choose another amount or purpose.',
  test_clock_went_on: 'The test clock was moved forward.',
  test_bank_is_late: 'Late transfer of the test bank.',
  rejected_by_test_bank: 'Rejected by the test bank',
  test_bank_names_deposit: 'The test bank named the deposit.',
} as const
