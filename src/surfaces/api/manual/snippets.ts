/**
 * The worked examples of the reference: vectors 1, 9 and 11 of test/vectors/signature.json, programs that compute
 * the first two and programs that verify the third. A test runs each program and compares what it prints, so a merchant can trust the copy.
 */

import { signedFields } from '../../../../sdk/signature.ts'
import { exampleRequest } from '../examples.ts'
import { apiPath } from '../paths.ts'

export type Snippet = { language: string; code: string }

export const literalExample = {
  secret: 'test_secret_0123456789abcdef',
  fields: exampleRequest,
  string: '150000::RUB::user-42::3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647::A-1001::any_bank',
  signature: '034dc597190c7aebf7af7889d3cea7882e44a714bc5007310ba37cb3a58e8da8',
}

export const v2Example = {
  secret: 'test_secret_0123456789abcdef',
  kid: 'key_1',
  t: 1794700000,
  method: 'POST',
  target: apiPath('/requests/deposit/create'),
  body: '{"cents":150000,"currency":"RUB","customer":"user-42","merchant":"3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647","order_id":"A::1005","payment_type":"sbp"}',
  sha256: '9afc1ec0083d108cf53203e4efb2d92eccf4266af1e49a48923d2e3e82bc79fb',
  header: 't=1794700000,kid=key_1,v2=be78b064f99fabda189055ac559f726b9a413335b105a223ff2da0282862eb66',
}

export const callbackExample = {
  secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  id: '0198d2c4-6a10-7c3e-9f21-4b7d5e60a812',
  timestamp: 1794700000,
  body: '{"order_id":"A-1001","state":"confirmed","is_final":true,"sequence":2}',
  signature: 'v1,kAELFhirQvp5QG4cb1a/XSw7kSjcjfonON31sxEeX9M=',
}

const entries = Object.entries(exampleRequest)
const lines = (indent: string, parts: readonly string[]) =>
  parts.map((part) => `${indent}${part},`).join('\n')
const quoted = (value: string | number) => (typeof value === 'number' ? String(value) : `'${value}'`)
const order = signedFields.create.map((name) => `'${name}'`)

export const literalSnippets: Snippet[] = [
  {
    language: 'Bash and openssl',
    code: `secret='${literalExample.secret}'
string='${literalExample.string}'
printf '%s' "$string" | openssl dgst -sha256 -hmac "$secret" -r | cut -d' ' -f1`,
  },
  {
    language: 'PHP',
    code: `<?php
$secret = '${literalExample.secret}';
$fields = [
${lines(
  '    ',
  entries.map(([name, value]) => `'${name}' => ${quoted(value)}`),
)}
];
$order = [
${lines('    ', order)}
];
$values = [];
foreach ($order as $name) {
    if (array_key_exists($name, $fields)) {
        $values[] = (string) $fields[$name];
    }
}
echo hash_hmac('sha256', implode('::', $values), $secret), PHP_EOL;`,
  },
  {
    language: 'Python',
    code: `import hashlib
import hmac

secret = '${literalExample.secret}'
fields = {
${lines(
  '    ',
  entries.map(([name, value]) => `'${name}': ${quoted(value)}`),
)}
}
order = [
${lines('    ', order)}
]
string = '::'.join(str(fields[name]) for name in order if name in fields)
print(hmac.new(secret.encode(), string.encode(), hashlib.sha256).hexdigest())`,
  },
  {
    language: 'TypeScript',
    code: `import { createHmac } from 'node:crypto'

const secret = '${literalExample.secret}'
const fields: Record<string, string | number> = {
${lines(
  '  ',
  entries.map(([name, value]) => `${name}: ${quoted(value)}`),
)}
}
const order = [
${lines('  ', order)}
]
const string = order
  .filter((name) => fields[name] !== undefined)
  .map((name) => String(fields[name]))
  .join('::')
console.log(createHmac('sha256', secret).update(string, 'utf8').digest('hex'))`,
  },
]

export const v2Snippets: Snippet[] = [
  {
    language: 'Bash and openssl',
    code: `secret='${v2Example.secret}'
kid='${v2Example.kid}'
t=${v2Example.t} # in earnest: t=$(date +%s)
method='${v2Example.method}'
target='${v2Example.target}'
body='${v2Example.body}'

digest=$(printf '%s' "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
hex=$(printf 'v2\\n%s\\n%s\\n%s\\n%s' "$t" "$method" "$target" "$digest" |
  openssl dgst -sha256 -hmac "$secret" -r | cut -d' ' -f1)
echo "t=$t,kid=$kid,v2=$hex"`,
  },
  {
    language: 'PHP',
    code: `<?php
$secret = '${v2Example.secret}';
$kid = '${v2Example.kid}';
$t = ${v2Example.t}; // in earnest: $t = time();
$method = '${v2Example.method}';
$target = '${v2Example.target}';
$body = '${v2Example.body}';

$string = implode("\\n", ['v2', $t, $method, $target, hash('sha256', $body)]);
echo "t=$t,kid=$kid,v2=" . hash_hmac('sha256', $string, $secret), PHP_EOL;`,
  },
  {
    language: 'Python',
    code: `import hashlib
import hmac

secret = '${v2Example.secret}'
kid = '${v2Example.kid}'
t = ${v2Example.t}  # in earnest: int(time.time())
method = '${v2Example.method}'
target = '${v2Example.target}'
body = '${v2Example.body}'.encode()

string = '\\n'.join(['v2', str(t), method, target, hashlib.sha256(body).hexdigest()])
signature = hmac.new(secret.encode(), string.encode(), hashlib.sha256).hexdigest()
print(f't={t},kid={kid},v2={signature}')`,
  },
  {
    language: 'TypeScript',
    code: `import { createHash, createHmac } from 'node:crypto'

const secret = '${v2Example.secret}'
const kid = '${v2Example.kid}'
const t = ${v2Example.t} // in earnest: the unix time now, whole seconds
const method = '${v2Example.method}'
const target = '${v2Example.target}'
const body = '${v2Example.body}'

const digest = createHash('sha256').update(body, 'utf8').digest('hex')
const string = ['v2', t, method, target, digest].join('\\n')
const hex = createHmac('sha256', secret).update(string, 'utf8').digest('hex')
console.log(\`t=\${t},kid=\${kid},v2=\${hex}\`)`,
  },
]

