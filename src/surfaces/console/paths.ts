/** Every address of a merchant's console. */

import { createPaths } from '../../platform/paths.ts'
import { consoleRoot } from '../staff/paths.ts'

export const consolePath = createPaths(consoleRoot, [
  '/',
  '/bank',
  '/bank/pay',
  '/bank/time',
  '/callbacks',
  '/deposits',
  '/deposits/:id',
  '/endpoints',
  '/keys',
  '/keys/:id',
  '/limits',
  '/overview',
  '/people',
  '/requests/:id/withdraw',
  '/settings',
  '/settings/callback',
  '/settings/branding',
  '/settings/branding/remove-logo',
])
