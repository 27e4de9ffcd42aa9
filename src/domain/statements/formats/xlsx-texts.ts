/**
 * The texts that the cells of a workbook share. They are kept as bytes, and decoded when a cell uses one: as strings, the two million
 * texts of a file of one megabyte took several hundred megabytes.
 */
import { GrowingBytes } from '../../../platform/growing-bytes.ts'
import { statementBounds } from './bounds.ts'

export class SharedTexts {
  readonly #bytes = new GrowingBytes(statementBounds.sharedBytes)
  /** Where each text ends. Only the part that is written takes memory. */
  readonly #ends = new Uint32Array(statementBounds.sharedTexts)
  #count = 0

  /** Returns false if there is no room for the text. */
  add(text: string): boolean {
    if (this.#count >= this.#ends.length || !this.#bytes.add(Buffer.from(text))) return false
    this.#ends[this.#count++] = this.#bytes.length
    return true
  }

  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined
    return this.#bytes.slice(this.#ends[index - 1] ?? 0, this.#ends[index]).toString()
  }
}
