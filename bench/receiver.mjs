// A merchant's server for the callback rows, in a process of its own. /dead resets, /slow answers after 1.5 s.
import { createServer } from 'node:http'

let received = 0
let body = ''
let waiting
let beganAt = 0
let byDeposit = {}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const answer = () => response.writeHead(200).end('ok')
    if (request.url === '/dead') return request.socket.resetAndDestroy()
    if (request.url === '/slow') return setTimeout(answer, 1_500)
    answer()
    if (request.url !== '/ok') return
    received++
    if (received === waiting?.from) beganAt = performance.now()
    if (received === waiting?.to) process.send(performance.now() - beganAt)
    body = Buffer.concat(chunks).toString()
    if (!waiting) byDeposit[/"data":\{[^{}]*?"(?:id|uuid)":"([^"]+)"/.exec(body)?.[1]] ??= Date.now()
  })
})
process.on('message', (question) => {
  if ('from' in question) {
    waiting = question
    return
  }
  process.send({ body, byDeposit })
  byDeposit = {}
  waiting = undefined
})
process.on('disconnect', () => process.exit())
server.keepAliveTimeout = 60_000
server.listen(0, '0.0.0.0', () => process.send(server.address().port))
