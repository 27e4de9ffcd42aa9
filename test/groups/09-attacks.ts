import { reportAll } from '../support/attempts.ts'
import { together } from '../support/together.ts'

await together('test/attacks/*.test.ts')
reportAll()
