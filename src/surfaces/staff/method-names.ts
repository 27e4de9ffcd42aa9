/** Payment types as staff reads them. */
import type { TypeNames } from '../../domain/catalogue/payment-type.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { inLanguage } from '../../sections/section.ts'
import { methodWords } from '../../sections/shared.ts'

export const methodName = (
  { language }: { language: ConsoleLanguage },
  names: TypeNames,
  code: string,
): string => inLanguage(methodWords(names, code), language)
