/** The program that `bin/inlet.mjs` runs. */
import { inlet } from './program.ts'

process.exitCode = await inlet(process.argv.slice(2), process)
