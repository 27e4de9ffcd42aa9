import type { Visitor } from '../../domain/people/access.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { consoleRoot, deskRoot, staffPath } from './paths.ts'
import { sharedWords } from './shared-words.ts'

/** Links to the consoles that this person may use. */
export const workplaceLinks = (
  visitor: Visitor,
  language: ConsoleLanguage,
): { href: string; text: string }[] => [
  ...(visitor.person.operatorRole ? [{ href: staffPath(deskRoot), text: sharedWords[language].desk }] : []),
  ...visitor.memberships.map(({ merchantId, merchantName }) => ({
    href: staffPath(consoleRoot, merchantId),
    text: merchantName,
  })),
]
