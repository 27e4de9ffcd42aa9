/** Requests that anyone can send, as bytes on the wire: a list for each kind of flood. */
import { newId, randomToken } from '../../src/platform/clock.ts'

type Flood = { name: string; requests(tokens: readonly string[]): string[] }

const amount = 500

export const floods: readonly Flood[] = [
  {
    name: 'sign-in',
    requests: () =>
      many(() =>
        post(
          '/sign-in',
          form({ email: `${randomToken(8)}@example.com`, password: randomToken(12) }),
          formType,
        ),
      ),
  },
  { name: 'bill png', requests: (tokens) => tokens.map((token) => get(`/bill/${token}.png`)) },
  { name: 'bill svg', requests: (tokens) => tokens.map((token) => get(`/bill/${token}.svg`)) },
  { name: 'pay page', requests: (tokens) => tokens.map((token) => get(`/pay/${token}`)) },
  {
    name: 'pay events',
    requests: (tokens) => tokens.map((token) => get(`/pay/${token}/events`, 'Accept: text/event-stream')),
  },
  { name: 'openapi', requests: () => [get('/openapi.json')] },
  { name: 'sign-in page', requests: () => [get('/sign-in')] },
  { name: 'join link', requests: () => many(() => get(`/join/${randomToken(32)}`)) },
  {
    name: 'passkey ask',
    requests: () => [post('/sign-in/passkey/ask', '{}', 'application/json')],
  },
  {
    name: 'bad signature',
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
  { name: 'short requests ahead', requests: () => [get('/nowhere').repeat(1_000)] },
  {
    name: 'tiny chunks',
    requests: () => [
      `${[
        'POST /api/v1/requests/deposit/create HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ].join('\r\n')}\r\n\r\n${'1\r\n{\r\n'.repeat(8_000)}0\r\n\r\n`,
    ],
  },
  {
    name: 'upload',
    requests: () => [
      post(
        '/operator/statements/upload',
        `--b\r\nContent-Disposition: form-data; name="file"; filename="s.txt"\r\n\r\n${'x'.repeat(256 * 1024)}\r\n--b--\r\n`,
        'multipart/form-data; boundary=b',
      ),
    ],
  },
]

const many = (make: () => string): string[] => Array.from({ length: amount }, make)

const formType = 'application/x-www-form-urlencoded'
const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()

const get = (path: string, ...headers: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: localhost', 'Accept-Encoding: gzip, br', ...headers].join('\r\n')}\r\n\r\n`

const post = (path: string, body: string, type: string, ...headers: string[]): string =>
  `${[
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Accept-Encoding: gzip, br',
    'Sec-Fetch-Site: same-origin',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ].join('\r\n')}\r\n\r\n${body}`
