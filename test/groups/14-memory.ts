import { together } from '../support/together.ts'

// It collects garbage again and again, which takes four times as long beside what other files load.
await together('test/scenarios/statement-memory.test.ts')
