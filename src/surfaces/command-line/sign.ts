/** `inlet sign` and `inlet verify`: signs and verifies requests manually, for integrators. */

import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import {
  matchesHex,
  type Operation,
  parseSignatureHeader,
  signatureString,
  signedFields,
  signLiteral,
  signV2,
  type V2Request,
  v2String,
} from '../../../sdk/signature.ts'
import type { Config } from '../../config.ts'
import { type Demo, readDemo } from '../../domain/sandbox/demo-file.ts'
import { parseFlat } from '../../platform/body.ts'
import { OperatorProblem, reasonOf } from '../../platform/operator-problem.ts'
import { apiPath } from '../api/paths.ts'
import type { Command, Output, Values } from './command.ts'
import { integer, oneOf, optional, required, shown, UsageProblem } from './options.ts'

const operations = Object.keys(signedFields) as Operation[]

export const signCommands: Record<string, Command> = {
  sign: {
    usage:
      "inlet sign [--secret S] [--operation create|build|limit] BODY   (BODY: JSON text, @file, or - for standard input; without --secret the demo merchant's)\n  inlet sign --v2 --time UNIX_SECONDS [--secret S --key-id K] [--method POST] [--path /api/…] BODY",
    summary: 'print the string to sign and the signature of a request',
    example: `'{"merchant":"…","order_id":"A-1","cents":150000,"currency":"RUB","payment_type":"any_bank","customer":"c-1"}'`,
    words: 1,
    async runAlone(values, [body], config) {
      const bytes = await bodyFrom(body)
      const { secret, keyId, demo } = await keyFrom(values, config)
      if (values.v2) return signedV2(secret, keyId, v2From(values, bytes))
      const [operation, fields] = literalFrom(values, bytes)
      refuseWrongDemoUse(demo, fields.get('merchant'))
      return signedLiterally(secret, operation, fields)
    },
  },
  verify: {
    usage:
      'inlet verify --signature X_SIGNATURE [--secret S] [--operation create|build|limit] [--method M --path P] BODY',
    summary: 'check the signature of a request; exit code 1 if it is wrong',
    example: '--signature $X_SIGNATURE --secret $SECRET @body.json',
    words: 1,
    async runAlone(values, [body], config) {
      const bytes = await bodyFrom(body)
      const { secret } = await keyFrom(values, config)
      const parsed = parseSignatureHeader(required(values, 'signature'))
      if (!parsed) throw new UsageProblem('--signature has neither of the two forms of X-Signature.')
      const text =
        parsed.scheme === 'v2'
          ? v2String(v2From({ ...values, time: String(parsed.t) }, bytes))
          : signatureString(...literalFrom(values, bytes))
      if (!matchesHex(secret, text, parsed.hex)) {
        throw new OperatorProblem(`The signature does not match. The string to sign is:\n${text}`)
      }
      return { json: { valid: true, string: text }, text: 'The signature matches.' }
    },
  },
}

const outputOf = (json: { string: string; signature: string }): Output => ({
  json,
  text: `${json.string}\n\nX-Signature: ${json.signature}`,
})

function signedV2(secret: string, kid: string, request: V2Request): Output {
  try {
    return outputOf({ string: v2String(request), signature: signV2({ ...request, secret, kid }) })
  } catch {
    // The time was already checked.
    throw new UsageProblem('--key-id must be 1 to 64 of the letters A–Z and a–z, the digits, _ and -.')
  }
}

function signedLiterally(secret: string, operation: Operation, fields: Map<string, string>): Output {
  try {
    return outputOf({
      string: signatureString(operation, fields),
      signature: signLiteral(secret, operation, fields),
    })
  } catch (error) {
    throw new OperatorProblem((error as Error).message)
  }
}

async function bodyFrom(word: string | undefined): Promise<Buffer> {
  if (word === undefined) throw new UsageProblem('Give the body: JSON text, @file, or - for standard input.')
  if (word === '-') return buffer(process.stdin)
  if (!word.startsWith('@')) return Buffer.from(word)
  return readFile(word.slice(1)).catch((error) => {
    throw new OperatorProblem(`The file ${word.slice(1)} cannot be read (${reasonOf(error)}).`)
  })
}

async function keyFrom(
  values: Values,
  config: () => Config,
): Promise<{ secret: string; keyId: string; demo?: Demo | undefined }> {
  const secret = optional(values, 'secret')
  const demo = secret === null ? await readDemo(config().dataDir) : undefined
  if (secret === null && !demo)
    throw new UsageProblem('--secret is required: there is no demo merchant here.')
  return {
    secret: secret ?? demo!.signing_secret,
    keyId: optional(values, 'key-id') ?? demo?.key_id ?? 'key',
    demo,
  }
}

/** Refuses to use the demo merchant's key for another merchant's request. */
function refuseWrongDemoUse(demo: Demo | undefined, merchant: string | undefined): void {
  if (!demo) return
  if (merchant !== undefined && merchant !== demo.merchant)
    throw new OperatorProblem(
      `The body names the merchant ${shown(merchant)}, and the demo merchant is ${demo.merchant}: give the key of the one you mean with --secret.`,
    )
  if (demo.v2_only)
    throw new UsageProblem(
      "The demo merchant's key takes v2 signatures only: add --v2 --time with the unix time in seconds.",
    )
}

function v2From(values: Values, body: Buffer): V2Request {
  const t = integer(values, 'time', 0, 999_999_999_999)
  if (t === null) throw new UsageProblem('--time is required with --v2: the unix time in seconds.')
  return {
    t,
    method: optional(values, 'method') ?? 'POST',
    target: optional(values, 'path') ?? apiPath('/requests/deposit/create'),
    body,
  }
}

function literalFrom(values: Values, bytes: Buffer): [Operation, Map<string, string>] {
  const { fields, problems } = parseFlat(bytes, 'json')
  const [problem] = problems
  if (problem) {
    const text = [problem.pointer, problem.detail].filter((part) => part !== '').join(' ')
    throw new OperatorProblem(`The body is refused: ${text}`)
  }
  return [values.operation === undefined ? 'create' : oneOf(values, 'operation', operations), fields]
}
