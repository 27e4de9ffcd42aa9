/** Somebody who sends what a merchant did not sign. */
import assert from 'node:assert/strict'
import { fromAnywhere } from './attempts.ts'
import { type Answer, call, type Fields, type TestGateway } from './gateway.ts'

export const json = { 'content-type': 'application/json' }
const pathOf = (operation: string): string => `/api/v1/requests/deposit/${operation}`

/** Anything but a refusal of this very request: a fault, or a refusal of its sender, would prove nothing. */
export function isThrough(name: string, { status, body }: Answer): boolean {
  assert.ok(status < 500 && status !== 429, `${name}: ${status} ${body.code}`)
  return status < 400
}

type Body = string | Buffer<ArrayBuffer>
export type Forger = {
  send(operation: string, headers: Record<string, string>, body: Body): Promise<Answer>
  sendFields(operation: string, fields: Fields, signature: string): Promise<Answer>
}

export function forgerAt({ url }: TestGateway): Forger {
  const send: Forger['send'] = (operation, headers, body) =>
    call(url, pathOf(operation), { method: 'POST', headers: { ...fromAnywhere(), ...headers }, body })
  return {
    send,
    sendFields: (operation, fields, signature) =>
      send(operation, { ...json, 'x-signature': signature }, JSON.stringify(fields)),
  }
}
