/**
 * What a backup stores: compressed by zstd, then encrypted in blocks by AES-256-GCM under a key of its own, which comes from
 * the master key and the random salt in front. A block's nonce is its number and whether it is the last one, and
 * the name of the stored file is authenticated with it: blocks and files can be neither cut off, moved nor exchanged.
 * Layout: magic (8 bytes) · key's fingerprint (8) · salt (32) · blocks of length (4, highest bit: last) · ciphertext · tag (16).
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Readable } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { randomNonce } from '../clock.ts'
import { OperatorProblem } from '../operator-problem.ts'
import type { MasterKey, Vault } from '../vault.ts'

export type Bytes = AsyncIterable<Buffer>
/** Stored under the current key; read with either, while the master key is changed. */
export type BackupKeys = Pick<Vault, 'current' | 'old'>

/** A file that is there and of no use: damaged, of another key, or of a later format. */
export class Unreadable extends OperatorProblem {}

/** Nothing is wrong with it: it was stored before the master key was changed. */
export class OtherMasterKey extends Unreadable {}

const magic = Buffer.from('INLETBK1')
const blockBytes = 1024 * 1024
const headBytes = 48
const tagBytes = 16
const lastBit = 0x8000_0000

export async function* sealed(
  { current: { mac } }: BackupKeys,
  name: string,
  plain: Bytes,
): AsyncGenerator<Buffer> {
  const salt = randomNonce(32)
  yield Buffer.concat([magic, fingerprint(mac), salt])
  const key = keyOf(mac, salt)
  let number = 0
  const seal = (text: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast)).setAAD(Buffer.from(name))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length + (isLast ? lastBit : 0))
    return Buffer.concat([length, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  }
  let waiting: Buffer[] = []
  let bytes = 0
  const packed: Bytes = Readable.from(plain).compose(createZstdCompress())
  for await (const chunk of packed) {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes <= blockBytes) continue
    const whole = Buffer.concat(waiting)
    let at = 0
    for (; whole.length - at > blockBytes; at += blockBytes)
      yield seal(whole.subarray(at, at + blockBytes), false)
    waiting = [whole.subarray(at)]
    bytes = whole.length - at
  }
  yield seal(Buffer.concat(waiting), true)
}

export async function* opened(keys: BackupKeys, name: string, stored: Bytes): AsyncGenerator<Buffer> {
  const packed = Readable.from(decrypted(keys, name, stored))
  try {
    yield* packed.compose(createZstdDecompress()) as Bytes
  } catch (error) {
    throw error instanceof OperatorProblem ? error : damaged(name, 'it cannot be unpacked', error)
  }
}

async function* decrypted({ current, old }: BackupKeys, name: string, stored: Bytes): AsyncGenerator<Buffer> {
  const take = reader(stored)
  const head = await take(headBytes)
  if (!head?.subarray(0, 8).equals(magic)) throw damaged(name, 'it does not begin as a file of Inlet does')
  const masterKey = [current, old].find((key) => key && fingerprint(key.mac).equals(head.subarray(8, 16)))
  if (!masterKey)
    throw new OtherMasterKey(
      `The backup's file ${name} was encrypted under another master key; set INLET_MASTER_KEY, or INLET_OLD_MASTER_KEY beside it, to the key of the installation when it made this backup.`,
    )
  const key = keyOf(masterKey.mac, head.subarray(16))
  for (let number = 0, isLast = false; !isLast; number++) {
    const length = (await take(4))?.readUInt32BE()
    if (length === undefined) throw damaged(name, 'it is cut off')
    isLast = length >= lastBit
    const textBytes = length % lastBit
    if (textBytes > blockBytes) throw damaged(name, 'a block of it is too long')
    const block = await take(textBytes + tagBytes)
    if (!block) throw damaged(name, 'it is cut off')
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(name))
      .setAuthTag(block.subarray(textBytes))
    try {
      yield Buffer.concat([decipher.update(block.subarray(0, textBytes)), decipher.final()])
    } catch (error) {
      throw damaged(name, `block ${number} is not what was stored`, error)
    }
  }
  if (await take(1)) throw damaged(name, 'something was added to it')
}

/** Reads exactly as many bytes as asked for; undefined when fewer are left. */
function reader(stored: Bytes): (bytes: number) => Promise<Buffer | undefined> {
  const chunks = stored[Symbol.asyncIterator]()
  let left: Buffer = Buffer.alloc(0)
  return async (bytes) => {
    const parts = [left]
    let got = left.length
    while (got < bytes) {
      const { value, done } = await chunks.next()
      if (done) {
        left = Buffer.concat(parts)
        return undefined
      }
      parts.push(value)
      got += value.length
    }
    const all = parts.length === 1 ? left : Buffer.concat(parts)
    left = all.subarray(bytes)
    return all.subarray(0, bytes)
  }
}

const keyOf = (mac: MasterKey['mac'], salt: Buffer): Buffer => mac(salt, 'backup: key of a file')

const fingerprint = (mac: MasterKey['mac']): Buffer =>
  mac(Buffer.alloc(0), 'backup: fingerprint of the key').subarray(0, 8)

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

const damaged = (name: string, why: string, cause?: unknown): OperatorProblem =>
  new Unreadable(
    `The backup's file ${name} is damaged (${why}); restore from another backup ("inlet backup list").`,
    { cause },
  )
