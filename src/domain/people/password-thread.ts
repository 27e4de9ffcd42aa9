/** A thread that hashes passwords: see password.ts. */
import { argon2Sync } from 'node:crypto'
import { serveThread } from '../../platform/serve-thread.ts'
import type { Hashing } from './password.ts'

serveThread((parameters: Hashing) => ({ output: argon2Sync('argon2id', parameters) }))
