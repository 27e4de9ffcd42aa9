/**
 * Checks the fields of a request against its schema. Structure first (before the signature: which fields, which
 * types), values after it. All problems of one phase come together, and no text repeats a value.
 */

import { parseFlat, pointerTo } from './body.ts'
import { type FieldProblem, Refusal, type RefusalCode, type Sentence } from './refusals.ts'
import { remembered } from './remembered.ts'

type FieldSchema = {
  type?: string
  format?: string
  pattern?: string
  examples?: string[]
  maxLength?: number
  minimum?: number
  maximum?: number
  enum?: string[]
}

type Problem = Omit<FieldProblem, 'pointer'>

export type RequestSchema = { properties: Record<string, unknown>; required?: string[] }

/**
 * The fields of a body, with known names and right types only. An integer may come as its decimal text; nothing else may change
 * its type.
 */
export function readFields(
  bytes: Uint8Array,
  encoding: 'json' | 'form',
  { properties }: RequestSchema,
): Map<string, string> {
  const { fields, numbers, problems } = parseFlat(bytes, encoding)
  const found: FieldProblem[] = problems
  for (const [name, value] of fields) {
    const field = Object.hasOwn(properties, name) ? (properties[name] as FieldSchema) : undefined
    const problem = structureProblem(field, value, numbers.has(name))
    if (problem) found.push({ pointer: pointerTo(name), ...problem })
  }
  refuseProblems(found, 'malformed_body')
  return fields
}

function structureProblem(
  field: FieldSchema | undefined,
  value: string,
  isNumber: boolean,
): Problem | undefined {
  if (!field) return { code: 'unknown_field', detail: 'This operation has no such field.' }
  if (!isNumber) return undefined
  if (field.type !== 'integer') return { code: 'invalid_type', detail: 'It must be a string, not a number.' }
  if (/^-?[0-9]+$/.test(value)) return undefined
  return { code: 'invalid_type', detail: 'It must be an integer, without fraction or exponent.' }
}

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

type AddressCheck = (text: string) => Sentence | undefined

export function valueProblems(
  schema: RequestSchema,
  values: ReadonlyMap<string, string>,
  checkAddress: AddressCheck,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const name in schema.properties) {
    const field = schema.properties[name] as FieldSchema
    const required = schema.required?.includes(name) ?? false
    const problem = valueProblem(name, field, required, values.get(name), checkAddress)
    if (problem) problems.push({ pointer: pointerTo(name), ...problem })
  }
  return problems
}

/** One refusal for all problems: with their code if it is the same, else with `mixedCode`. */
export function refuseProblems(problems: readonly FieldProblem[], mixedCode: RefusalCode): void {
  const [first] = problems
  if (!first) return
  const agreed = problems.every((problem) => problem.code === first.code) && fieldRefusals.has(first.code)
  throw new Refusal(agreed ? (first.code as RefusalCode) : mixedCode, {
    detail: problems.map((problem) => `${problem.pointer.slice(2) || 'body'}: ${problem.detail}`).join(' '),
    errors: [...problems],
  })
}

/** Field codes that are refusals in their own right. */
const fieldRefusals = new Set<string>([
  'malformed_body',
  'duplicate_field',
  'unknown_field',
  'invalid_type',
  'separator_in_value',
  'currency_not_supported',
  'payment_type_not_supported',
  'url_not_allowed',
] satisfies RefusalCode[])

/** Fields whose list of values has a refusal of its own; a value outside of any other list has the code `format`. */
const enumRefusals: Record<string, RefusalCode> = {
  currency: 'currency_not_supported',
  payment_type: 'payment_type_not_supported',
}

function valueProblem(
  name: string,
  field: FieldSchema,
  required: boolean,
  value: string | undefined,
  checkAddress: AddressCheck,
): Problem | undefined {
  if (value === undefined)
    return required ? { code: 'required', detail: 'This field is required.' } : undefined
  if (value === '') return required ? { code: 'empty', detail: 'This field must not be empty.' } : undefined
  if (field.enum && !field.enum.includes(value)) {
    const code = enumRefusals[name] ?? 'format'
    return { code, detail: `It must be one of ${field.enum.join(', ')}.` }
  }
  if (field.type === 'integer') return integerProblem(field, value)
  if (
    field.maxLength !== undefined &&
    value.length > field.maxLength &&
    [...value].length > field.maxLength
  ) {
    return { code: 'length', detail: `It must have at most ${field.maxLength} characters.` }
  }
  if (field.pattern && !patternOf(field).test(value)) {
    return { code: 'format', detail: `It must match ${field.pattern}, such as ${field.examples?.[0]}.` }
  }
  if (field.format === 'uri') {
    const detail = checkAddress(value)
    if (detail) return { code: 'url_not_allowed', detail }
  }
  return undefined
}

const patternOf = remembered((field: FieldSchema) => new RegExp(field.pattern!))

function integerProblem(field: FieldSchema, value: string): Problem | undefined {
  if (!/^(0|-?[1-9][0-9]*)$/.test(value)) {
    return { code: 'format', detail: 'It must be an integer in minor units, written in digits.' }
  }
  const number = value.length > 20 ? undefined : BigInt(value)
  if (number === undefined || number < BigInt(field.minimum!) || number > BigInt(field.maximum!)) {
    return { code: 'range', detail: `It must lie between ${field.minimum} and ${field.maximum}.` }
  }
  return undefined
}
