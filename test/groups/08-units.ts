import { together } from '../support/together.ts'

await together(
  'src/**/*.test.ts',
  'sdk/*.test.ts',
  'test/architecture.test.ts',
  'test/russian-words.test.ts',
  'test/asvs.test.ts',
  'test/links.test.ts',
  'test/one-table.test.ts',
  'test/supply-chain.test.ts',
  'test/deploy/files.test.ts',
)
