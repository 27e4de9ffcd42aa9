/**
 * Bytes that arrive in pieces and are kept as one buffer, up to a maximum. The buffer grows in place. Joining pieces at the
 * end, or copying them into a larger buffer, would take twice as much memory for a while.
 */
export class GrowingBytes {
  readonly #memory: ArrayBuffer
  #length = 0

  constructor(mostBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: mostBytes })
  }

  get length(): number {
    return this.#length
  }

  /** Returns false, and adds nothing, if that would exceed the maximum. */
  add(bytes: Uint8Array): boolean {
    const memory = this.#memory
    const length = this.#length + bytes.length
    if (length > memory.maxByteLength) return false
    if (length > memory.byteLength)
      memory.resize(Math.min(Math.max(length, memory.byteLength + stepBytes), memory.maxByteLength))
    new Uint8Array(memory).set(bytes, this.#length)
    this.#length = length
    return true
  }

  /** The bytes between two positions, without a copy. */
  slice(from = 0, to = this.#length): Buffer {
    return Buffer.from(this.#memory, from, to - from)
  }
}

const stepBytes = 256 * 1024
