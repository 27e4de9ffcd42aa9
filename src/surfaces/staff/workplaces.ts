import type { Visitor } from '../../domain/people/access.ts'
import { consoleRoot, deskRoot, staffPath } from './paths.ts'

/** Where this person has something to do. */
export const workplaceLinks = (visitor: Visitor, desk: string): { href: string; text: string }[] => [
  ...(visitor.person.operatorRole ? [{ href: staffPath(deskRoot), text: desk }] : []),
  ...visitor.memberships.map(({ merchantId, merchantName }) => ({
    href: staffPath(consoleRoot, merchantId),
    text: merchantName,
  })),
]
