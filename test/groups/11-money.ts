import { together } from '../support/together.ts'

await together(
  'test/scenarios/money-in*.test.ts',
  'test/scenarios/mt940.test.ts',
  'test/scenarios/statements.test.ts',
  'test/scenarios/tellings.test.ts',
)
