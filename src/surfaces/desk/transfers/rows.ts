/** A day of an account with rows on hold. */
export type HeldDay = { accountId: string; accountLabel: string; bookedOn: string; rows: number }
