/**
 * Checks of Kazakh bank details: the IBAN (ISO 13616) and the БИН/ИИН. requisite.ts decides what a failure means.
 */

export function isKazakhIban(iban: string): boolean {
  return /^KZ\d{5}[A-Z0-9]{13}$/.test(iban)
}

/** Expects a well-formed IBAN. Check digits are 02 to 98: others would have the remainder of one of these. */
export function ibanKeyHolds(iban: string): boolean {
  const key = Number(iban.slice(2, 4))
  if (key < 2 || key > 98) return false
  let remainder = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36) // A=10 … Z=35
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}

export function isKazakhTaxId(taxId: string): boolean {
  return /^\d{12}$/.test(taxId)
}

/** Expects a well-formed БИН or ИИН. The rule is only confirmed by public numbers, so a failure is a warning. */
export function kazakhTaxIdKeyHolds(taxId: string): boolean {
  const first = remainderBy([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], taxId)
  const key = first < 10 ? first : remainderBy([3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2], taxId)
  return key === Number(taxId[11]) // A second 10 fits no digit: such numbers are not issued.
}

const remainderBy = (weights: number[], digits: string): number =>
  weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0) % 11
