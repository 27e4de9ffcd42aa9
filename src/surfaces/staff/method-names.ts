/** Payment types as staff reads them: the built-in ones in the reader's language, until an operator renames them. */
import { isDefaultName, type TypeNames } from '../../domain/catalogue/payment-type.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'

const en = {
  any_bank: 'Card, any bank',
  sbp: 'Transfer by phone number (SBP)',
  bankx: 'Card, Bank X',
  account_number: 'Bank account',
  uzs_select: 'Customer’s choice',
}

const ru: typeof en = {
  any_bank: 'Карта любого банка',
  sbp: 'СБП по номеру телефона',
  bankx: 'Карта Bank X',
  account_number: 'Банковский счёт',
  uzs_select: 'Выбор покупателя',
}

const builtIn: Record<ConsoleLanguage, Record<string, string>> = { en, ru }

export function methodName(
  { language }: { language: ConsoleLanguage },
  names: TypeNames,
  code: string,
): string {
  const name = names.get(code) ?? code
  return isDefaultName(code, name) ? (builtIn[language][code] ?? name) : name
}
