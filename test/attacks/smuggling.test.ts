/**
 * Request smuggling: bytes that a proxy in front of us could read as one request and we as two, or the other way
 * round. Inside of each hides a create that the merchant really signed: if it is ever carried out, or if the next
 * request on the connection gets an answer that is not its own, the attack has got through.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signLiteral, signV2 } from '../../sdk/signature.ts'
import { attackedGateway } from '../support/attacked-gateway.ts'
import { attacksOf, inTurns, isWhole, type Note } from '../support/attempts.ts'
import { createPath, nowSeconds, openShop, type Shop, type TestGateway, textOf } from '../support/gateway.ts'
import { RawConnection } from '../support/raw-connection.ts'

const { attack, report } = attacksOf('request smuggling')

let gateway: TestGateway
let shop: Shop
let known: { id: string; external_id: string }
before(async () => {
  gateway = await attackedGateway()
  shop = await openShop(gateway)
  known = (await shop.create()).body
})

/** A whole create, signed: carried out if somebody takes it for a request. */
function hiddenCreate() {
  const order = shop.order()
  const body = JSON.stringify(order)
  const bytes = `POST ${createPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Signature: ${signLiteral(shop.secret, 'create', textOf(order))}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  return { orderId: String(order.order_id), bytes }
}

/** A question of the merchant whose answer nobody else gets. */
function honestQuestion(more = ''): string {
  const target = `/api/v1/requests/deposit/${known.id}`
  const signature = signV2({
    ...{ secret: shop.secret, kid: shop.keyId, t: nowSeconds(), method: 'GET', target },
    body: Buffer.alloc(0),
  })
  return `GET ${target} HTTP/1.1\r\nHost: x\r\nX-Signature: ${signature}\r\n${more}\r\n`
}
const isOwnAnswer = (answer: { status: number; body: string } | undefined) =>
  answer?.status === 200 && answer.body.includes(known.external_id)

const wasMade = async (orderId: string): Promise<boolean> => {
  const { status } = await shop.get(`/api/v1/requests/deposit?order_id=${orderId}`)
  assert.ok(status === 200 || status === 404, `looking for ${orderId}: ${status}`)
  return status === 200
}

test('control: an honest create, its question, and both pipelined, are answered in their order', async () => {
  const { orderId, bytes } = hiddenCreate()
  const connection = new RawConnection(gateway)
  connection.write(bytes + honestQuestion() + honestQuestion('Connection: close\r\n'))
  const answers = await connection.settle(3)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200],
  )
  assert.ok(isOwnAnswer(answers[1]) && isOwnAnswer(answers[2]))
  assert.ok(await wasMade(orderId))
})

type Bytes = (hidden: string) => string

/** Sends it, then an honest question on the same connection and one on another. */
async function attempt(note: Note, name: string, make: Bytes): Promise<void> {
  const { orderId, bytes } = hiddenCreate()
  const connection = new RawConnection(gateway)
  connection.write(make(bytes))
  connection.write(honestQuestion())
  // A server that waits for the rest of a body says nothing: then nothing was carried out.
  const answers = await connection.settle(3, 150)
  const [first, ...next] = answers
  connection.close()
  const isMixedUp = next.some((answer) => !isOwnAnswer(answer))
  note(name, isMixedUp || (await wasMade(orderId)))
  if (first)
    assert.ok(first.status < 500 || first.status === 505 || first.status === 501, `${name}: ${first.status}`)
  const other = new RawConnection(gateway)
  other.write(honestQuestion('Connection: close\r\n'))
  assert.ok(isOwnAnswer((await other.settle(1))[0]), `after ${name} an honest question is answered`)
  other.close()
}

const post = (headers: string, body: string, line = `POST ${createPath} HTTP/1.1`) =>
  `${line}\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`

/** Spellings of Transfer-Encoding that some servers take for chunked and others do not see. */
const encodings = [
  ...[
    'Transfer-Encoding: chunked',
    'transfer-encoding: CHUNKED',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:chunked',
  ],
  ...[
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding: \x0bchunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunkedx',
  ],
  ...[
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: identity, chunked',
    'Transfer-Encoding: identity',
  ],
  ...[
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
    'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
  ],
  ...[
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked,',
  ],
  ...[
    ' Transfer-Encoding: chunked',
    'X: x\r\n Transfer-Encoding: chunked',
    'X: x\nTransfer-Encoding: chunked',
    'X: x\rTransfer-Encoding: chunked',
  ],
  ...[
    'Transfer-Encoding:\r\n chunked',
    'Transfer-Encoding: "chunked"',
    "Transfer-Encoding: 'chunked'",
    'Transfer-Encoding: chunked;q=0.5',
  ],
  ...['Transfer Encoding: chunked', 'Transfer-Encoding\x00: chunked', 'Transfer-Encoding: chunked\x00'],
  ...[
    'Transfer-Encoding: ,chunked',
    'Transfer-Encoding:  chunked ',
    'Transfer-Encoding: chun\x00ked',
    'TrAnSfEr-EnCoDiNg: cHuNkEd',
  ],
  ...['Transfer-Encoding: cow, chunked', 'Transfer-Encoding: chunked\r\n '],
]

attack('both lengths: a length and a chunked body that disagree, in every spelling', async (note) => {
  const chosen = isWhole ? encodings : encodings.filter((_, place) => place % 4 === 0)
  await inTurns(
    chosen,
    async (encoding) => {
      const name = JSON.stringify(encoding)
      // A reader that uses the chunks sees the end before the hidden request.
      await attempt(note, `CL.TE ${name}`, (hidden) => {
        const body = `0\r\n\r\n${hidden}`
        return post(`Content-Length: ${body.length}\r\n${encoding}\r\n`, body)
      })
      await attempt(note, `TE first ${name}`, (hidden) => {
        const body = `0\r\n\r\n${hidden}`
        return post(`${encoding}\r\nContent-Length: ${body.length}\r\n`, body)
      })
      // A reader that uses the length does.
      await attempt(note, `TE.CL ${name}`, (hidden) => {
        const size = hidden.length.toString(16)
        return post(
          `${encoding}\r\nContent-Length: ${size.length + 2}\r\n`,
          `${size}\r\n${hidden}\r\n0\r\n\r\n`,
        )
      })
      await attempt(note, `beginning of the next request ${name}`, () => {
        const body = '0\r\n\r\nGET /health/live HTTP/1.1\r\nX-Swallow: '
        return post(`Content-Length: ${body.length}\r\n${encoding}\r\n`, body)
      })
    },
    8,
  )
})

/** Body lengths that contradict each other. */
const lengths: [string, (whole: number) => string][] = [
  ['two that differ', (whole) => `Content-Length: ${whole}\r\nContent-Length: 0\r\n`],
  ['two that differ, the short one first', (whole) => `Content-Length: 0\r\nContent-Length: ${whole}\r\n`],
  ['two in one', (whole) => `Content-Length: 0, ${whole}\r\n`],
  ['twice the same', () => 'Content-Length: 0\r\nContent-Length: 0\r\n'],
  ['with a sign', () => 'Content-Length: +0\r\n'],
  ['negative', () => 'Content-Length: -1\r\n'],
  ['hexadecimal', () => 'Content-Length: 0x0\r\n'],
  ['octal', (whole) => `Content-Length: 0${whole}\r\n`],
  ['with a space inside', (whole) => `Content-Length: 0 ${whole}\r\n`],
  ['with an underscore', () => 'Content_Length: 0\r\n'],
  ['with a space before the colon', () => 'Content-Length : 0\r\n'],
  ['in other digits', () => 'Content-Length: ٠\r\n'],
  ['far too large', () => 'Content-Length: 18446744073709551616\r\n'],
  ['empty', () => 'Content-Length:\r\n'],
  ['not a number', () => 'Content-Length: zero\r\n'],
  ['a fraction', () => 'Content-Length: 0.0\r\n'],
  ['with a NUL', () => 'Content-Length: 0\x00\r\n'],
  ['on a folded line', (whole) => `Content-Length: 0\r\n ${whole}\r\n`],
]

attack('body lengths that contradict each other', async (note) => {
  const chosen = isWhole ? lengths : lengths.slice(0, 6)
  await inTurns(chosen, ([name, headers]) =>
    // A request with no body and the hidden one behind it is pipelining, and honest: here the length is in doubt.
    attempt(note, name, (hidden) => {
      const isHonest = name === 'twice the same' || name === 'with an underscore'
      return post(headers(hidden.length), isHonest ? '' : hidden)
    }),
  )
})

/** Chunked bodies that are not well formed; the hidden request stands where a lenient reader would begin the next request. */
const chunked: [string, Bytes][] = [
  ['a size with a sign', (hidden) => `+0\r\n\r\n${hidden}`],
  ['a size with 0x', (hidden) => `0x0\r\n\r\n${hidden}`],
  ['a size with a space', (hidden) => `0 \r\n\r\n${hidden}`],
  ['a negative size', (hidden) => `-1\r\n\r\n${hidden}`],
  ['a size that overflows', (hidden) => `10000000000000000\r\n\r\n${hidden}`],
  ['a size of 64 zeros', (hidden) => `${'0'.repeat(64)}1\r\n\r\n${hidden}`],
  ['no size', (hidden) => `\r\n\r\n${hidden}`],
  ['bare LF after the size', (hidden) => `0\n\n${hidden}`],
  ['bare CR after the size', (hidden) => `0\r\r${hidden}`],
  ['a chunk longer than said', (hidden) => `1\r\nab\r\n0\r\n\r\n${hidden}`],
  ['LF inside of an extension', (hidden) => `1;x\na\r\n0\r\n\r\n${hidden}`],
  ['a NUL in the size', (hidden) => `0\x00\r\n\r\n${hidden}`],
  ['chunk data without its end', (hidden) => `1\r\na0\r\n\r\n${hidden}`],
]

attack('chunked bodies that are not well formed', async (note) => {
  const chosen = isWhole ? chunked : chunked.filter((_, place) => place % 3 === 0)
  await inTurns(chosen, ([name, body]) =>
    attempt(note, name, (hidden) => post('Transfer-Encoding: chunked\r\n', body(hidden))),
  )
})

/** Lines and heads that some readers mend. */
const heads: [string, Bytes][] = [
  [
    'bare LF between the lines',
    (hidden) => `GET /health/live HTTP/1.1\nHost: x\nContent-Length: ${hidden.length}\n\n${hidden}`,
  ],
  [
    'bare LF at the end of the head',
    (hidden) => `GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\n${hidden}`,
  ],
  [
    'bare CR between the lines',
    (hidden) => `GET /health/live HTTP/1.1\rHost: x\r\rContent-Length: 0\r\r${hidden}`,
  ],
  [
    'a folded line',
    (hidden) => post(`X-Fold: a\r\n Content-Length: ${hidden.length}\r\n`, hidden).replace('X-Fold', 'X'),
  ],
  [
    'a line without a colon',
    (hidden) => post(`Content-Length\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  [
    'a line that begins with a colon',
    (hidden) => post(`: x\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  ['a NUL in a header', (hidden) => post(`X: a\x00b\r\nContent-Length: ${hidden.length}\r\n`, hidden)],
  [
    'a CR in a header',
    (hidden) => post(`X: a\rContent-Length: 0\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  [
    'a space after the name',
    (hidden) => post(`Content-Length : 0\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  ['HTTP/0.9', (hidden) => `GET /health/live\r\n${hidden}`],
  [
    'HTTP/1.2',
    (hidden) => `POST /health/live HTTP/1.2\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  ['HTTP/2 preface', (hidden) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`],
  [
    'a space in the address',
    (hidden) => `GET /health/live x HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'an address with CRLF escaped',
    (hidden) =>
      `GET /health/live%20HTTP/1.1%0d%0aHost:%20x%0d%0a%0d%0a HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'an upgrade',
    (hidden) =>
      `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'an upgrade to h2c',
    (hidden) =>
      `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'CONNECT with a body',
    (hidden) => `CONNECT x:80 HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'a GET with a body',
    (hidden) => `GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'a HEAD with a body',
    (hidden) => `HEAD /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'a DELETE with a chunked body',
    (hidden) =>
      `DELETE /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
  ],
  [
    'an address of another host',
    (hidden) =>
      `POST http://evil.example${createPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ],
  [
    'Expect with a body that comes at once',
    (hidden) => post(`Expect: 100-continue\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  [
    'an expectation nobody knows',
    (hidden) => post(`Expect: x\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  [
    'Expect twice',
    (hidden) =>
      post(`Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  [
    'a hop-by-hop header for the length',
    (hidden) =>
      post(`Connection: keep-alive, Content-Length\r\nContent-Length: ${hidden.length}\r\n`, hidden),
  ],
  [
    'a body too large',
    (hidden) => post(`Content-Length: ${20_000 + hidden.length}\r\n`, 'x'.repeat(20_000) + hidden),
  ],
  [
    'trailers that repeat headers',
    (hidden) =>
      post(
        'Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n',
        `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\nContent-Length: 0\r\nX-Signature: x\r\n\r\n`,
      ),
  ],
  [
    'a chunk extension with quotes',
    (hidden) =>
      post(
        'Transfer-Encoding: chunked\r\n',
        `${hidden.length.toString(16)};a="b;c"\r\n${hidden}\r\n0\r\n\r\n`,
      ),
  ],
  [
    'a very long chunk extension',
    (hidden) =>
      post(
        'Transfer-Encoding: chunked\r\n',
        `${hidden.length.toString(16)};${'a'.repeat(20_000)}\r\n${hidden}\r\n0\r\n\r\n`,
      ),
  ],
]

attack('heads that some readers mend, and bodies where none is expected', async (note) => {
  const chosen = isWhole ? heads : heads.filter((_, place) => place % 3 === 0)
  await inTurns(chosen, ([name, bytes]) => attempt(note, name, bytes))
})

report()
