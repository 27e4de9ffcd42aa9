/** A person's browser without scripts: keeps its cookie, follows nothing by itself, sends forms as a page would. */
import assert from 'node:assert/strict'
import { invitePerson } from '../../src/domain/people/change-person.ts'
import { setPassword } from '../../src/domain/people/factor-store.ts'
import { useLink } from '../../src/domain/people/links/store.ts'
import { hashPassword } from '../../src/domain/people/password.ts'
import {
  type MerchantRole,
  type OperatorRole,
  strengthAfterPassword,
} from '../../src/domain/people/person.ts'
import { digestOfSecret, markCookie, sessionCookie } from '../../src/domain/people/session.ts'
import { openSession } from '../../src/domain/people/sign-in.ts'
import {
  findPerson,
  lockPerson,
  membershipsOf,
  saveMembership,
  setOperatorRole,
} from '../../src/domain/people/store.ts'
import { codeAt, stepAt } from '../../src/domain/people/totp.ts'
import { type Db, sql } from '../../src/platform/db.ts'
import type { TestGateway } from './gateway.ts'

type Answered = { status: number; text: string; location: string | null; headers: Headers }

/** Pages as they are: pressing and unpressing thousands of them costs as much as making them. */
const plain = { 'accept-language': 'en', 'accept-encoding': 'identity' }

export class PersonsBrowser {
  cookie = ''
  /** What a whole sign-in left: shown where somebody signs in. */
  mark = ''
  readonly #url: string
  constructor(gateway: Pick<TestGateway, 'url'>) {
    this.#url = gateway.url
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.#ask(path, { headers })
  }

  /** With the token of the session, as its pages carry it. */
  async post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const body = new URLSearchParams({ ...(this.csrf && { csrf: this.csrf }), ...fields })
    return this.#ask(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin', ...headers } })
  }

  /** A form with a file, the token first, as the page has it. */
  upload(
    path: string,
    fields: Record<string, string>,
    file: Blob,
    name: string,
    fileField = 'file',
  ): Promise<Answered> {
    const body = new FormData()
    if (this.csrf) body.set('csrf', this.csrf)
    for (const [field, value] of Object.entries(fields)) body.set(field, value)
    body.set(fileField, file, name)
    return this.#ask(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
  }

  csrf = ''

  /** The session, and what a whole sign-in leaves. */
  keep([session, mark]: string[]): void {
    if (session) this.cookie = session.split(';', 1)[0]!
    if (mark) this.mark = mark.split(';', 1)[0]!
  }

  async #ask(path: string, { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> }) {
    const cookies = [this.cookie, path.startsWith('/sign-in') ? this.mark : ''].filter(Boolean)
    const response = await fetch(this.#url + path, {
      ...init,
      redirect: 'manual',
      headers: { ...plain, ...headers, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) },
    })
    this.keep(response.headers.getSetCookie())
    const text = await response.text()
    const found = /name="csrf" value="([^"]+)"/.exec(text)?.[1]
    if (found) this.csrf = found
    return {
      status: response.status,
      text,
      location: response.headers.get('location'),
      headers: response.headers,
    }
  }
}

/** What the script of a page sends: JSON, with the session and its token; without a browser, as nobody. */
export const postJson = (
  { url }: Pick<TestGateway, 'url'>,
  path: string,
  body: unknown,
  { cookie, csrf }: Pick<PersonsBrowser, 'cookie' | 'csrf'> = { cookie: '', csrf: '' },
): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-csrf': csrf, cookie },
    body: JSON.stringify(body),
  })

let people = 0
export const password = 'correct horse battery'
let hashed: Promise<string> | undefined

/** What is needed of a gateway. */
type Joinable = { db: Db; url: string; database: { owner: Db } }
type Place = { operatorRole: OperatorRole } | { merchantId: string; role: MerchantRole }

/** Invited, and not yet there. */
export async function invited(gateway: Joinable, place: Place) {
  const email = `person-${++people}@example.com`
  const { token, person } = await invitePerson(gateway.db, {
    email,
    name: `Person ${people}`,
    operatorRole: 'operatorRole' in place ? place.operatorRole : null,
    membership: 'merchantId' in place ? place : null,
    actor: { personId: null, name: 'test', requestId: null },
  })
  return { email, token, person }
}

/**
 * Joined, with a second factor where the role needs one: signed in, in a browser. What the form of the link does, but
 * for hashing the one password again: hundreds join, and each would cost as much as all the rest.
 */
export async function joined(gateway: Joinable, place: Place) {
  const { email, token, person } = await invited(gateway, place)
  hashed ??= hashPassword(password)
  const stored = await hashed
  const client = { network: '127.0.0.1', browser: 'test', mark: null, requestId: null }
  const { secret: session, strength } = await gateway.db.transaction(async (tx) => {
    await useLink(tx, digestOfSecret(token))
    await setPassword(tx, person.id, stored)
    if ('operatorRole' in place) await setOperatorRole(tx, person.id, place.operatorRole)
    else await saveMembership(tx, { personId: person.id, ...place })
    const now = (await lockPerson(tx, person.id))!
    const strength = strengthAfterPassword(now, await membershipsOf(tx, person.id))
    return openSession(tx, person.id, { strength, how: 'invitation', client })
  })
  const browser = new PersonsBrowser(gateway)
  browser.keep([sessionCookie(session, false), ...(strength === 'full' ? [markCookie(session, false)] : [])])
  const secret = strength === 'password' ? await setUpCodes(gateway, browser) : null
  await browser.get('/account')
  const now = (await findPerson(gateway.db, person.id))!
  return { email, person: now, browser, secret }
}

/** Reads the secret from the page as a person would, and shows its first code. */
export async function setUpCodes(gateway: Joinable, browser: PersonsBrowser): Promise<Buffer> {
  const { text } = await browser.get('/sign-in/set-up')
  const secret = fromBase32(/translate="no">([A-Z2-7 ]+)</.exec(text)![1]!)
  const sealed = /name="sealed" value="([^"]+)"/.exec(text)![1]!
  const answer = await browser.post('/sign-in/set-up', { sealed, code: await codeNow(gateway, secret) })
  assert.equal(answer.status, 200, answer.text)
  return secret
}

/** The next code of this secret that has not been used, by the database's clock. */
export async function codeNow(gateway: Joinable, secret: Buffer, ahead = 0n): Promise<string> {
  const [row] = await gateway.database.owner.query<{ now: Date }>(sql`select inlet_now() as now`)
  return codeAt(secret, stepAt(row!.now) + ahead)
}

/** As an authenticator app reads it: blanks do not count. */
export function fromBase32(text: string): Buffer {
  const bits = [...text.replaceAll(' ', '')].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  )
}
