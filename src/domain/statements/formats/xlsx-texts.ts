/**
 * The texts that the cells of a workbook share, as bytes, and decoded where a cell uses one. As two million strings they took
 * several hundred megabytes of a file of one.
 */
import { GrowingBytes } from '../../../platform/growing-bytes.ts'
import { statementBounds } from './bounds.ts'

export class SharedTexts {
  readonly #bytes = new GrowingBytes(statementBounds.sharedBytes)
  /** Where each text ends. Only what is written of it takes memory. */
  readonly #ends = new Uint32Array(statementBounds.sharedTexts)
  #count = 0

  /** False where there is no room for it. */
  add(text: string): boolean {
    if (this.#count >= this.#ends.length || !this.#bytes.add(Buffer.from(text))) return false
    this.#ends[this.#count++] = this.#bytes.length
    return true
  }

  at(place: number): string | undefined {
    if (!Number.isInteger(place) || place < 0 || place >= this.#count) return undefined
    return this.#bytes.slice(this.#ends[place - 1] ?? 0, this.#ends[place]).toString()
  }
}
