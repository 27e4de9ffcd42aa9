import { together } from '../support/together.ts'

await together(
  'test/platform/embedded-postgres.test.ts',
  'test/platform/postgres-15.test.ts',
  'test/scenarios/first-minute.test.ts',
  'test/scenarios/survives.test.ts',
  'test/scenarios/many-processes.test.ts',
)
