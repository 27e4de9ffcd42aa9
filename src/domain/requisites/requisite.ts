/**
 * A requisite: the card, phone or account that a customer pays to. Defines the details of each kind, their normal form,
 * and what is wrong with a draft. The checks of each country's numbers are in the files beside it.
 */
import type { Mode } from '../merchants/merchant.ts'
import { type Message, message } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import { readBankLink } from './bank-link.ts'
import { cardRuleFor } from './card.ts'
import { type FindingCode, findingTable } from './finding.ts'
import { ibanKeyHolds, isKazakhIban, isKazakhTaxId, kazakhTaxIdKeyHolds } from './kazakh-account.ts'
import { luhnHolds } from './luhn.ts'
import { fullPhone, isKazakhLandline, isPhoneOf } from './phone.ts'
import {
  accountKeyHolds,
  correspondentKeyHolds,
  correspondsTo,
  innKeyHolds,
  isBankOfRussiaUnit,
  isCorrespondentAccount,
  isInn,
  isKpp,
  isRoubleAccount,
  isRussianAccount,
  isRussianBic,
} from './russian-account.ts'

export const requisiteKinds = [
  'card',
  'phone',
  'account_ru',
  'account_kz',
  'account_uz',
  'account_tj',
] as const
export type RequisiteKind = (typeof requisiteKinds)[number]

export const requisiteGroups = ['card', 'phone', 'account'] as const
export type RequisiteGroup = (typeof requisiteGroups)[number]

/** Group and bank of a requisite that could take an amount now. */
export type Serving = { group: RequisiteGroup; bankCode: string | null }

export type RequisiteDraft = {
  kind: RequisiteKind
  currency: Currency
  /** Card number, phone, account or IBAN, as the kind says. */
  number: string
  holder: string
  bankName: string
  /** БИК; in Uzbekistan the МФО. */
  bic?: string
  corrAccount?: string
  /** ИНН, БИН/ИИН, STIR or PINFL, as the kind says. */
  taxId?: string
  kpp?: string
  kbe?: string
  knp?: string
  /** A link or code that the bank gave for it. */
  link?: string
}

/** Limits per deposit, per day, and of open deposits; null is no limit. */
export type RequisiteLimits = {
  minCents: Cents | null
  maxCents: Cents | null
  dailyCents: Cents | null
  openDeposits: number | null
}

export type Finding = {
  field: keyof RequisiteDraft
  severity: 'hard' | 'soft'
  code: FindingCode
  detail: Message
}

/** The draft in its normal form, and all its findings, in the order of the form. */
export function checkRequisite(draft: RequisiteDraft): { requisite: RequisiteDraft; findings: Finding[] } {
  const requisite = normalised(draft)
  const findings = [
    ...commonFindings(requisite),
    ...kinds[requisite.kind].findings(requisite),
    ...linkFindings(requisite),
  ].map(finding)
  for (const field of unusedFields(requisite)) findings.push({ ...finding('field_unused'), field })
  return { requisite, findings }
}

const finding = (code: FindingCode): Finding => ({ ...findingTable[code], code, detail: message(code) })

/** Whether the customer can write a payment reference. Transfers to cards and phones have no purpose line. */
export function carriesReference(kind: RequisiteKind): boolean {
  return groupOf(kind) === 'account'
}

export function groupOf(kind: RequisiteKind): RequisiteGroup {
  return kinds[kind].group
}

/** The kinds of requisites for accounts of this currency. */
export const kindsFor = (currency: Currency): RequisiteKind[] =>
  requisiteKinds.filter((kind) => (kinds[kind].currency ?? currency) === currency)

/** The details of this kind besides number, holder and bank. */
export const detailsOf = (kind: RequisiteKind): readonly DetailField[] => kinds[kind].details

/** The last four characters, for logs and lists; none of a short number. */
export function maskedNumber(number: string): string {
  return number.length < 8 ? '••••' : `•••• ${number.slice(-4)}`
}

export const detailFields = ['bic', 'corrAccount', 'taxId', 'kpp', 'kbe', 'knp'] as const
type DetailField = (typeof detailFields)[number]

