/**
 * What a payment page and a repeated create must do at least, in a process of its own: HTTP, the signature of a create, one look-up
 * that the requests of one moment share, and an answer of as many bytes. It checks no limits and renders nothing.
 */
import fastify from 'fastify'
import { signLiteral } from '../sdk/signature.ts'
import { batched } from '../src/platform/batched.ts'
import type { Login } from '../src/platform/db.ts'
import { connect } from './world.ts'

export type BareReads = { login: Login; merchant: string; secret: string }

const { login, merchant, secret } = JSON.parse(process.argv[2]!) as BareReads
const columns =
  'id, order_id, page_token, state, amount_cents, currency, payment_type, customer, shown, reference, created_at, expires_at'
const sessions = await Promise.all([connect(login), connect(login)])
let asked = 0

type Deposit = { order_id: string; page_token: string }
async function look(name: string, where: string, values: unknown[]): Promise<Deposit[]> {
  const text = `select ${columns} from deposits where ${where}`
  const { rows } = await sessions[asked++ % sessions.length]!.query<Deposit>({ name, text, values })
  return rows
}
const findPage = batched(async (tokens) => {
  const found = await look('pages', 'page_token = any($1)', [tokens])
  return new Map(found.map((deposit) => [deposit.page_token, deposit]))
})
const findOrder = batched(async (orders) => {
  const found = await look('orders', 'merchant_id = $1 and order_id = any($2)', [merchant, orders])
  return new Map(found.map((deposit) => [deposit.order_id, deposit]))
})

/** As many bytes as a compressed page has. */
const page = Buffer.alloc(6_800)
const app = fastify()
app.get<{ Params: { token: string } }>('/pay/:token', async (request, reply) => {
  if (!(await findPage(request.params.token))) return reply.code(404).send()
  return reply.type('text/html; charset=utf-8').header('content-encoding', 'br').send(page)
})
app.post<{ Body: Record<string, string> }>('/api/v1/requests/deposit/create', async (request, reply) => {
  const expected = signLiteral(secret, 'create', { ...request.body, cents: String(request.body.cents) })
  if (request.headers['x-signature'] !== expected) return reply.code(401).send()
  const found = await findOrder(request.body.order_id!)
  return found ? reply.send({ deposit: found, rest: 'x'.repeat(400) }) : reply.code(404).send()
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.send!(Number(new URL(address).port))
