/**
 * The most common passwords, for `password-strength.ts`: 49,000 sorted digests of five bytes, 240 KB, read when somebody
 * first chooses a password. Made by `make-common-passwords.ts`.
 */
import { readFileSync } from 'node:fs'

/** Long enough that no piece of a long password matches by chance: 49,000 digests in 2^40. */
export const digestBytes = 5

/**
 * Two FNV-1a hashes. Fast, because a password has thousands of pieces, and not cryptographic: a collision only means
 * that some other word cannot be chosen.
 */
export function digestOfWord(word: string): number {
  let [one, other] = [0x811c9dc5, 0x9747b28c]
  for (let place = 0; place < word.length; place++) {
    const unit = word.charCodeAt(place)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b)
    other ^= other >>> 13
  }
  return (other >>> 24) * 2 ** 32 + (one >>> 0)
}

let loaded: Buffer | undefined

export function isCommonPassword(word: string): boolean {
  loaded ??= readFileSync(new URL('common-passwords.bin', import.meta.url))
  const wanted = digestOfWord(word)
  let [low, high] = [0, loaded.length / digestBytes - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = loaded.readUIntBE(middle * digestBytes, digestBytes)
    if (found === wanted) return true
    if (found > wanted) high = middle - 1
    else low = middle + 1
  }
  return false
}
