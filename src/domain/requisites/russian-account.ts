/**
 * Checks of Russian bank details: the account key (Bank of Russia order 515 of 08.09.1997), the BIC, the correspondent
 * account and the INN. requisite.ts decides what a failure means.
 */

export function isRussianBic(bic: string): boolean {
  return /^[012]\d{8}$/.test(bic)
}

/** Twenty digits; the sixth may be a letter, in the codes of clearing currencies. */
export function isRussianAccount(account: string): boolean {
  return /^\d{5}[\dABCEHKMPTX]\d{14}$/.test(account)
}

/** Digits 6–8 are the currency: 810, or 643 in treasury accounts, which never took over the old code. */
export function isRoubleAccount(account: string): boolean {
  const currency = account.slice(5, 8)
  return currency === '810' || (isTreasuryAccount(account) && currency === '643')
}

/** Units of the Bank of Russia hold accounts themselves and have no correspondent account. */
export function isBankOfRussiaUnit(bic: string): boolean {
  return /00[012]$/.test(bic)
}

/** Expects well-formed arguments. Treasury accounts are not checked: real ones fail. */
export function accountKeyHolds(bic: string, account: string): boolean {
  return isTreasuryAccount(account) || account[8] === accountKey(bic, account)
}

/** The ninth digit the account should carry at this bank. */
export function accountKey(bic: string, account: string): string {
  const heldAtBankOfRussia = account.startsWith('301') || isBankOfRussiaUnit(bic)
  return keyFor(heldAtBankOfRussia ? unitPrefix(bic) : bic.slice(-3), account)
}

/** A bank's account at the Bank of Russia, or the treasury's single account. */
export function isCorrespondentAccount(account: string): boolean {
  return /^(301\d{2}|40102)\d{15}$/.test(account)
}

/** A bank's own correspondent account repeats the end of its BIC; the treasury's does not. */
export function correspondsTo(bic: string, corrAccount: string): boolean {
  return !corrAccount.startsWith('301') || corrAccount.slice(-3) === bic.slice(-3)
}

export function correspondentKeyHolds(bic: string, corrAccount: string): boolean {
  return corrAccount[8] === keyFor(unitPrefix(bic), corrAccount)
}

export function isInn(inn: string): boolean {
  return /^(\d{10}|\d{12})$/.test(inn)
}

/** Expects a well-formed INN. The standard's own example fails this check, so a failure is only a warning. */
export function innKeyHolds(inn: string): boolean {
  const weights = inn.length === 10 ? [innWeights.slice(2)] : [innWeights.slice(1), innWeights]
  return weights.every((row) => Number(inn[row.length]) === (weighedSum(row, inn) % 11) % 10)
}

/** Digits 5–6 of a KPP are a reason code, which may be written in letters. */
export function isKpp(kpp: string): boolean {
  return /^\d{4}[\dA-Z]{2}\d{3}$/.test(kpp)
}

const isTreasuryAccount = (account: string): boolean => account.startsWith('03')

const unitPrefix = (bic: string): string => `0${bic.slice(4, 6)}`

function keyFor(prefix: string, account: string): string {
  const digits = `${prefix}${account.slice(0, 8)}0${account.slice(9)}`
  let sum = 0
  for (let place = 0; place < digits.length; place++) sum += keyWeights[place % 3]! * valueIn(digits[place]!)
  return String(((sum % 10) * 3) % 10)
}

const keyWeights = [7, 1, 3]

const letters = 'ABCEHKMPTX'

const valueIn = (character: string): number =>
  letters.includes(character) ? letters.indexOf(character) : Number(character)

// One row of weights serves all three sums, each with its own start.
const innWeights = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]

const weighedSum = (weights: number[], digits: string): number =>
  weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0)
