/**
 * A flood of requests through a proxy, over TLS, from a process of its own, so that what the client costs is not charged to
 * the client that measures. On every beat each connection that waits for nothing sends one request; a connection
 * that was closed is opened again. When stopped, it reports how many answers of each status it got.
 */
import { connect } from 'node:tls'

process.on('message', (task) => {
  if (task === 'stop') return stop()
  begin(task)
})

let lines = []
let timer
const statuses = {}

/** `addresses`: from which the connections come, in turn. */
function begin({ port, connections, beatMs, requests, addresses }) {
  const supply = requests.map((text) => Buffer.from(text, 'latin1'))
  let sent = 0
  lines = Array.from({ length: connections }, (_, place) => ({
    localAddress: addresses[place % addresses.length],
    socket: null,
    isBusy: false,
    left: -1,
    head: '',
  }))
  const beat = () => {
    for (const line of lines) {
      if (line.isBusy) continue
      line.socket ??= open(line, port)
      line.isBusy = true
      line.socket.write(supply[sent++ % supply.length])
    }
  }
  beat()
  timer = setInterval(beat, beatMs)
}

function open(line, port) {
  const { localAddress } = line
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    localAddress,
    rejectUnauthorized: false,
  })
  socket.on('data', (bytes) => read(line, bytes))
  const gone = () => {
    if (line.socket !== socket) return
    if (line.isBusy) count('closed')
    Object.assign(line, { socket: null, isBusy: false, left: -1, head: '' })
  }
  socket.on('error', gone)
  socket.on('close', gone)
  return socket
}

/** Of an answer its status and its length; one without a length lasts until the connection ends. */
function read(line, bytes) {
  let rest = bytes.length
  if (line.left < 0) {
    line.head += bytes.toString('latin1')
    const end = line.head.indexOf('\r\n\r\n')
    if (end < 0) return
    count(line.head.slice(9, 12))
    const length = /\r\ncontent-length: (\d+)/i.exec(line.head.slice(0, end))
    rest = line.head.length - end - 4
    line.left = length ? Number(length[1]) : Number.POSITIVE_INFINITY
    line.head = ''
  }
  line.left -= rest
  if (line.left > 0) return
  line.left = -1
  line.isBusy = false
}

function count(status) {
  statuses[status] = (statuses[status] ?? 0) + 1
}

function stop() {
  clearInterval(timer)
  for (const { socket } of lines) socket?.destroy()
  process.send(statuses, () => process.exit(0))
}
