/** Reads amounts that people type. */

/** Reads `1 500,50` and `1500.50`; null if it is not an amount. */
export function centsFrom(text: string): bigint | null {
  const match = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.replace(/[\s\u00a0\u202f]/g, ''))
  return match ? BigInt(match[1]!) * 100n + BigInt((match[2] ?? '').padEnd(2, '0') || '0') : null
}
