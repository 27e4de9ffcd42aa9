/**
 * The Luhn check digit (ISO/IEC 7812-1), used by card numbers and by our own payment references. It catches
 * every single wrong digit and every swap of neighbours except 09 and 90.
 */

/** Whether the last digit of a string of digits is the Luhn digit of the others. */
export function luhnHolds(digits: string): boolean {
  return /^\d{2,}$/.test(digits) && luhnSum(digits) % 10 === 0
}

/** The check digit to append. */
export function luhnDigit(digits: string): string {
  return String((10 - (luhnSum(`${digits}0`) % 10)) % 10)
}

function luhnSum(digits: string): number {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const weighed = place % 2 === 0 ? digit : digit * 2
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum
}
