/** Payment types as staff reads them. */
import { type TypeNames, typeWords } from '../../domain/catalogue/payment-type.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'

export const methodName = (
  { language }: { language: ConsoleLanguage },
  names: TypeNames,
  code: string,
): string => typeWords(code, names.get(code) ?? code)[language === 'ru' ? 1 : 0]
