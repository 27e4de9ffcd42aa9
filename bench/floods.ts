/** Requests that anyone can send, and some that a signed-in person can send, as bytes on the wire: a list for each kind of flood. */
import { newId, randomToken } from '../src/platform/clock.ts'

/** `one`: all from one address. `many`: each from an address of its own, as a trusted proxy tells it. */
export type Origin = 'one' | 'many'

export type Flood = {
  name: string
  origins: readonly Origin[]
  /** `cookie`: that of a signed-in person. */
  requests(tokens: readonly string[], cookie: string): string[]
}

const both = ['one', 'many'] as const
const amount = 2_000

export const floodsOfStrangers: readonly Flood[] = [
  {
    name: 'sign-in',
    origins: both,
    requests: () =>
      many(() =>
        post(
          '/sign-in',
          form({ email: `${randomToken(8)}@example.com`, password: randomToken(12) }),
          formType,
        ),
      ),
  },
  { name: 'bill png', origins: both, requests: (tokens) => tokens.map((token) => get(`/bill/${token}.png`)) },
  { name: 'bill svg', origins: both, requests: (tokens) => tokens.map((token) => get(`/bill/${token}.svg`)) },
  { name: 'pay page', origins: both, requests: (tokens) => tokens.map((token) => get(`/pay/${token}`)) },
  {
    name: 'pay events',
    origins: both,
    requests: (tokens) => tokens.map((token) => get(`/pay/${token}/events`, 'Accept: text/event-stream')),
  },
  { name: 'openapi', origins: both, requests: () => [get('/openapi.json')] },
  { name: 'sign-in page', origins: both, requests: () => [get('/sign-in')] },
  { name: 'join link', origins: both, requests: () => many(() => get(`/join/${randomToken(32)}`)) },
  {
    name: 'passkey ask',
    origins: both,
    requests: () => [post('/sign-in/passkey/ask', '{}', 'application/json')],
  },
  {
    name: 'bad signature',
    origins: both,
    requests: () =>
      many(() =>
        post(
          '/api/v1/requests/deposit/create',
          JSON.stringify({
            merchant: newId(),
            order_id: randomToken(12),
            cents: 150_000,
            currency: 'RUB',
            payment_type: 'account_number',
            customer: 'flood',
          }),
          'application/json',
          `X-Signature: ${'0'.repeat(64)}`,
        ),
      ),
  },
  { name: 'short requests ahead', origins: ['one'], requests: () => [get('/nowhere').repeat(1_000)] },
  {
    name: 'tiny chunks',
    origins: both,
    requests: () => [
      `${[
        'POST /api/v1/requests/deposit/create HTTP/1.1',
        'Host: 127.0.0.1',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ].join('\r\n')}\r\n\r\n${'1\r\n{\r\n'.repeat(8_000)}0\r\n\r\n`,
    ],
  },
  {
    name: 'upload',
    origins: both,
    requests: () => [
      post(
        '/operator/statements/upload',
        `--b\r\nContent-Disposition: form-data; name="file"; filename="s.txt"\r\n\r\n${'x'.repeat(256 * 1024)}\r\n--b--\r\n`,
        'multipart/form-data; boundary=b',
      ),
    ],
  },
]

export const floodsOfPeople: readonly Flood[] = [
  {
    name: 'long lists for one person',
    origins: both,
    requests: (_tokens, cookie) => [get('/operator/deposits', `Cookie: ${cookie}`)],
  },
]

/** With the address of its sender. Networks of documentation (RFC 5737) have too few; these are private ones. */
export const from = (requests: readonly string[], origin: Origin): string[] =>
  origin === 'one'
    ? requests.map((text) => addressed(text, '10.9.9.9'))
    : Array.from({ length: Math.max(requests.length, amount) }, (_, index) =>
        addressed(
          requests[index % requests.length]!,
          `10.${(index >> 8) & 255}.${index & 255}.${1 + (index % 200)}`,
        ),
      )

const addressed = (text: string, address: string): string =>
  text.replace('\r\n', `\r\nX-Forwarded-For: ${address}\r\n`)

const many = (make: () => string): string[] => Array.from({ length: amount }, make)

const formType = 'application/x-www-form-urlencoded'
const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()

const get = (path: string, ...headers: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept-Encoding: gzip, br', ...headers].join('\r\n')}\r\n\r\n`

const post = (path: string, body: string, type: string, ...headers: string[]): string =>
  `${[
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Accept-Encoding: gzip, br',
    'Sec-Fetch-Site: same-origin',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ].join('\r\n')}\r\n\r\n${body}`
