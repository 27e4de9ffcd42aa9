/** Sends a finished page: compressed as the browser likes it, under the policy that was made with it. */
import { transcode } from 'node:buffer'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Reply, Request } from '../../platform/http.ts'
import { type Markup, render } from './html.ts'

export type FinishedPage = { markup: Markup; csp: string }

export async function sendPage(
  request: Request,
  reply: Reply,
  { markup, csp }: FinishedPage,
  status = 200,
): Promise<Reply> {
  const bytes = utf8(render(markup))
  // Answers to overloading clients are not compressed: that costs ten times as much as rendering.
  const encoding = status === 429 || status === 503 ? null : encodingFor(request)
  if (encoding) reply.header('content-encoding', encoding)
  return reply
    .code(status)
    .headers({
      ...pageHeaders(csp),
      'x-robots-tag': 'noindex, nofollow',
      vary: 'accept-encoding, accept-language, cookie',
    })
    .type('text/html; charset=utf-8')
    .send(encoding ? await compressed[encoding](bytes) : bytes)
}

/** What a page may do; a window of another site that opened it has no hold on it. */
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

/** Pages are well-formed text, for which transcode takes a third of the time. */
const utf8 = (text: string): Buffer => transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8')

/**
 * Quick levels: a page is made anew for every visit. Told how much will come, Brotli takes tables for that much: without
 * it each page took megabytes, and ten times as long.
 */
const compressed = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      chunkSize: chunkOf(bytes),
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_LGWIN]: 16,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 6, chunkSize: chunkOf(bytes) }),
}

/** The compressed page is smaller than the page. */
const chunkOf = ({ length }: Buffer): number => Math.max(1024, Math.min(length, 64 * 1024))

export function encodingFor(request: Request): 'br' | 'gzip' | null {
  const accepted = String(request.headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .filter((token) => !/;\s*q=0(\.0*)?\s*$/.test(token))
    .map((token) => token.split(';', 1)[0]!.trim())
  return accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : null
}
