import { together } from '../support/together.ts'

await together(
  'test/browser/console.test.ts',
  'test/browser/desk.test.ts',
  'test/browser/first-day.test.ts',
  'test/browser/pages.test.ts',
  'test/browser/queue.test.ts',
)
