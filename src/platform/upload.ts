/**
 * Reads a form with a file as it arrives: its fields first, then the file, straight into a folder or, if it is small, into
 * memory. The caller may refuse after the fields, before any byte of the file is stored.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import multipart from '@fastify/multipart'
import { bounds } from './bounds.ts'
import { newId } from './clock.ts'
import { allowSlowBody, type Http, type Request } from './http.ts'
import { Refusal, type Sentence } from './refusals.ts'

export type Upload<File = { name: string; path: string; bytes: number }> = {
  fields: Map<string, string>
  file: File
}

type Accepting = {
  accept: (fields: ReadonlyMap<string, string>) => void
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

export async function readUpload(
  request: Request,
  { folder, ...accepting }: Accepting & { folder: string },
): Promise<Upload> {
  allowSlowBody(request)
  const path = join(folder, `${newId()}.upload`)
  const store = async (stream: Readable, name: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const target = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(stream, target)
    return { name: basename(name || 'statement').slice(0, 200), path, bytes: target.bytesWritten }
  }
  try {
    return await readForm(request, {
      ...accepting,
      store,
      mostBytes: bounds.uploadBytes,
      mostMs: bounds.uploadMs,
    })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** The same for a file that fits into memory. If no file was chosen, browsers send an empty one. */
export const readSmallUpload = (
  request: Request,
  accepting: Accepting & { mostBytes: number },
): Promise<Upload<Buffer>> =>
  // A client that was refused for being slow may keep the connection open.
  readForm(request, { ...accepting, store: buffer, mostMs: bounds.requestTimeoutMs })

type Storing<File> = Accepting & {
  mostBytes: number
  mostMs: number
  store: (stream: Readable, name: string) => Promise<File>
}

async function readForm<File>(
  request: Request,
  { store, mostBytes, mostMs, accept, problems }: Storing<File>,
): Promise<Upload<File>> {
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
