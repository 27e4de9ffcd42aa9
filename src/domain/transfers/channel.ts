/** What a channel means: whether its payer may be part of a text that the payer wrote, and how long its ids last. */

export const formatNames = ['1c', 'camt', 'csv', 'xlsx', 'mt940'] as const
export type FormatName = (typeof formatNames)[number]

/** A file format, a bank's push, the sandbox bank of test mode, or a person. */
export const channels = [...formatNames, 'push', 'sandbox', 'hand'] as const
export type Channel = (typeof channels)[number]

/** `lasting`: the bank gives an id once. `daily`: it begins anew each day. `none`: the row itself is the key. */
export type Ids = 'lasting' | 'daily' | 'none'

/** A row without an id is always its own key. */
export const channelFacts: Record<Channel, { payerInText: boolean; ids: Ids }> = {
  // The format has a document number only, which the payer's bank gives: other payers' banks give the same one.
  '1c': { payerInText: false, ids: 'none' },
  // `AcctSvcrRef`, which ISO 20022 calls unique; `NtryRef` numbers an entry within its statement, and is not read.
  camt: { payerInText: false, ids: 'lasting' },
  // A person said which column has the ids: it may begin anew each day.
  csv: { payerInText: false, ids: 'daily' },
  // As in CSV.
  xlsx: { payerInText: false, ids: 'daily' },
  // No quoting: the payer's text can look like the subfields that name the payer. Banks number the entries of a day.
  mt940: { payerInText: true, ids: 'daily' },
  // The id of the bank's operation, with versions (Sber) or repeated deliveries (T-Bank) under one id.
  push: { payerInText: false, ids: 'lasting' },
  // As a push.
  sandbox: { payerInText: false, ids: 'lasting' },
  // Each note gets an id of ours.
  hand: { payerInText: false, ids: 'lasting' },
}