/** Each prints `genuine` or `refused`. */
export const callbackSnippets: Snippet[] = [
  {
    language: 'Bash and openssl',
    code: `# To try by hand: the comparison takes longer the more of it is right.
secret='${callbackExample.secret}'
id='${callbackExample.id}' # header webhook-id
timestamp='${callbackExample.timestamp}' # header webhook-timestamp
signature='${callbackExample.signature}' # header webhook-signature
body='${callbackExample.body}' # raw
now=${callbackExample.timestamp} # in earnest: now=$(date +%s)

key=$(printf '%s' "\${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
expected=$(printf '%s.%s.%s' "$id" "$timestamp" "$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
if [[ " $signature " == *" v1,$expected "* ]] && ((now - timestamp <= 300 && timestamp - now <= 300)); then
  echo genuine
else
  echo refused
fi`,
  },
  {
    language: 'PHP',
    code: `<?php
$secret = '${callbackExample.secret}';
$id = '${callbackExample.id}'; // in earnest: $_SERVER['HTTP_WEBHOOK_ID']
$timestamp = '${callbackExample.timestamp}'; // in earnest: $_SERVER['HTTP_WEBHOOK_TIMESTAMP']
$signature = '${callbackExample.signature}'; // in earnest: $_SERVER['HTTP_WEBHOOK_SIGNATURE']
$body = '${callbackExample.body}'; // in earnest: file_get_contents('php://input')
$now = ${callbackExample.timestamp}; // in earnest: time()

$key = base64_decode(substr($secret, strlen('whsec_')));
$digest = hash_hmac('sha256', $id . '.' . $timestamp . '.' . $body, $key, true);
$expected = 'v1,' . base64_encode($digest);
$genuine = false;
foreach (explode(' ', $signature) as $one) {
    $genuine = hash_equals($expected, $one) || $genuine;
}
$genuine = $genuine && abs($now - (int) $timestamp) <= 300;
echo $genuine ? 'genuine' : 'refused', PHP_EOL;`,
  },
  {
    language: 'Python',
    code: `import base64
import hashlib
import hmac

secret = '${callbackExample.secret}'
webhook_id = '${callbackExample.id}'  # header webhook-id
timestamp = '${callbackExample.timestamp}'  # header webhook-timestamp
signature = '${callbackExample.signature}'  # header webhook-signature
body = '${callbackExample.body}'.encode()  # the raw bytes
now = ${callbackExample.timestamp}  # in earnest: int(time.time())

key = base64.b64decode(secret[len('whsec_'):])
message = f'{webhook_id}.{timestamp}.'.encode() + body
digest = hmac.new(key, message, hashlib.sha256).digest()
expected = b'v1,' + base64.b64encode(digest)
genuine = any(hmac.compare_digest(expected, one.encode()) for one in signature.split(' '))
genuine = genuine and abs(now - int(timestamp)) <= 300
print('genuine' if genuine else 'refused')`,
  },
  {
    language: 'TypeScript',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto'

const secret = '${callbackExample.secret}'
const id = '${callbackExample.id}' // header webhook-id
const timestamp = '${callbackExample.timestamp}' // header webhook-timestamp
const signature = '${callbackExample.signature}' // header webhook-signature
const body = Buffer.from('${callbackExample.body}') // the raw bytes
const now = ${callbackExample.timestamp} // in earnest: the unix time now, whole seconds

const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
const digest = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest('base64')
const expected = Buffer.from(\`v1,\${digest}\`)
const isExpected = (one: Buffer) => one.length === expected.length && timingSafeEqual(one, expected)
const isFresh = Math.abs(now - Number(timestamp)) <= 300
const isGenuine = signature.split(' ').some((one) => isExpected(Buffer.from(one))) && isFresh
console.log(isGenuine ? 'genuine' : 'refused')`,
  },
]

export const curlExample = (publicUrl: string): string => `curl -sS '${publicUrl}${v2Example.target}' \\
  -H 'Content-Type: application/json' \\
  -H 'X-Signature: ${literalExample.signature}' \\
  --data '${JSON.stringify(exampleRequest)}'`
