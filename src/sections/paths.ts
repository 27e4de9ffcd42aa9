/** Addresses outside of the sections that their pages and secrets lead to. A test compares them with the routes. */

/** Where the person who holds the one-time link begins. */
export const joinAt = (token: string): string => `/join/${token}`

/** The first page of a merchant's console. */
export const consoleAt = (merchantId: string): string => `/console/${merchantId}/overview`
