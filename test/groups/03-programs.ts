import { together } from '../support/together.ts'

await together(
  'test/scenarios/all-cores.test.ts',
  'test/scenarios/first-minute.test.ts',
  'test/scenarios/launcher.test.ts',
  'test/scenarios/many-processes.test.ts',
  'test/scenarios/survives.test.ts',
)
