/** An account or card of a payer: enough to tell two apart, not enough to pay to. */
export const maskedAccount = (account: string): string =>
  account.length > 8 ? `${account.slice(0, 4)}…${account.slice(-4)}`.toWellFormed() : account
