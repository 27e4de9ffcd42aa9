/** Every address of a merchant's console. */

import { createPaths } from '../../platform/paths.ts'
import { consoleRoot } from '../staff/paths.ts'

export const consolePath = createPaths(consoleRoot, [
  '/',
  '/bank',
  '/bank/pay',
  '/bank/time',
  '/callbacks',
  '/callbacks/:number',
  '/callbacks/:number/replay',
  '/callbacks/address',
  '/callbacks/pause',
  '/callbacks/replay',
  '/callbacks/resume',
  '/callbacks/secret',
  '/callbacks/test',
  '/callbacks/withdraw',
  '/charts',
  '/deposits.csv',
  '/deposits/:id',
  '/deposits/:id/cancel',
  '/drop-view',
  '/events',
  '/keys',
  '/keys/:key',
  '/keys/new',
  '/limits',
  '/people',
  '/people/:id',
  '/save-view',
  '/settings',
  '/settings/returns',
  '/settings/returns/withdraw',
  '/settings/withdraw',
  '/signature',
])
