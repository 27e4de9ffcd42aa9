// The one list of event types: the gateway reads it from here, so that the published client knows each of them.

/** What can happen to a deposit. More types may come: answer 2xx to one that you do not know. */
export const eventTypes = [
  'deposit.confirmed',
  'deposit.rejected',
  'deposit.expired',
  'deposit.canceled',
  'deposit.reversed',
  'deposit.underpaid',
  'deposit.overpaid',
  'deposit.review',
  'deposit.method_selected',
  'deposit.claimed',
] as const
