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
  #isPlace = true

  /** Whether the number of this row, and of each before it, is its place in the file. A row that cannot be read fits anyway. */
  take(text: string | undefined): boolean {
    const number = text === undefined ? this.#last + (this.#step ?? 1) : numberIn(text)
    if (this.#first === undefined) this.#first = number
    else {
      this.#step ??= number - this.#last
      this.#isEven &&= number - this.#last === this.#step
    }
    this.#last = number
    this.#count++
    this.#isPlace &&= number === this.#count
    return this.#isPlace
  }

  get areDescending(): boolean {
    return this.areCounted && this.#step === -1
  }

  /** From 1, or down to it, without a gap. Two rows may have such numbers by chance. */
  get areCounted(): boolean {
    const isFromOne = this.#step === 1 ? this.#first === 1 : this.#step === -1 && this.#last === 1
    return isFromOne && this.#isEven && this.#count > 2
  }
}

const numberIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)
