/**
 * Reads a form with a file as it arrives: its fields first, then the file, which the caller stores while it comes. The caller
 * may refuse after the fields, before any byte of the file is stored.
 */
import type { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import { bounds } from './bounds.ts'
import { allowSlowBody, type Http, type Request } from './http.ts'
import { Refusal, type Sentence } from './refusals.ts'

type Form<File> = { fields: Map<string, string>; file: File }

type ReadForm<File> = {
  mostBytes: number
  mostMs: number
  accept: (fields: ReadonlyMap<string, string>) => void
  /** If no file was chosen, browsers send an empty one without a name. */
  store: (bytes: Readable, name: string) => Promise<File>
  /** The sentences of refused forms. */
  problems: Record<'noFile' | 'unreadable' | 'tooLarge', Sentence>
}

/** Only the routes of this scope accept multipart bodies, which they get unread. */
export const withUploads = (app: Http, routes: (scoped: Http) => void): void => {
  app.register(async (scoped) => {
    await scoped.register(multipart, { throwFileSizeLimit: false })
    routes(scoped as Http)
  })
}

export async function readForm<File>(
  request: Request,
  { store, mostBytes, mostMs, accept, problems }: ReadForm<File>,
): Promise<Form<File>> {
  if (mostMs > bounds.requestTimeoutMs) allowSlowBody(request)
  const tooLarge = new Refusal('body_too_large', {
    detail: problems.tooLarge,
    headers: { connection: 'close' },
  })
  if (!request.isMultipart()) throw new Refusal('unsupported_media_type')
  if (Number(request.headers['content-length'] ?? 0) > mostBytes + bounds.bodyBytes) throw tooLarge
  // The sender may have left already; no further event would report it.
  if (request.raw.destroyed) throw new Refusal('request_timeout')
  const fields = new Map<string, string>()
  const limits = { fieldSize: 2_000, fields: 10, files: 1, parts: 12, headerPairs: 20, fileSize: mostBytes }
  const late = setTimeout(() => request.raw.emit('error', new Refusal('request_timeout')), mostMs)
  let file: { stored: File } | undefined
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') fields.set(part.fieldname, String(part.value))
      else {
        accept(fields)
        part.file.once('limit', () => part.file.destroy(tooLarge))
        file = { stored: await store(part.file, part.filename) }
      }
    }
  } catch (error) {
    // The rest of the body is discarded: the connection closes with the answer.
    request.raw.unpipe().resume()
    throw isOfForm(error as Error) ? new Refusal('malformed_body', { detail: problems.unreadable }) : error
  } finally {
    clearTimeout(late)
  }
  if (!file) throw new Refusal('invalid_value', { detail: problems.noFile })
  return { fields, file: file.stored }
}

/** An error of the form's reader: not of the disk, and no fault of ours. */
const isOfForm = ({ name, code = 'FST_' }: Error & { code?: string }): boolean =>
  (name === 'Error' || name === 'FastifyError') && code.startsWith('FST_')
