/** Addresses of a merchant's console that are written by hand. Those of declared sections follow from their declarations. */

import { createPaths } from '../../platform/paths.ts'
import { consoleRoot } from '../staff/paths.ts'

export const consolePath = createPaths(consoleRoot, [
  '/',
  '/bank',
  '/bank/pay',
  '/bank/time',
  '/overview',
  '/requests/:id/withdraw',
  '/settings/branding',
  '/settings/branding/remove-logo',
])
