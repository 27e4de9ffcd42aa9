/** The deposit behind a page's token, for the page and for the bill. */

import type { FoundPage } from '../../domain/deposits/deposit.ts'
import { isPageToken } from '../../domain/deposits/page-token.ts'
import { findDepositsByToken } from '../../domain/deposits/read-store.ts'
import { batched } from '../../platform/batched.ts'
import type { Db } from '../../platform/db.ts'

export type FindPage = (token: string) => Promise<FoundPage | undefined>

const noToken = 'A'.repeat(30)

/** A malformed token is looked up like an unknown one: the same answer in the same time. */
export function pageFinder(db: Db): FindPage {
  const find = batched((tokens) => findDepositsByToken(db, tokens))
  return (token) => find(isPageToken(token) ? token : noToken)
}
