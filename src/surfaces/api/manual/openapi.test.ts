import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assertDescribed } from '../../../../test/support/described.ts'
import { eventTypes } from '../../../domain/callbacks/callback.ts'
import { LimitAnswer } from '../../../domain/catalogue/limit.ts'
import {
  BuildAnswer,
  BuildRequest,
  CreateRequest,
  DepositPage,
  DepositRecord,
  Problem,
} from '../../../domain/deposits/record.ts'
import {
  SandboxClockAnswer,
  SandboxClockRequest,
  SandboxTransferAnswer,
  SandboxTransferRequest,
} from '../../../domain/sandbox/record.ts'
import { PushAnswer, PushedTransfer } from '../../../domain/transfers/push.ts'
import { refusals } from '../../../platform/refusals.ts'
import { CallbackPage, CallbackPayload, EventPage, ReplayAnswer } from '../callbacks/records.ts'
import type { Schema } from '../operation.ts'
import { type OpenApiDocument, openApiDocument } from './openapi.ts'

const document = openApiDocument({ publicUrl: 'https://inlet.example' })
const plain = JSON.parse(JSON.stringify(document)) as OpenApiDocument

test('openapi.json is the document of this code (else run: node bin/node.mjs src/surfaces/api/manual/write-openapi.ts)', () => {
  const stored = JSON.parse(readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'))
  assert.deepEqual(stored, plain)
})

const operations = Object.values(plain.paths).flatMap((methods) => Object.values(methods))
const webhooks = Object.values(plain.webhooks).map(({ post }) => post)

test('every reference leads somewhere', () => {
  const text = JSON.stringify(plain)
  for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer!
      .split('/')
      .reduce<unknown>((node, name) => (node as Record<string, unknown>)?.[name], plain)
    assert.ok(found, pointer)
  }
})

test('every example of an answer meets the schema that answers are checked with', () => {
  const schemas = {
    CreateRequest,
    BuildRequest,
    BuildAnswer,
    DepositRecord,
    DepositPage,
    LimitAnswer,
    CallbackPayload,
    EventPage,
    CallbackPage,
    ReplayAnswer,
    SandboxTransferRequest,
    SandboxTransferAnswer,
    SandboxClockRequest,
    SandboxClockAnswer,
    PushedTransfer,
    PushAnswer,
  }
  const seen = new Set<string>()
  for (const operation of [...operations, ...webhooks]) {
    const media = [operation.requestBody, ...Object.values(operation.responses)].flatMap((value) =>
      Object.values(value?.content ?? {}),
    )
    for (const { schema, example } of media) {
      const { $ref } = schema.anyOf?.[0] ?? schema
      const name = $ref?.split('/').at(-1) as keyof typeof schemas | 'Problem' | undefined
      if (!name || name === 'Problem') continue
      seen.add(name)
      assertDescribed<unknown>(schemas[name], example)
    }
  }
  assert.deepEqual([...seen].sort(), Object.keys(schemas).sort())
  for (const { value } of Object.values(plain.components.examples)) assertDescribed(Problem, value)
})

test('every event is described, with an example of its own type', () => {
  assert.deepEqual(Object.keys(plain.webhooks), [...eventTypes])
  for (const [type, { post }] of Object.entries(plain.webhooks)) {
    assert.partialDeepStrictEqual(post.requestBody.content['application/json']!.example as object, { type })
  }
})

test('every operation has a name of its own', () => {
  const names = [...operations, ...webhooks].map(({ operationId }) => operationId)
  assert.equal(new Set(names).size, names.length)
})

test('every integer says how large it may become, and every enum and constant what it is made of', () => {
  const bare: string[] = []
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, format, enum: values, const: only, maximum } = node as Schema
    const room = maximum !== undefined && maximum < 2 ** 31 ? 'int32' : 'int64'
    if (type === 'integer' && format !== room) bare.push(path)
    const named = [...(values ?? []), ...(only === undefined ? [] : [only])]
    if (named.some((value) => typeof value !== type)) bare.push(path)
    for (const [name, inner] of Object.entries(node)) walk(inner, `${path}/${name}`)
  }
  walk(plain, '')
  assert.deepEqual(bare, [])
  assert.equal(plain.components.schemas.DepositRecord!.properties!.amount_cents!.format, 'int64')
})

test('every operation has a tag, every tag a sentence and an operation, and the document a contact', () => {
  const described = plain.tags.map(({ name }) => name)
  const used = [...operations, ...webhooks].flatMap(({ tags }) => tags)
  assert.deepEqual([...new Set(used)].sort(), [...described].sort())
  assert.ok([...operations, ...webhooks].every(({ tags }) => tags.length === 1))
  assert.ok(plain.tags.every(({ description }) => description.endsWith('.')))
  assert.equal(plain.info.contact.url, 'https://inlet.example/docs')
})

test('a header that a security scheme describes is not a parameter too', () => {
  const schemes = Object.values(plain.components.securitySchemes)
  const secured = new Set(['authorization', ...schemes.map(({ name }) => name?.toLowerCase())])
  const twice = [...operations, ...webhooks].flatMap(({ operationId, parameters }) =>
    parameters
      .filter(({ name }) => secured.has(name.toLowerCase()))
      .map(({ name }) => `${operationId} ${name}`),
  )
  assert.deepEqual(twice, [])
  assert.ok(secured.has('x-signature') && secured.has('webhook-signature'))
})

test('Retry-After is documented only where a request may be repeated', () => {
  const described = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([, { headers }]) => headers?.['Retry-After'])
      .map(([status]) => `${operationId} ${status}`),
  )
  assert.ok(
    described.includes('createDeposit 409') && !described.includes('cancelDeposit 409'),
    described.join(),
  )
})

test('a refusal stands under its own status', () => {
  for (const operation of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      for (const code of Object.keys(content?.['application/problem+json']?.examples ?? {})) {
        assert.equal(refusals[code as keyof typeof refusals].status, Number(status))
      }
    }
  }
})
