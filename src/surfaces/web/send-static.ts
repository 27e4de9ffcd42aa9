/** Answers that are the same for all: made on first use, cached compressed, and answered with 304 where possible. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Reply, Request } from '../../platform/http.ts'
import { encodingFor } from './send-page.ts'

export type StaticAnswer = { type: string; headers: Record<string, string>; body(): Promise<StaticBody> }
type StaticBody = { digest: string; identity: Buffer; br: Buffer; gzip: Buffer }

export function staticAnswer(
  make: () => string | Buffer | Promise<Buffer>,
  { type, headers = {} }: { type: string; headers?: Record<string, string> },
): StaticAnswer {
  let made: Promise<StaticBody> | undefined
  return {
    type,
    headers,
    body() {
      made ??= bodyOf(make, type).catch((error) => {
        made = undefined
        throw error
      })
      return made
    },
  }
}

/** Answers 304 if the client has the current version. */
export async function sendStatic(request: Request, reply: Reply, answer: StaticAnswer): Promise<Reply> {
  const encoding = isPacked(answer.type) ? null : encodingFor(request)
  const { digest, ...bodies } = await answer.body()
  const tag = `"${digest}${encoding ? `-${encoding}` : ''}"`
  reply.headers({ ...answer.headers, etag: tag, vary: 'accept-encoding' })
  if (holdsTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(answer.type).send(bodies[encoding ?? 'identity'])
}

/** RFC 9110, section 13.1.2: a list of tags, compared weakly, since proxies that compress mark them `W/`. */
export const holdsTag = (header: string | undefined, tag: string): boolean =>
  header === '*' || (header ?? '').split(',').some((etag) => etag.trim().replace(/^W\//, '') === tag)

async function bodyOf(make: () => string | Buffer | Promise<Buffer>, type: string): Promise<StaticBody> {
  const identity = Buffer.from(await make())
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  if (isPacked(type)) return { digest, identity, br: identity, gzip: identity }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity, { level: 9 }),
  ])
  return { digest, identity, br, gzip: gz }
}

const isPacked = (type: string): boolean => ['image/png', 'image/webp'].includes(type)
