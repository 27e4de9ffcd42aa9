/** The program: `inlet start` runs the gateway until it is told to stop, every other word is a command. */
import { run } from './command-line/inlet.ts'

process.exitCode = await run(process.argv.slice(2), process)
