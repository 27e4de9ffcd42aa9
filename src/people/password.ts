/** Passwords by argon2id with 19 MiB and two passes. The parameters stand in the text, so that they can grow. */
import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { randomNonce } from '../platform/clock.ts'

const hash = promisify(argon2)
const cost = { memory: 19_456, passes: 2, parallelism: 1 }

export const passwordLeast = 12
export const passwordMost = 200

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomNonce(16)
  const tag = await hash('argon2id', { message: bytesOf(password), nonce, tagLength: 32, ...cost })
  const { memory, passes, parallelism } = cost
  return `argon2id$${memory}$${passes}$${parallelism}$${nonce.toString('base64')}$${tag.toString('base64')}`
}

/** Whoever has no password costs as much time as whoever has one. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = (stored ?? (await nobody())).split('$')
  const expected = Buffer.from(tag!, 'base64')
  const actual = await hash('argon2id', {
    message: bytesOf(password),
    nonce: Buffer.from(nonce!, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(actual, expected) && stored !== null
}

/** Equal letters written in different ways are one password (RFC 8265). */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFC'))

/** What nobody's password is compared with; made when it is first needed, for hashing takes its time. */
let decoy: Promise<string> | undefined
const nobody = (): Promise<string> => {
  decoy ??= hashPassword('nobody has this password')
  return decoy
}
