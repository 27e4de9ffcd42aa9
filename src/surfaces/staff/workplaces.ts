import type { Visitor } from '../../domain/people/access.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { inLanguage } from '../../sections/section.ts'
import { consoleWords } from './console-words.ts'
import { consoleHome, deskHome, staffPath } from './paths.ts'

/** Links to the consoles that this person may use. */
export const workplaceLinks = (
  visitor: Visitor,
  language: ConsoleLanguage,
): { href: string; text: string }[] => [
  ...(visitor.person.operatorRole
    ? [{ href: staffPath(deskHome), text: inLanguage(consoleWords.desk, language) }]
    : []),
  ...visitor.memberships.map(({ merchantId, merchantName }) => ({
    href: staffPath(consoleHome, merchantId),
    text: merchantName,
  })),
]
