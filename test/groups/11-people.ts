import { together } from '../support/together.ts'

await together('test/people/*.test.ts')
