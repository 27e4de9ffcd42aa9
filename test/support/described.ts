/** Checks an answer against its schema with a validator that is not part of Inlet. */
import assert from 'node:assert/strict'
import { Value as Validator } from 'typebox/value'
import type { Schema } from '../../src/platform/schema.ts'

export function assertDescribed<Value>(schema: Schema<Value>, value: unknown): asserts value is Value {
  assert.deepEqual([...Validator.Errors(schema, value)], [])
}
