/**
 * Passwords by argon2id with 19 MiB and two passes, kept in the PHC string format
 * `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`: the parameters are part of the text, so that they can be raised.
 *
 * One is hashed at a time, on one of libuv's threads: dozens at once would take them all, and a gigabyte.
 */
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { bounds } from '../../platform/bounds.ts'
import { randomNonce } from '../../platform/clock.ts'
import { isTransactionOpen } from '../../platform/db.ts'
import { createHeavyWork, type WorkOwner } from '../../platform/heavy-work.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'

/** With the parameter names of `crypto.argon2`. */
type Hashing = {
  message: Uint8Array
  nonce: Uint8Array
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}

/** Of new passwords; with the parameter names of `crypto.argon2`. */
export const passwordCost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** Upper limits for stored parameters, so that no stored text causes minutes of work. */
const limits = { memory: 65_536, passes: 10, parallelism: 4, bytes: 64 }

export const passwordLeast = 12
export const passwordMost = 200

const tooMany = () =>
  new Refusal('rate_limited', {
    retryAfterSeconds: bounds.passwordRetrySeconds,
    detail: message('too_many_sign_ins'),
  })

const hashing = createHeavyWork('passwords', bounds.passwordsWaiting, tooMany)

/** Refuses while the queue is full; called before anything is read for an attempt. */
export const refuseWhenHashingIsFull = hashing.refuseWhenFull

/** At the command line. */
const operator: WorkOwner = { name: 'command line', isKnown: true }

export async function hashPassword(password: string, owner = operator): Promise<string> {
  const nonce = randomNonce(saltBytes)
  const tag = await hash({ message: bytesOf(password), nonce, ...passwordCost, tagLength: tagBytes }, owner)
  return textOf({ ...passwordCost, nonce, tag })
}

/** Takes the same time for accounts without a password. */
export async function isPassword(
  password: string,
  stored: string | null,
  owner = operator,
): Promise<boolean> {
  const { tag, ...parameters } = stored === null ? noPassword() : parsed(stored)
  const actual = await hash({ ...parameters, message: bytesOf(password), tagLength: tag.length }, owner)
  return timingSafeEqual(actual, tag) && stored !== null
}

const argon = promisify(argon2)

/** Not inside a transaction, which would hold its connection and locks while others are hashed. */
function hash(parameters: Hashing, owner: WorkOwner): Promise<Uint8Array> {
  if (isTransactionOpen()) throw new Error('A password is hashed outside of transactions.')
  hashing.refuseWhenFull(owner)
  return hashing.run(owner, () => argon('argon2id', parameters))
}

type Stored = Omit<Hashing, 'message' | 'tagLength'> & { tag: Buffer }

const textOf = ({
  memory,
  passes,
  parallelism,
  nonce,
  tag,
}: Omit<Stored, 'tag'> & { tag: Uint8Array }): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`

const shape =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

/** A malformed or too expensive text is a fault of the data, not a wrong password. */
function parsed(stored: string): Stored {
  const [, memory, passes, parallelism, nonce, tag] = shape.exec(stored) ?? []
  const read = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce ?? '', 'base64'),
    tag: Buffer.from(tag ?? '', 'base64'),
  }
  const isWithin =
    read.memory >= 8 * read.parallelism &&
    read.memory <= limits.memory &&
    read.passes >= 1 &&
    read.passes <= limits.passes &&
    read.parallelism >= 1 &&
    read.parallelism <= limits.parallelism
  if (!isWithin) throw new Error('A stored password is not in a format that can be compared.')
  return read
}

/** The format has no padding. */
const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '')

/** Equal letters written in different ways are one password (RFC 8265). */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFC'))

/** Compared with where an account has no password; the caller never accepts a match. */
const noPassword = (): Stored => ({
  ...passwordCost,
  nonce: randomNonce(saltBytes),
  tag: randomNonce(tagBytes),
})
