// A server that does nothing but answer: what is left of a wait under a flood is Node's and the machine's own.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(201, { 'content-length': 2 }).end('{}')
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
