/** Every section: of the operator's desk, and of a merchant's console. */
import { audit } from './audit.ts'
import { callbacks } from './callbacks.ts'
import { endpoints } from './endpoints.ts'
import { installation } from './installation.ts'
import { keys } from './keys.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { members } from './members.ts'
import { merchants } from './merchants.ts'
import { people } from './people.ts'
import { refunds } from './refunds.ts'
import type { Section } from './section.ts'
import { shop } from './shop.ts'
import { shopDeposits } from './shop-deposits.ts'

export const deskSections: readonly Section[] = [refunds, lists, merchants, people, audit, installation]
export const consoleSections: readonly Section[] = [
  shopDeposits,
  callbacks,
  endpoints,
  keys,
  limits,
  members,
  shop,
]
export const allSections: readonly Section[] = [...deskSections, ...consoleSections]
