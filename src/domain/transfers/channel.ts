/** Ways by which a payment is told, and how long the ids of each last. */

export const formatNames = ['1c', 'camt', 'csv', 'xlsx', 'mt940'] as const
export type FormatName = (typeof formatNames)[number]

/** A file format, a bank's push, the sandbox bank of test mode, or a person. */
export const channels = [...formatNames, 'push', 'sandbox', 'hand'] as const
export type Channel = (typeof channels)[number]

/** `lasting`: the bank gives an id once. `daily`: it begins anew each day. `none`: the row itself is the key. */
export type Ids = 'lasting' | 'daily' | 'none'

/** A row without an id is always its own key. */
export const channelIds: Record<Channel, Ids> = {
  // The format has a document number only, which the payer's bank gives: other payers' banks give the same one.
  '1c': 'none',
  // `AcctSvcrRef`, which ISO 20022 calls unique; `NtryRef` numbers an entry within its statement, and is not read.
  camt: 'lasting',
  // A person said which column has the ids: it may begin anew each day.
  csv: 'daily',
  xlsx: 'daily',
  // Banks number the entries of a day.
  mt940: 'daily',
  // The id of the bank's operation, with versions (Sber) or repeated deliveries (T-Bank) under one id.
  push: 'lasting',
  sandbox: 'lasting',
  // Each note gets an id of ours.
  hand: 'lasting',
}
