// A merchant's server for the callback rows, in a process of its own. /dead resets, /slow answers after 1.5 s.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const answer = () => response.writeHead(200).end('ok')
    if (request.url.startsWith('/dead')) request.socket.resetAndDestroy()
    else if (request.url.startsWith('/slow')) setTimeout(answer, 1_500)
    else answer()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '0.0.0.0', () => process.send(server.address().port))