type Codes = Generator<FindingCode, void, undefined>

type KindRule = {
  group: RequisiteGroup
  /** The only currency it receives; absent where any is possible. */
  currency?: Currency
  details: readonly DetailField[]
  findings: (requisite: RequisiteDraft) => Codes
}

const kinds: Record<RequisiteKind, KindRule> = {
  card: { group: 'card', details: [], findings: cardFindings },
  phone: { group: 'phone', details: [], findings: phoneFindings },
  account_ru: {
    group: 'account',
    currency: 'RUB',
    details: ['bic', 'corrAccount', 'taxId', 'kpp'],
    findings: russianFindings,
  },
  account_kz: {
    group: 'account',
    currency: 'KZT',
    details: ['bic', 'taxId', 'kbe', 'knp'],
    findings: kazakhFindings,
  },
  account_uz: { group: 'account', currency: 'UZS', details: ['bic', 'taxId'], findings: uzbekFindings },
  account_tj: { group: 'account', currency: 'TJS', details: ['bic'], findings: tajikFindings },
}

function normalised(draft: RequisiteDraft): RequisiteDraft {
  const { kind, currency } = draft
  const compactNumber = compact(draft.number)
  const requisite: RequisiteDraft = {
    kind,
    currency,
    number: kind === 'phone' ? fullPhone(compactNumber, currency) : compactNumber,
    holder: tidy(draft.holder),
    bankName: tidy(draft.bankName),
  }
  for (const field of detailFields) {
    const value = compact(draft[field] ?? '')
    // Papers of Bank of Russia units write 0 where there is no correspondent account.
    if (value !== '' && !(field === 'corrAccount' && value === '0')) requisite[field] = value
  }
  // Otherwise unchanged: every character of a link counts.
  const link = draft.link?.trim()
  if (link) requisite.link = link
  return requisite
}

/** Spaces and dashes of every width, and the invisible direction marks that phones add to a copied number. */
const compact = (text: string): string => text.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toUpperCase()

/** Pasted names contain no-break spaces and decomposed letters (и + breve), which bank forms do not show. */
const tidy = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim()

