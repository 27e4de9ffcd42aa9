import { together } from '../support/together.ts'

await together('test/scenarios/backup*.test.ts')
