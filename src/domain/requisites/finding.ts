/**
 * Every finding about a requisite. Hard refuses to save; soft warns, and the operator confirms. The sentence is the message
 * with the finding's code.
 */
import type { requisitesEn } from '../messages/requisites.ts'

export type FindingCode = keyof typeof requisitesEn

export const findingTable = {
  currency_kind: { field: 'kind', severity: 'hard' },
  holder_missing: { field: 'holder', severity: 'hard' },
  holder_long: { field: 'holder', severity: 'hard' },
  holder_characters: { field: 'holder', severity: 'hard' },
  bank_name_missing: { field: 'bankName', severity: 'hard' },
  bank_name_long: { field: 'bankName', severity: 'hard' },
  bank_name_long_for_bill: { field: 'bankName', severity: 'hard' },
  bank_name_characters: { field: 'bankName', severity: 'hard' },
  field_unused: { field: 'kind', severity: 'hard' }, // Replaced by the field in question.

  link_unknown: { field: 'link', severity: 'hard' },
  link_kind: { field: 'link', severity: 'hard' },
  link_currency: { field: 'link', severity: 'hard' },
  link_shape: { field: 'link', severity: 'hard' },
  link_country: { field: 'link', severity: 'hard' },
  link_once: { field: 'link', severity: 'hard' },
  link_amount: { field: 'link', severity: 'hard' },
  link_check_sum: { field: 'link', severity: 'hard' },
  link_check_sum_unproven: { field: 'link', severity: 'soft' },

  card_digits: { field: 'number', severity: 'hard' },
  card_length: { field: 'number', severity: 'hard' },
  card_length_rare: { field: 'number', severity: 'soft' },
  card_check_digit: { field: 'number', severity: 'hard' },
  card_check_digit_unproven: { field: 'number', severity: 'soft' },
  card_brand_unknown: { field: 'number', severity: 'soft' },

  phone_shape: { field: 'number', severity: 'hard' },
  phone_landline: { field: 'number', severity: 'soft' },

  ru_account_shape: { field: 'number', severity: 'hard' },
  ru_account_currency: { field: 'number', severity: 'hard' },
  ru_account_key: { field: 'number', severity: 'hard' },
  ru_bic_shape: { field: 'bic', severity: 'hard' },
  ru_corr_shape: { field: 'corrAccount', severity: 'hard' },
  ru_corr_unused: { field: 'corrAccount', severity: 'hard' },
  ru_corr_bank: { field: 'corrAccount', severity: 'hard' },
  ru_corr_key: { field: 'corrAccount', severity: 'hard' },
  ru_inn_shape: { field: 'taxId', severity: 'hard' },
  ru_inn_key: { field: 'taxId', severity: 'soft' },
  ru_kpp_shape: { field: 'kpp', severity: 'hard' },

  kz_iban_shape: { field: 'number', severity: 'hard' },
  kz_iban_key: { field: 'number', severity: 'hard' },
  kz_bic_shape: { field: 'bic', severity: 'hard' },
  kz_tax_id_shape: { field: 'taxId', severity: 'hard' },
  kz_tax_id_key: { field: 'taxId', severity: 'soft' },
  kz_kbe_shape: { field: 'kbe', severity: 'hard' },
  kz_knp_shape: { field: 'knp', severity: 'hard' },

  uz_account_shape: { field: 'number', severity: 'hard' },
  uz_account_currency: { field: 'number', severity: 'soft' },
  uz_mfo_shape: { field: 'bic', severity: 'hard' },
  uz_tax_id_shape: { field: 'taxId', severity: 'hard' },

  tj_account_shape: { field: 'number', severity: 'hard' },
  tj_account_currency: { field: 'number', severity: 'soft' },
  tj_bic_shape: { field: 'bic', severity: 'hard' },
  tj_bic_start: { field: 'bic', severity: 'soft' },
} as const satisfies Record<FindingCode, { field: string; severity: 'hard' | 'soft' }>
