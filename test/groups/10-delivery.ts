import { together } from '../support/together.ts'

await together(
  'test/callbacks/*.test.ts',
  'test/platform/outbound.test.ts',
  'test/platform/migrate.test.ts',
  'test/platform/two-installations.test.ts',
  'test/platform/db-connection.test.ts',
  'test/platform/timeouts.test.ts',
)
