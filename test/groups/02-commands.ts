import { together } from '../support/together.ts'

await together(
  'test/*command*.test.ts',
  'test/audit-seals.test.ts',
  'test/doctor.test.ts',
  'test/manual.test.ts',
  'test/master-key.test.ts',
  'test/node-version.test.ts',
  'test/observability.test.ts',
  'test/operator.test.ts',
  'test/reports.test.ts',
  'test/requisites.test.ts',
  'test/scenarios/busy-demo.test.ts',
  'test/security-log.test.ts',
  'test/split-transfers.test.ts',
)
