/** The fake bank's entries of a merchant as a statement file of 1C. */
import { bounds } from '../../platform/bounds.ts'
import { type Db, readClock } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { writeOneC } from '../statements/writers/one-c.ts'
import type { WrittenStatement } from '../statements/writers/statement.ts'
import { bankTime } from './bank-time.ts'
import { idsOf } from './fake-bank.ts'
import { listSent, type SentTransfer } from './store.ts'

type StatementRequest = {
  merchantId: MerchantId
  /** Days of the bank, both included. */
  from: string | null
  to: string | null
  /** One account only, as statements name it. */
  account: string | null
  /** How the caller spells a parameter in messages: `account`, `--account`. */
  written?: (parameter: string) => string
}

type StatementFile = {
  bytes: Uint8Array
  fileName: string
  transfers: number
}

export async function exportStatement(db: Db, request: StatementRequest): Promise<StatementFile> {
  const { merchantId, from, to, written = (parameter) => parameter } = request
  const most = bounds.sandboxStatementRows
  const sent = await listSent(db, { ...request, ids: idsOf(merchantId), limit: most + 1 })
  if (sent.length === 0) {
    throw new Refusal('not_found', { detail: 'The fake bank has booked nothing for you in this period.' })
  }
  if (sent.length > most) {
    throw new Refusal('invalid_value', {
      detail: `A statement has at most ${most} entries: narrow it with ${written('from')}, ${written('to')} or ${written('account')}.`,
    })
  }
  const statements = [...Map.groupBy(sent, ({ account }) => account)].map(([account, transfers]) =>
    statementOf(account, transfers, from, to),
  )
  const madeAt = bankTime((await readClock(db))(), statements[0]!.currency)
  return {
    bytes: writeOneC(statements, madeAt),
    fileName: `statement-${madeAt.slice(0, 10)}.txt`,
    transfers: sent.length,
  }
}

/** Without a period in the request, it is that of the entries, which are in order of days. */
const statementOf = (
  account: string,
  transfers: readonly SentTransfer[],
  from: string | null,
  to: string | null,
): WrittenStatement => ({
  account,
  currency: transfers[0]!.currency,
  from: from ?? transfers[0]!.bookedOn,
  to: to ?? transfers.at(-1)!.bookedOn,
  entries: transfers,
})
