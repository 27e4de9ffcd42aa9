// The reference of the page row: a bare Fastify route that answers JSON, in a process of its own.
import fastify from 'fastify'

const app = fastify()
app.get('/', async () => ({ id: '019a8d20-7c11-7b52-9f0e-2d6a41c5e803', state: 'created', kind: 'deposit' }))
await app.listen({ host: '127.0.0.1', port: 0 })
process.send(app.server.address().port)
