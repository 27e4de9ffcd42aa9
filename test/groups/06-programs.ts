import { together } from '../support/together.ts'

await together(
  'test/scenarios/first-minute.test.ts',
  'test/scenarios/many-processes.test.ts',
  'test/scenarios/survives.test.ts',
)
