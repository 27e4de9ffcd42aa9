/** A process for processes.test.ts: it becomes ready when the test asks for its metrics, and leaves when it is asked to. */
import { joinParent } from '../../src/platform/process-link.ts'

const link = await joinParent()
link!.on('metrics', () => link!.send({ kind: 'ready' }))
link!.on('leave', () => process.exit(0))
// From now on it hears the test.
link!.send({ kind: 'metrics', families: [] })
setInterval(() => {}, 60_000)
