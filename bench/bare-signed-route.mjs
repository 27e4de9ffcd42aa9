// The reference of the create-http row: a bare Fastify route that parses the body of a create, checks its HMAC and answers as
// many bytes as Inlet does, in its own process. For the create-stored rows it first stores what a create stores.
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'

const [secret, answer, place] = process.argv.slice(2)
const store = place && (await (await import('./bare-store.ts')).openBareStore(JSON.parse(place)))
const names = ['callback_url', 'cents', 'currency', 'customer', 'merchant', 'order_id', 'payment_type']
const app = fastify()
app.post('/api/v1/requests/deposit/create', async (request, reply) => {
  const text = names.map((name) => request.body[name]).join('::')
  const expected = createHmac('sha256', secret).update(text).digest()
  const sent = Buffer.from(request.headers['x-signature'], 'hex')
  if (!timingSafeEqual(expected, sent)) return reply.code(401).send()
  if (store) await store(request.body)
  return reply.code(201).type('application/json').send(answer)
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send(app.server.address().port)
