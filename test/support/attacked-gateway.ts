/** One gateway for several attack files of a process: those that leave it as it was for the next one. */
import { behindProxy } from './attempts.ts'
import { shared } from './clean-up.ts'
import { startGateway, type TestGateway } from './gateway.ts'

let opened: Promise<TestGateway> | undefined

export function attackedGateway(): Promise<TestGateway> {
  opened ??= shared(() => startGateway({ environment: behindProxy }))
  return opened
}
