/**
 * What is found about a requisite, and what the operator does about it. The sentences are fixed and repeat no detail of a
 * draft, because findings are logged and audited and numbers are not.
 */
export const requisitesEn = {
  currency_kind:
    'This kind of account receives another currency: choose the account kind of that currency’s country.',
  holder_missing: 'Write the recipient’s name as the bank shows it.',
  holder_long: 'Shorten the recipient’s name to 160 characters.',
  holder_characters: 'The recipient’s name holds invisible characters: type it instead of pasting it.',
  bank_name_missing:
    'Name the bank: without it the customer cannot pay, since one person may use several banks.',
  bank_name_long: 'Shorten the bank’s name to 100 characters.',
  bank_name_long_for_bill:
    'Shorten the bank’s name to 45 characters: the QR code of a Russian bill holds no more.',
  bank_name_characters: 'The bank’s name holds invisible characters: type it instead of pasting it.',
  field_unused: 'This kind of requisite has no such detail: clear the field, or choose another kind.',

  link_unknown:
    'Inlet knows links of SBP (qr.nspk.ru), Paynet (or its code as text), Click P2P and Kaspi, all https: paste one exactly as the bank gave it.',
  link_kind:
    'A transfer by a bank link carries no reference, but deposits on an account are distinguished by it: use the link with a card or phone requisite.',
  link_currency:
    'This link pays in another currency: SBP takes RUB, Paynet and Click take UZS, Kaspi takes KZT.',
  link_shape: 'The link or code is incomplete, or something was added to it: copy it from the bank again.',
  link_country: 'The code is not for soums in Uzbekistan: ask the bank for the right one.',
  link_once: 'This code works for one payment only: ask the bank for a static one.',
  link_amount:
    'This code has a fixed amount, but every deposit has its own: ask the bank for a code without an amount.',
  link_check_sum: 'The checksum of the code does not match: a character is missing or wrong.',
  link_check_sum_unproven:
    'The checksum of the link does not match, which happens with some real links: try it in a bank app first.',

  card_digits: 'Write the card number in digits only.',
  card_length: 'Cards of this brand have another number of digits: compare the number with the card.',
  card_length_rare: 'Visa cards nearly always have 16 digits: compare the number with the card.',
  card_check_digit: 'The check digit of the card number does not match: one of its digits is wrong.',
  card_check_digit_unproven:
    'The check digit of the card number does not match, which some cards of this brand allow: compare every digit.',
  card_brand_unknown:
    'The first digits belong to no card brand Inlet knows: compare the number with the card.',

  phone_shape:
    'Enter the phone in full: nine digits after +79 for RUB, +77 for KZT, +998 for UZS, +992 for TJS.',
  phone_landline: 'This looks like a landline, which banks rarely accept for transfers: use a mobile number.',

  ru_account_shape: 'A Russian account has 20 digits.',
  ru_account_currency:
    'Digits 6 to 8 of a rouble account are 810: this account is in another currency or mistyped.',
  ru_account_key:
    'The account does not match the BIC: one of them is mistyped. Compare both with the bank’s document.',
  ru_bic_shape: 'A Russian BIC has 9 digits and starts with 0, 1 or 2.',
  ru_corr_shape: 'A correspondent account has 20 digits and starts with 301, the treasury’s with 40102.',
  ru_corr_unused:
    'This BIC belongs to a unit of the Bank of Russia, which has no such account: clear the field.',
  ru_corr_bank:
    'The correspondent account must end with the last three digits of the BIC: it belongs to another bank.',
  ru_corr_key: 'The correspondent account does not match the BIC: compare both with the bank’s document.',
  ru_inn_shape: 'An INN has 10 digits, a person’s has 12.',
  ru_inn_key: 'The check digits of the INN do not match: compare it with the certificate.',
  ru_kpp_shape: 'A KPP has 9 digits; only the fifth and sixth may be Latin letters.',

  kz_iban_shape: 'A Kazakh IBAN is KZ, five digits and 13 digits or letters, all letters Latin.',
  kz_iban_key: 'The check digits of the IBAN do not match: one of its characters is wrong.',
  kz_bic_shape: 'A Kazakh BIC has 8 Latin letters or digits, such as those of SWIFT.',
  kz_tax_id_shape: 'A БИН or ИИН has 12 digits.',
  kz_tax_id_key: 'The check digit of the БИН or ИИН does not match: compare it with the certificate.',
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
  tj_bic_start: 'Tajik BICs usually start with 350101: compare it with the bank’s document.',
} as const
