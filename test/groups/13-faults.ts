import { together } from '../support/together.ts'

await together('test/faults/*.test.ts')
