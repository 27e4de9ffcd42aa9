import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildRequest, CreateRequest } from '../domain/deposits/record.ts'
import { SandboxClockRequest, SandboxTransferRequest } from '../domain/sandbox/record.ts'
import type { Refusal } from './refusals.ts'
import { type RequestSchema, refuseProblems, valueProblems } from './request-fields.ts'
import { Type } from './schema.ts'

const Invented = Type.Object({
  currency: Type.Enum(['RUB']),
  payment_type: Type.Enum(['sbp', 'any_bank']),
  format: Type.Enum(['csv', 'camt']),
  state: Type.Enum(['created']),
})

/** The codes for a value outside of the list, for every field that has a list. */
const expected: Record<string, { problem: string; refusal: string }> = {
  'CreateRequest currency': { problem: 'currency_not_supported', refusal: 'currency_not_supported' },
  'BuildRequest currency': { problem: 'currency_not_supported', refusal: 'currency_not_supported' },
  'Invented currency': { problem: 'currency_not_supported', refusal: 'currency_not_supported' },
  'Invented payment_type': { problem: 'payment_type_not_supported', refusal: 'payment_type_not_supported' },
  'Invented format': { problem: 'format', refusal: 'invalid_value' },
  'Invented state': { problem: 'format', refusal: 'invalid_value' },
}

test('a value outside of a list is refused with the code of its field, in every operation', () => {
  const schemas = { CreateRequest, BuildRequest, SandboxTransferRequest, SandboxClockRequest, Invented }
  const found = Object.entries<RequestSchema>(schemas).flatMap(([name, schema]) =>
    Object.entries(schema.properties)
      .filter(([, field]) => (field as { enum?: string[] }).enum)
      .map(([field, property]) => {
        const schema = { properties: { [field]: property } }
        const problems = valueProblems(schema, new Map([[field, 'else']]), () => undefined)
        return [`${name} ${field}`, { problem: problems[0]?.code, refusal: refusalOf(problems) }]
      }),
  )
  assert.deepEqual(Object.fromEntries(found), expected)
})

test('a malformed value is refused with the expected format and an example', () => {
  const schemas = { CreateRequest, BuildRequest, SandboxTransferRequest, SandboxClockRequest }
  const found = Object.entries<RequestSchema>(schemas).flatMap(([name, schema]) =>
    Object.entries(schema.properties as Record<string, { pattern?: string; examples?: string[] }>)
      .filter(([, { pattern }]) => pattern)
      .map(([field, { pattern, examples }]) => {
        const problemsOf = (text: string) =>
          valueProblems(
            { properties: { [field]: schema.properties[field] } },
            new Map([[field, text]]),
            () => undefined,
          )
        for (const example of examples ?? []) assert.deepEqual(problemsOf(example), [], `${name} ${field}`)
        const detail = `${problemsOf('§ wrong')[0]!.detail}`
        assert.ok(detail.includes(pattern!), `${name} ${field}: ${detail}`)
        assert.ok(examples?.[0] && detail.includes(examples[0]), `${name} ${field}: ${detail}`)
        return `${name} ${field}: ${detail}`
      }),
  )
  assert.ok(
    found.includes(
      'CreateRequest customer_phone_number: It must match ^\\+?[0-9]{7,15}$, such as +998901234567.',
    ),
    found.join('\n'),
  )
})

function refusalOf(problems: Parameters<typeof refuseProblems>[0]): string | undefined {
  try {
    refuseProblems(problems, 'invalid_value')
  } catch (error) {
    return (error as Refusal).code
  }
}
