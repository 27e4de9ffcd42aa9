/**
 * Whether the numbers of a column only count the rows of its file, upwards or downwards. Another file counts them in another way,
 * so that such a number names no payment. Pure.
 */
export class RowNumbers {
  #first: number | undefined
  #last = 0
  #step: number | undefined
  #count = 0
  #isEven = true

  take(text: string): void {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (this.#first === undefined) this.#first = number
    else {
      this.#step ??= number - this.#last
      this.#isEven &&= number - this.#last === this.#step
    }
    this.#last = number
    this.#count++
  }

  /** From 1, or down to it, without a gap. Two rows may have such numbers by chance. */
  get areCounted(): boolean {
    const isFromOne = this.#step === 1 ? this.#first === 1 : this.#step === -1 && this.#last === 1
    return isFromOne && this.#isEven && this.#count > 2
  }
}