/** Control and format characters (bidi overrides among them), line separators, halves of a pair. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

const lengthOf = (text: string): number => [...text].length

function* commonFindings({ kind, currency, holder, bankName }: RequisiteDraft): Codes {
  if ((kinds[kind].currency ?? currency) !== currency) yield 'currency_kind'

  if (holder === '') yield 'holder_missing'
  if (lengthOf(holder) > 160) yield 'holder_long' // GOST R 56042-2014 has the same 160.
  if (invisible.test(holder)) yield 'holder_characters'

  if (bankName === '') yield 'bank_name_missing'
  if (kind === 'account_ru' && lengthOf(bankName) > 45)
    yield 'bank_name_long_for_bill' // GOST R 56042-2014
  else if (lengthOf(bankName) > 100) yield 'bank_name_long'
  if (invisible.test(bankName)) yield 'bank_name_characters'
}

function* cardFindings({ number }: RequisiteDraft): Codes {
  if (!/^\d+$/.test(number)) return yield 'card_digits'
  const { brand, lengths, rareLengths, luhn } = cardRuleFor(number)
  const rare = rareLengths.includes(number.length)
  if (!rare && !lengths.includes(number.length)) return yield 'card_length'
  if (rare) yield 'card_length_rare'
  if (brand === 'other') yield 'card_brand_unknown'
  if (!luhnHolds(number)) yield luhn === 'hard' ? 'card_check_digit' : 'card_check_digit_unproven'
}

function* phoneFindings({ number, currency }: RequisiteDraft): Codes {
  if (!isPhoneOf(currency, number)) yield 'phone_shape'
  else if (isKazakhLandline(number)) yield 'phone_landline'
}

function* russianFindings({ number, bic = '', corrAccount, taxId, kpp }: RequisiteDraft): Codes {
  const bicFits = isRussianBic(bic) // A key proves nothing against a BIC that is wrong itself.
  if (!isRussianAccount(number)) yield 'ru_account_shape'
  else if (!isRoubleAccount(number)) yield 'ru_account_currency'
  else if (bicFits && !accountKeyHolds(bic, number)) yield 'ru_account_key'

  if (!bicFits) yield 'ru_bic_shape'

  if (corrAccount === undefined) {
    if (!isBankOfRussiaUnit(bic)) yield 'ru_corr_shape'
  } else if (!isCorrespondentAccount(corrAccount)) yield 'ru_corr_shape'
  else if (bicFits) {
    if (isBankOfRussiaUnit(bic) && corrAccount.startsWith('301')) yield 'ru_corr_unused'
    else if (!correspondsTo(bic, corrAccount)) yield 'ru_corr_bank'
    else if (!correspondentKeyHolds(bic, corrAccount)) yield 'ru_corr_key'
  }

  if (taxId !== undefined) {
    if (!isInn(taxId)) yield 'ru_inn_shape'
    else if (!innKeyHolds(taxId)) yield 'ru_inn_key'
  }
  if (kpp !== undefined && !isKpp(kpp)) yield 'ru_kpp_shape'
}

// Banks of Kazakhstan and Uzbekistan take no transfer without these details, so an absent one fails its shape.

function* kazakhFindings({ number, bic = '', taxId = '', kbe = '', knp = '' }: RequisiteDraft): Codes {
  if (!isKazakhIban(number)) yield 'kz_iban_shape'
  else if (!ibanKeyHolds(number)) yield 'kz_iban_key'
  if (!/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}$/.test(bic)) yield 'kz_bic_shape'
  if (!isKazakhTaxId(taxId)) yield 'kz_tax_id_shape'
  else if (!kazakhTaxIdKeyHolds(taxId)) yield 'kz_tax_id_key'
  if (!/^\d{2}$/.test(kbe)) yield 'kz_kbe_shape'
  if (!/^\d{3}$/.test(knp)) yield 'kz_knp_shape'
}

/** The ninth digit is a key whose rule is not confirmed: never computed. */
function* uzbekFindings({ number, bic = '', taxId = '' }: RequisiteDraft): Codes {
  if (!/^\d{20}$/.test(number)) yield 'uz_account_shape'
  else if (number.slice(5, 8) !== '000') yield 'uz_account_currency'
  if (!/^\d{5}$/.test(bic)) yield 'uz_mfo_shape'
  if (!/^(\d{9}|\d{14})$/.test(taxId)) yield 'uz_tax_id_shape'
}

/** The regulation is not confirmed, so only a wrong length is an error. */
function* tajikFindings({ number, bic = '' }: RequisiteDraft): Codes {
  if (!/^\d{20}$/.test(number)) yield 'tj_account_shape'
  else if (number.slice(5, 8) !== '972') yield 'tj_account_currency'
  if (!/^\d{9}$/.test(bic)) yield 'tj_bic_shape'
  else if (!bic.startsWith('350101')) yield 'tj_bic_start'
}

function* linkFindings({ kind, currency, link }: RequisiteDraft): Codes {
  if (link === undefined) return
  const read = readBankLink(link)
  if (!read) return yield 'link_unknown'
  if (carriesReference(kind)) yield 'link_kind'
  if (read.currency !== currency) yield 'link_currency'
  yield* read.findings
}

const unusedFields = (requisite: RequisiteDraft): DetailField[] =>
  detailFields.filter(
    (field) => requisite[field] !== undefined && !kinds[requisite.kind].details.includes(field),
  )

/**
 * Whether a transfer to an account may be matched by its amount alone: depending on the kind of requisite (only cards
 * and phones, whose transfers have no purpose), always, or never.
 */
export const amountMatchings = ['by_kind', 'always', 'never'] as const
export type AmountMatching = (typeof amountMatchings)[number]

export type ReceivingAccount = {
  id: string
  mode: Mode
  currency: Currency
  merchantId: string | null
  label: string
  ownerLegalName: string
  ownerPublicName: string
  ownerTaxId: string
  ownerAgreement: string
  addedBy: string
  /** The account number in the bank's statements. */
  number?: string | null
}
