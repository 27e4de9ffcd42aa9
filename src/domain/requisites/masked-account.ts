/** A payer's account or card with its middle hidden: enough to compare two, not enough to pay to. */
export const maskedAccount = (account: string): string =>
  account.length > 8 ? `${account.slice(0, 4)}…${account.slice(-4)}`.toWellFormed() : account
