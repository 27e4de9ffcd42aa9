import { together } from '../support/together.ts'

await together(
  'test/browser/pay-*.test.ts',
  'test/scenarios/demo-shop.test.ts',
  'test/scenarios/demo-to-production.test.ts',
)
