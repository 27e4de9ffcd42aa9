import { together } from '../support/together.ts'

await together('test/console/*.test.ts', 'test/desk/*.test.ts', 'test/office/*.test.ts')
