/** A device with one passkey, as a browser would speak for it. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export class Device {
  readonly #id = randomBytes(16)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #site: URL
  constructor({ url }: { url: string }) {
    this.#site = new URL(url)
  }

  /** Answers the question for a new passkey. */
  made({ challenge }: { challenge: string }) {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = [cbor('a5010203262001215820'), decoded(x!), cbor('225820'), decoded(y!)]
    const length = Buffer.from([0, this.#id.length])
    const data = Buffer.concat([this.#about(0x45), Buffer.alloc(16), length, this.#id, ...key])
    const head = cbor('a363666d74646e6f6e656761747453746d74a0686175746844617461')
    const attestationObject = Buffer.concat([head, Buffer.from([0x58, data.length]), data])
    return this.#credential(this.#said('webauthn.create', challenge), { attestationObject })
  }

  /** Answers the question who it is. */
  shown({ challenge }: { challenge: string }) {
    const clientDataJSON = this.#said('webauthn.get', challenge)
    const authenticatorData = this.#about(0x05)
    const signed = Buffer.concat([authenticatorData, digest(clientDataJSON)])
    return this.#credential(clientDataJSON, {
      authenticatorData,
      signature: sign('sha256', signed, this.#keys.privateKey),
    })
  }

  #said(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#site.origin }))
  }

  /** Whose site, that the person was there and was verified, and a counter that stays. */
  #about(flags: number): Buffer {
    return Buffer.concat([digest(this.#site.hostname), Buffer.from([flags, 0, 0, 0, 0])])
  }

  #credential(clientDataJSON: Buffer, parts: Record<string, Buffer>) {
    const response = Object.fromEntries(
      Object.entries({ clientDataJSON, ...parts }).map(([name, bytes]) => [
        name,
        bytes.toString('base64url'),
      ]),
    )
    const id = this.#id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

const cbor = (hex: string) => Buffer.from(hex, 'hex')
const decoded = (text: string) => Buffer.from(text, 'base64url')
const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
