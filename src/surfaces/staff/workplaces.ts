import type { Visitor } from '../../domain/people/access.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { consoleHome, deskHome, staffPath } from './paths.ts'
import { sharedWords } from './shared-words.ts'

/** Links to the consoles that this person may use. */
export const workplaceLinks = (
  visitor: Visitor,
  language: ConsoleLanguage,
): { href: string; text: string }[] => [
  ...(visitor.person.operatorRole ? [{ href: staffPath(deskHome), text: sharedWords[language].desk }] : []),
  ...visitor.memberships.map(({ merchantId, merchantName }) => ({
    href: staffPath(consoleHome, merchantId),
    text: merchantName,
  })),
]
