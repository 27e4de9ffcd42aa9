/** Sends a finished page: compressed where the browser takes that, under the policy that was made with it. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Reply, Request } from '../../platform/http.ts'
import { render } from './html.ts'
import type { FinishedPage } from './page.ts'

/** A page as it is sent. */
export type PackedPage = { encoding: 'gzip' | null; bytes: Buffer; csp: string }

export async function packPage({ markup, csp }: FinishedPage, encoding: 'gzip' | null): Promise<PackedPage> {
  const text = Buffer.from(render(markup))
  return { encoding, csp, bytes: encoding ? await promisify(gzip)(text, quick) : text }
}

/** Level 4 takes two thirds of the time of level 6 for two hundredths more bytes. */
const quick = { level: 4, memLevel: 6 }

export async function sendPage(
  request: Request,
  reply: Reply,
  page: FinishedPage | PackedPage,
  status = 200,
): Promise<Reply> {
  // Answers to overloading clients are not compressed: that costs more than rendering.
  const encoding = status === 429 || status === 503 ? null : pageEncoding(request)
  const packed = 'bytes' in page ? page : await packPage(page, encoding)
  if (packed.encoding) reply.header('content-encoding', packed.encoding)
  return reply
    .code(status)
    .headers({
      ...pageHeaders(page.csp),
      'x-robots-tag': 'noindex, nofollow',
      vary: 'accept-encoding, accept-language, cookie',
    })
    .type('text/html; charset=utf-8')
    .send(packed.bytes)
}

/** What a page may do. A window of another site that opened it cannot control it. */
export const pageHeaders = (csp: string): Record<string, string> => ({
  'content-security-policy': csp,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': permissions,
})

/**
 * Our pages copy, and sign in with passkeys. Whatever else a browser could give to a page is off, as far as browsers know
 * the name: each unknown one is a complaint in their console.
 */
const permissions = [
  ...['clipboard-write', 'publickey-credentials-get', 'publickey-credentials-create'].map(
    (feature) => `${feature}=(self)`,
  ),
  ...[
    'accelerometer',
    'autoplay',
    'browsing-topics',
    'camera',
    'clipboard-read',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'gamepad',
    'geolocation',
    'gyroscope',
    'hid',
    'identity-credentials-get',
    'idle-detection',
    'keyboard-map',
    'local-fonts',
    'magnetometer',
    'microphone',
    'midi',
    'otp-credentials',
    'payment',
    'picture-in-picture',
    'screen-wake-lock',
    'serial',
    'storage-access',
    'sync-xhr',
    'usb',
    'window-management',
    'xr-spatial-tracking',
  ].map((feature) => `${feature}=()`),
].join(', ')

export const pageEncoding = (request: Request): 'gzip' | null => (accepts(request, 'gzip') ? 'gzip' : null)

export function encodingFor(request: Request): 'br' | 'gzip' | null {
  return accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : null
}

function accepts({ headers }: Request, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .some((token) => token.split(';', 1)[0]!.trim() === encoding && !/;\s*q=0(\.0*)?\s*$/.test(token))
}
