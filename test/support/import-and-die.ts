/** A process that imports or undoes a file, and is killed at a step. Arguments: database, act, step, and the act's own. */
import { readFile } from 'node:fs/promises'
import { undoStatement } from '../../src/domain/statements/undo/undo-statement.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { importBytes } from './bank.ts'
import { withSteps } from './stopping.ts'

const [url, act, last, about] = process.argv.slice(2) as [string, string, string, string]
Object.assign(bounds, { importGroup: 3, undoGroup: 3 })
const opened = openDatabase({ url }, { connections: 2, role: 'inlet_runtime' })
const db = withSteps(opened, (step) => {
  if (step === Number(last)) process.kill(process.pid, 'SIGKILL')
})
const context = { db, publicUrl: 'http://localhost', changed: () => {} }
if (act === 'import') await importBytes(context, await readFile(about), { anyway: true })
else await undoStatement(context, { statementId: about })
