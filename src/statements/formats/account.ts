/** Account numbers as statements write them. */
import { maskedNumber } from '../../requisites/requisite.ts'
import { DamagedStatement } from '../entry.ts'

/** Digits or IBAN, without the spaces, dashes and invisible marks that banks group them with. */
export const accountIn = (text: string): string =>
  /^[\dA-Z]*$/.test(text) ? text : text.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toUpperCase()

export const notOurs = (line: number, account: string): DamagedStatement =>
  new DamagedStatement(
    line,
    `The account ${maskedNumber(account)} is not one of ours: add it as a requisite, or export without it.`,
  )
