/**
 * The token of a payment page: the time, then 128 random bits. The deposit's id is the same time and a digest of the token, so a page
 * finds its deposit by id, without an index of tokens. Nobody can go back from an id to the token, which is compared whole.
 */
import { hash } from 'node:crypto'
import { idFrom, timedBytes } from '../../platform/clock.ts'

/** A new deposit's token and id. */
export function newPage(): { id: string; pageToken: string } {
  const pageToken = timedBytes(16).toString('base64url')
  return { id: depositIdOf(pageToken), pageToken }
}

export const isPageToken = (text: string): boolean => /^[A-Za-z0-9_-]{30}$/.test(text)

export function depositIdOf(pageToken: string): string {
  const token = Buffer.from(pageToken, 'base64url')
  return idFrom(Buffer.concat([token.subarray(0, 6), hash('sha256', token, 'buffer').subarray(0, 10)]))
}
