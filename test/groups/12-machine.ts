import { together } from '../support/together.ts'

await together(
  'test/platform/embedded-postgres.test.ts',
  'test/platform/stock-postgres.test.ts',
  'test/platform/kept-plans.test.ts',
  'test/platform/pooler.test.ts',
  'test/platform/replication.test.ts',
)
