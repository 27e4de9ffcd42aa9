/** Addresses of the desk's pages that are written by hand. Those of declared sections follow from their declarations. */

import { createPaths } from '../../platform/paths.ts'
import { deskRoot } from '../staff/paths.ts'

export const deskPath = createPaths(deskRoot, [
  '/',
  '/merchants/:id/why',
  '/overview',
  '/queue/deposits/:id',
  '/queue/transfers/:id',
  '/statements/upload',
  '/statements/uploads/:id',
  '/statements/uploads/:id/again',
  '/statements/uploads/:id/bad.csv',
  '/statements/uploads/:id/drop',
  '/statements/uploads/:id/read',
  '/statements/uploads/:id/stop',
  '/statements/uploads/:id/take',
])
