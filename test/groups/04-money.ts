import { together } from '../support/together.ts'

await together(
  'test/scenarios/money-*.test.ts',
  'test/scenarios/mt940.test.ts',
  'test/scenarios/forged-statements.test.ts',
  'test/scenarios/statement-long-rows.test.ts',
  'test/scenarios/statement-summaries.test.ts',
  'test/scenarios/statements.test.ts',
  'test/scenarios/bad-rows.test.ts',
  'test/scenarios/long-histories.test.ts',
  'test/scenarios/undo-import.test.ts',
  'test/scenarios/imports.test.ts',
  'test/scenarios/predictions.test.ts',
  'test/scenarios/voices.test.ts',
)
