/** One TCP connection to a gateway: writes bytes as they are, and tells the answers apart. */
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

type RawAnswer = { status: number; head: string; body: string }

export class RawConnection {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  isClosed = false

  constructor({ url }: { url: string }) {
    const { hostname, port } = new URL(url)
    this.#socket = connect(Number(port), hostname)
    this.#socket.on('data', (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.isClosed = true
    })
  }

  write(bytes: string | Buffer): void {
    if (!this.#socket.destroyed && this.#socket.writable) this.#socket.write(bytes)
  }

  /** Every whole answer that has come so far, but for "100 Continue". */
  answers(): RawAnswer[] {
    const found: RawAnswer[] = []
    let text = this.#bytes.toString('latin1')
    while (text.startsWith('HTTP/1.')) {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) break
      const head = text.slice(0, end)
      const status = Number(head.split(' ')[1])
      const isBare = status < 200 || status === 204 || status === 304
      const length = isBare ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? text.length - end - 4)
      if (text.length < end + 4 + length) break
      if (status >= 200) found.push({ status, head, body: text.slice(end + 4, end + 4 + length) })
      text = text.slice(end + 4 + length)
    }
    return found
  }

  /** Waits until so many answers have come, the server hung up, or nothing more is to be expected. */
  async settle(count: number, mostMs = 5_000): Promise<RawAnswer[]> {
    for (let waited = 0; waited < mostMs; waited += 5) {
      if (this.isClosed || this.answers().length >= count) break
      await setTimeout(5)
    }
    return this.answers()
  }

  close(): void {
    this.#socket.destroy()
  }
}
