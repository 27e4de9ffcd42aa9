/** Where the payment page of a deposit is, its bill, and the logos on pages. The record of a deposit names the first two. */
import { createPaths } from '../../platform/paths.ts'

export const payRoot = '/pay'
export const billRoot = '/bill'
const logoRoot = '/logo'

export const payPath = createPaths(payRoot, [
  '/:token',
  '/:token/choose',
  '/:token/claim',
  '/:token/events',
  '/:token/give-up',
  '/:token/play',
  '/:token/status',
])

export const billPath = createPaths(billRoot, ['/:name'])

export const logoPath = createPaths(logoRoot, ['/:name'])
