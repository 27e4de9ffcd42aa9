/** Signs one callback and sends it. Never throws: failures on either side are returned as answers. */
import type { KeyObject } from 'node:crypto'
import { faultFields, type Log } from '../../../platform/log.ts'
import type { Outbound } from '../../../platform/outbound.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import { signedHeaders } from '../signed-headers.ts'
import type { EndpointAnswer } from './attempt-outcome.ts'
import type { Head } from './store.ts'

type SendCallback = {
  outbound: Pick<Outbound, 'post'>
  log: Log
  keys: readonly KeyObject[]
  head: Pick<Head, 'callbackId' | 'url' | 'body'>
  /** Milliseconds of the database's clock. */
  at: number
  deadlineMs: number
  owner: MerchantId
}

export async function sendCallback({
  outbound,
  log,
  keys,
  head,
  at,
  deadlineMs,
  owner,
}: SendCallback): Promise<EndpointAnswer> {
  // Never sent unsigned: the receiver could not know that it is ours.
  if (keys.length === 0) return { error: 'no_secret', ms: 0 }
  try {
    const { url, body, callbackId: id } = head
    const headers = signedHeaders({ secrets: keys, id, timestamp: Math.floor(at / 1000), body })
    return await outbound.post({ url, headers, body, deadlineMs, owner })
  } catch (error) {
    log.error('a callback could not be sent', faultFields(error))
    return { error: 'not_sendable', ms: 0 }
  }
}
