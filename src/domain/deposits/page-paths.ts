/** Where the payment page of a deposit is, and its bill. The record of a deposit names both. */
import { createPaths } from '../../platform/paths.ts'

export const payRoot = '/pay'
export const billRoot = '/bill'

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
