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
import { Busboy } from '@fastify/busboy'
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

export type UploadPlaces = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

/** Limits how many files are being received, because each takes memory or disk space. */
export function createUploadPlaces({ ofOwner, inAll }: { ofOwner: number; inAll: number }): UploadPlaces {
  const taken = new Map<string, number>()
  let takenInAll = 0
  const take = (owner: string, more: 1 | -1) => {
    const own = (taken.get(owner) ?? 0) + more
    takenInAll += more
    if (own > 0) taken.set(owner, own)
    else taken.delete(owner)
  }
  return async (owner, work) => {
    if (takenInAll >= inAll || (taken.get(owner) ?? 0) >= ofOwner)
      throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
    take(owner, 1)
    try {
      return await work()
    } finally {
      take(owner, -1)
    }
  }
}

/** Only the routes of this scope accept multipart bodies, which they get as an unread stream. */
export const withUploads = (app: Http, routes: (scoped: Http) => void): void => {
  app.register(async (scoped) => {
    scoped.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
    routes(scoped as Http)
  })
}

export async function readUpload(
  request: Request,
  { folder, accept, problems }: Accepting & { folder: string },
): Promise<Upload> {
  const mostBytes = bounds.uploadBytes
  refuseOtherForms(request, mostBytes, problems)
  allowSlowBody(request)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${newId()}.upload`)
  const store = async (stream: Readable, name: string) => {
    let bytes = 0
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { name: basename(name || 'statement').slice(0, 200), path, bytes }
  }
  try {
    return await parseForm(request, { store, mostBytes, mostMs: bounds.uploadMs, accept, problems })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** The same for a file that fits into memory. If no file was chosen, browsers send an empty one. */
export async function readSmallUpload(
  request: Request,
  { mostBytes, accept, problems }: Accepting & { mostBytes: number },
): Promise<Upload<Buffer>> {
  refuseOtherForms(request, mostBytes, problems)
  // A client that was refused for being slow may keep the connection open.
  const mostMs = bounds.requestTimeoutMs
  return parseForm(request, { store: buffer, mostBytes, mostMs, accept, problems })
}

function refuseOtherForms(request: Request, mostBytes: number, problems: Accepting['problems']): void {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new Refusal('unsupported_media_type')
  if (Number(request.headers['content-length'] ?? 0) > mostBytes + bounds.bodyBytes) throw tooLarge(problems)
}

type Storing<File> = Accepting & {
  mostBytes: number
  mostMs: number
  store: (stream: Readable, name: string) => Promise<File>
}

function parseForm<File>(
  request: Request,
  { store, mostBytes, mostMs, accept, problems }: Storing<File>,
): Promise<Upload<File>> {
  const fields = new Map<string, string>()
  const form = new Busboy({
    headers: request.headers as { 'content-type': string },
    limits: {
      fieldSize: 2_000,
      fields: 10,
      files: 1,
      parts: 12,
      headerPairs: 20,
      fileSize: mostBytes,
    },
  })
  return new Promise((resolve, reject) => {
    let incoming: Readable | undefined
    let written: Promise<File> | undefined
    const late = setTimeout(() => fail(new Refusal('request_timeout')), mostMs)
    const fail = (error: unknown) => {
      clearTimeout(late)
      request.raw.unpipe(form)
      // The rest of the body is discarded: the connection closes with the answer.
      request.raw.resume()
      // A file that stays open keeps its room on the disk, even when it is removed.
      incoming?.destroy()
      Promise.allSettled([written]).then(() => reject(error))
    }
    form.on('field', (name, value) => fields.set(name, value))
    form.on('file', (_name, stream, name) => {
      try {
        accept(fields)
      } catch (error) {
        stream.on('error', () => {})
        stream.resume()
        return fail(error)
      }
      incoming = stream
      stream.on('limit', () => fail(tooLarge(problems)))
      written = store(stream, name)
      written.catch(fail)
    })
    form.on('finish', () => {
      clearTimeout(late)
      if (!written) return reject(new Refusal('invalid_value', { detail: problems.noFile }))
      written.then((file) => resolve({ fields, file }), reject)
    })
    form.on('error', () => fail(new Refusal('malformed_body', { detail: problems.unreadable })))
    request.raw.on('aborted', () => fail(new Refusal('request_timeout')))
    request.raw.pipe(form)
    // The sender may have left already; no further event would report it.
    if (request.raw.destroyed) fail(new Refusal('request_timeout'))
  })
}

const tooLarge = ({ tooLarge: detail }: Accepting['problems']) =>
  new Refusal('body_too_large', { detail, headers: { connection: 'close' } })
