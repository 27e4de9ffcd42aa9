/**
 * What is found about a requisite, and what the operator does about it. The sentences are fixed and repeat no detail of a
 * draft, because findings are logged and audited and numbers are not.
 */
export const requisitesEn = {
  currency_kind:
    'This kind of account receives another currency: choose the kind of the currency’s own country.',
  holder_missing: 'Write the recipient’s name as the bank shows it.',
  holder_long: 'Shorten the recipient’s name to 160 characters.',
  holder_characters: 'The recipient’s name holds invisible characters: type it instead of pasting it.',
  bank_name_missing:
    'Name the bank: without it the customer cannot pay, since one person may hold several banks.',
  bank_name_long: 'Shorten the bank’s name to 100 characters.',
  bank_name_long_for_bill:
    'Shorten the bank’s name to 45 characters: the QR code of a Russian bill holds no more.',
  bank_name_characters: 'The bank’s name holds invisible characters: type it instead of pasting it.',
  field_unused: 'This kind of requisite has no such detail: clear the field, or choose another kind.',

  link_unknown:
    'Inlet knows links of SBP (qr.nspk.ru), Paynet (or its code as text), Click P2P and Kaspi, all https: paste one exactly as the bank gave it.',
  link_kind:
    'Money sent by a bank’s link names no reference, and deposits on an account are told apart by theirs: give the link to a card or phone requisite.',
  link_currency:
    'This link pays in another currency: SBP takes RUB, Paynet and Click take UZS, Kaspi takes KZT.',
  link_shape: 'The link or code is not whole, or something was added to it: copy it once more from the bank.',
  link_country: 'The code is not one for soums in Uzbekistan: ask the bank for the right one.',
  link_once: 'This code serves one payment only: ask the bank for a static one.',
  link_amount: 'This code fixes an amount, and every deposit has its own: ask the bank for one without.',
  link_check_sum: 'The code’s check sum does not fit: one of its characters is missing or wrong.',
  link_check_sum_unproven:
    'The link’s check sum does not fit, as with some real links: try it in a bank’s app first.',

  card_digits: 'Write the card number in digits only.',
  card_length: 'A card of this brand has another number of digits: compare the number with the card.',
  card_length_rare: 'Visa cards nearly always have 16 digits: compare the number with the card.',
  card_check_digit: 'The card number’s check digit does not fit: one of its digits is wrong.',
  card_check_digit_unproven:
    'The card number’s check digit does not fit, which some cards of this brand allow: compare every digit.',
  card_brand_unknown:
    'The first digits belong to no card brand Inlet knows: compare the number with the card.',

  phone_shape:
    'Write the phone in full: nine digits after +79 for RUB, +77 for KZT, +998 for UZS, +992 for TJS.',
  phone_landline:
    'This looks like a city phone, which banks seldom accept for transfers: use the mobile one.',

  ru_account_shape: 'A Russian account has 20 digits.',
  ru_account_currency:
    'Digits 6 to 8 of a rouble account are 810: this account is in another currency or mistyped.',
  ru_account_key:
    'The account does not fit the BIC: one of the two is mistyped. Compare both with the bank’s paper.',
  ru_bic_shape: 'A Russian BIC has 9 digits and starts with 0, 1 or 2.',
  ru_corr_shape: 'A correspondent account has 20 digits and starts with 301, the treasury’s with 40102.',
  ru_corr_unused:
    'This BIC belongs to a unit of the Bank of Russia, which has no such account: clear the field.',
  ru_corr_bank:
    'The correspondent account must end with the last three digits of the BIC: it belongs to another bank.',
  ru_corr_key: 'The correspondent account does not fit the BIC: compare both with the bank’s paper.',
  ru_inn_shape: 'An INN has 10 digits, a person’s has 12.',
  ru_inn_key: 'The INN’s check digits do not fit: compare it with the certificate.',
  ru_kpp_shape: 'A KPP has 9 digits; only the fifth and sixth may be Latin letters.',

  kz_iban_shape: 'A Kazakh IBAN is KZ, five digits and 13 digits or letters, all letters Latin.',
  kz_iban_key: 'The IBAN’s check digits do not fit: one of its characters is wrong.',
  kz_bic_shape: 'A Kazakh BIC has 8 Latin letters or digits, such as those of SWIFT.',
  kz_tax_id_shape: 'A БИН or ИИН has 12 digits.',
  kz_tax_id_key: 'The check digit of the БИН or ИИН does not fit: compare it with the certificate.',
  kz_kbe_shape: 'A КБЕ has 2 digits.',
  kz_knp_shape: 'A КНП has 3 digits.',

  uz_account_shape: 'An Uzbek account has 20 digits.',
  uz_account_currency:
    'Digits 6 to 8 of an account in soums are 000: make sure that this account receives soums.',
  uz_mfo_shape: 'An МФО has 5 digits.',
  uz_tax_id_shape: 'A STIR has 9 digits, a PINFL has 14.',

  tj_account_shape: 'A Tajik account has 20 digits.',
  tj_account_currency:
    'Digits 6 to 8 of an account in somoni are usually 972: make sure that this account receives somoni.',
  tj_bic_shape: 'A Tajik BIC has 9 digits.',
  tj_bic_start: 'Tajik BICs usually start with 350101: compare it with the bank’s paper.',
} as const
