/**
 * Shows step by step what is signed, and code that makes the same signature. It must never print a secret: readers put
 * their own into the code.
 */

import {
  type Operation,
  separatorProblem,
  signatureString,
  signedFields,
  signV2,
  v2String,
} from '../../../../sdk/signature.ts'
import { parseFlat } from '../../../platform/body.ts'
import type { Snippet } from '../../api/manual/snippets.ts'
import { apiPath } from '../../api/paths.ts'

export type Asked =
  | { scheme: 'literal'; operation: Operation; body: string }
  | { scheme: 'v2'; method: 'GET' | 'POST'; target: string; body: string }

export type Prepared = {
  /** The text that is signed. */
  string: string
  method: 'GET' | 'POST'
  target: string
  body: string
  /** For the literal rule: the fields that were sent. */
  values: ReadonlyMap<string, string>
}

/** Why a request cannot be signed as it was entered. */
export type RequestProblem = { kind: 'json' } | { kind: 'separator'; field: string } | { kind: 'path' }

const operationTargets: Record<Operation, string> = {
  create: apiPath('/requests/deposit/create'),
  build: apiPath('/requests/deposit/build'),
  limit: apiPath('/requests/limit'),
}

export function prepare(asked: Asked, t: number): Prepared | RequestProblem {
  const { body } = asked
  if (asked.scheme === 'v2') {
    const { method, target } = asked
    if (!/^\/[!-~]*$/.test(target) || target.startsWith('//')) return { kind: 'path' }
    const sent = method === 'GET' ? '' : body
    const string = v2String({ t, method, target, body: Buffer.from(sent) })
    return { string, method, target, body: sent, values: new Map() }
  }
  const { operation } = asked
  const { fields: values, problems } = parseFlat(Buffer.from(body), 'json')
  if (problems.length > 0) return { kind: 'json' }
  for (const field of signedFields[operation])
    if (separatorProblem(values.get(field) ?? '')) return { kind: 'separator', field }
  const isQuery = operation === 'limit'
  const query = isQuery ? `?${new URLSearchParams([...values])}` : ''
  return {
    string: signatureString(operation, values),
    method: isQuery ? 'GET' : 'POST',
    target: operationTargets[operation] + query,
    body: isQuery ? '' : body,
    values,
  }
}

/** The whole value of the v2 header. */
export const headerOf = (
  { method, target, body }: Prepared,
  { t, kid, secret }: { t: number; kid: string; secret: string },
): string => signV2({ t, kid, secret, method, target, body: Buffer.from(body) })

export const curlLine = (
  { method, target, body }: Prepared,
  { publicUrl, header }: { publicUrl: string; header: string },
): string =>
  [
    `curl -sS ${shell(publicUrl + target)}`,
    ...(method === 'POST' ? [`-H 'Content-Type: application/json'`] : []),
    `-H ${shell(`X-Signature: ${header}`)}`,
    ...(method === 'POST' ? [`--data-binary ${shell(body)}`] : []),
  ].join(' \\\n  ')

/** Programs that print the header; the reader fills in the secret. */
export function programs(
  asked: Asked,
  prepared: Prepared,
  { t, kid }: { t: number; kid: string },
): Snippet[] {
  return asked.scheme === 'literal' ? literalPrograms(prepared) : v2Programs(prepared, { t, kid })
}

const literalPrograms = ({ string }: Prepared): Snippet[] => [
  {
    language: 'PHP',
    code: `$secret = 'sk_…'; // yours
echo hash_hmac('sha256', ${php(string)}, $secret), PHP_EOL;`,
  },
  {
    language: 'Python',
    code: `import hashlib, hmac
secret = 'sk_…'  # yours
print(hmac.new(secret.encode(), ${double(string)}.encode(), hashlib.sha256).hexdigest())`,
  },
  {
    language: 'TypeScript',
    code: `import { createHmac } from 'node:crypto'
const secret = 'sk_…' // yours
console.log(createHmac('sha256', secret).update(${double(string)}).digest('hex'))`,
  },
]

const v2Programs = (
  { method, target, body }: Prepared,
  { t, kid }: { t: number; kid: string },
): Snippet[] => [
  {
    language: 'PHP',
    code: `$secret = 'sk_…'; // yours
$t = ${t}; // in earnest: time()
$string = implode("\\n", ['v2', $t, '${method}', ${php(target)}, hash('sha256', ${php(body)})]);
echo "t=$t,kid=${kid},v2=" . hash_hmac('sha256', $string, $secret), PHP_EOL;`,
  },
  {
    language: 'Python',
    code: `import hashlib, hmac
secret = 'sk_…'  # yours
t = ${t}  # in earnest: int(time.time())
string = '\\n'.join(['v2', str(t), '${method}', ${double(target)}, hashlib.sha256(${double(body)}.encode()).hexdigest()])
print(f't={t},kid=${kid},v2=' + hmac.new(secret.encode(), string.encode(), hashlib.sha256).hexdigest())`,
  },
  {
    language: 'TypeScript',
    code: `import { createHash, createHmac } from 'node:crypto'
const secret = 'sk_…' // yours
const t = ${t} // in earnest: the unix time now, whole seconds
const digest = createHash('sha256').update(${double(body)}).digest('hex')
const string = ['v2', t, '${method}', ${double(target)}, digest].join('\\n')
console.log(\`t=\${t},kid=${kid},v2=\${createHmac('sha256', secret).update(string).digest('hex')}\`)`,
  },
]

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const php = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
/** A JSON string is also a valid string in Python and TypeScript. */
const double = (text: string): string => JSON.stringify(text)
