/**
 * The order in which an installation draws its references. It is secret: anybody who knew it could put the reference of a
 * future deposit into the purpose of a payment. Every reference is drawn once before any is drawn again. Pure.
 */
import { createCipheriv } from 'node:crypto'
import { referenceSpace } from './reference.ts'

/** A Feistel network: each number is written as two digits to this base, and each round adds a secret number to one of them. */
const base = Math.sqrt(referenceSpace)
const rounds = 8

export function referenceOrder(seed: Buffer): (n: number) => number {
  const stream = createCipheriv('aes-256-ctr', seed, Buffer.alloc(16))
  const secrets = stream.update(Buffer.alloc(rounds * base * 4))
  return (n) => {
    let [left, right] = [Math.floor(n / base) % base, n % base]
    for (let round = 0; round < rounds; round++) {
      const secret = secrets.readUInt32LE((round * base + right) * 4)
      ;[left, right] = [right, (left + secret) % base]
    }
    return left * base + right
  }
}
