/** Payment types as staff reads them: the built-in ones in the reader's language, until an operator renames them. */
import type { TypeNames } from '../../domain/catalogue/payment-type.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { inLanguage } from '../../sections/section.ts'
import { methodWords } from '../../sections/shared.ts'

export const methodName = (
  { language }: { language: ConsoleLanguage },
  names: TypeNames,
  code: string,
): string => inLanguage(methodWords(names, code), language)
